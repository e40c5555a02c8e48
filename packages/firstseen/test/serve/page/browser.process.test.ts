// The page in Chromium, while a program observes keys: its numbers, its requests, its keyboard, its colors, and a server that starts again.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningServer, type ServeOptions, serve } from '../../../src/serve/server.js';
import { openBrowser, type TestBrowser } from '../../support/browser.js';
import { inLongForm, sampleNote, sampleOf } from '../../support/form.js';
import { Client, encode, type Read } from '../support/client.js';
import { dataIn, newFolder } from '../support/folder.js';
import { freePort } from '../support/freeport.js';
import { testServer } from '../support/server.js';

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const views = ['#/', '#/detectors/events', '#/detectors/orders', '#/plan'];
const detector = '[aria-label="Detectors"]';

let chromium: TestBrowser;

beforeAll(async () => {
  chromium = await openBrowser();
});

afterAll(() => chromium?.close());

/** A page, with all that it must not do. */
interface Opened {
  page: Page;
  context: BrowserContext;
  /** What was said in the console, what was refused, and requests to other origins. */
  problems: string[];
}

interface OpenOptions extends BrowserContextOptions {
  /** Runs before the scripts of the page. */
  before?: () => void;
}

async function open(port: number, hash = '#/', { before, ...options }: OpenOptions = {}): Promise<Opened> {
  const origin = `http://127.0.0.1:${port}`;
  const context = await chromium.browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-US',
    ...options,
  });
  if (before) await context.addInitScript(before);
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const problems: string[] = [];
  // Chromium reports what a policy refuses as an error of the console.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:')) problems.push(url);
  });
  await page.goto(`${origin}/${hash}`);
  return { page, context, problems };
}

async function untilStatus(page: Page, text: string): Promise<void> {
  await page.waitForFunction((wanted) => document.getElementById('status')?.textContent === wanted, text);
}

/** Keeps observing keys, some of which repeat. */
class Load {
  readonly #client: Client;
  readonly #timer: NodeJS.Timeout;
  #latest = 0;

  private constructor(client: Client) {
    this.#client = client;
    this.#timer = setInterval(() => {
      const keys = Array.from({ length: 20 }, (_, i) => String((this.#latest + i) >> 1));
      this.#latest += 20;
      void client.send('FS.OBSERVE', 'events', ...keys);
    }, 20);
  }

  static async start(port: number): Promise<Load> {
    return new Load(await Client.open(port));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#client.close();
  }
}

const commands = [
  ['FS.CREATE', 'events', 'memory', '256KiB', 'witness', '64KiB', 'fpr', '0.001'],
  ['FS.CREATE', 'orders', 'claims', 'memory', '64KiB'],
  ['FS.CLAIM', 'orders', 'k'],
  ['BF.RESERVE', 'urls', '0.01', '1000'],
  ['BF.MADD', 'urls', ...Array.from({ length: 300 }, (_, i) => `url-${i}`)],
];

async function withPage(
  run: (port: number, server: RunningServer, client: Client) => Promise<void>,
  options: Partial<ServeOptions> = {},
): Promise<void> {
  const server = await serve({ ...testServer, httpPort: 0, ...options });
  const client = await Client.open(server.port);
  try {
    if (options.authenticate === undefined) for (const words of commands) await client.send(...words);
    await run(server.httpPort as number, server, client);
  } finally {
    client.close();
    await server.close();
  }
}

/** The pairs of a reply. */
function pairsOf(reply: Read | undefined): Map<Read, Read> {
  const list = reply as Read[];
  return new Map(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] as Read] as const] : [])));
}

/** What a tile says. */
async function tile(page: Page, label: string): Promise<{ figure: string | null; note: string | null }> {
  const place = page.locator('.tile', { has: page.locator(`dt:text-is("${label}")`) });
  return { figure: await place.locator('.figure').textContent(), note: await place.locator('.note').textContent() };
}

test('numbers come while a program observes keys, and are those of FS.STATS when it stops', () =>
  withPage(async (port, server, client) => {
    const { page, context, problems } = await open(port, '#/detectors/events');
    const load = await Load.start(server.port);
    const records = page.locator('.tile .note').first();
    await page.waitForFunction(() =>
      /^[1-9][\d,]* so far/.test(document.querySelector('.tile .note')?.textContent ?? ''),
    );
    const early = await records.textContent();
    await page.waitForFunction((before) => document.querySelector('.tile .note')?.textContent !== before, early);
    await page.waitForFunction(() => !['–', '0'].includes(document.querySelector('.figure')?.textContent ?? '–'));
    load.stop();
    const stats = pairsOf(await client.send('FS.STATS', 'events'));
    const [observed, duplicates] = [Number(stats.get('observed')), Number(stats.get('duplicates'))];
    const format = new Intl.NumberFormat('en-US');
    await page.locator(`text="${format.format(observed)} so far"`).waitFor();
    expect((await tile(page, 'Distinct/s')).note).toBe(`${format.format(observed - duplicates)} so far`);
    expect((await tile(page, 'Duplicates/s')).note).toBe(`${format.format(duplicates)} so far`);
    const measured = await tile(page, 'False positives');
    expect(measured.note).toMatch(/^95 % interval .* to .*; plan: at most 0.1 %$/);
    await page.goto(`http://127.0.0.1:${port}/#/`);
    const row = page.locator('.list tbody tr', { hasText: 'events' });
    await row.waitFor();
    expect(await row.locator('td').allTextContents()).toEqual(
      expect.arrayContaining([format.format(observed), format.format(duplicates)]),
    );
    expect(problems).toEqual([]);
    await context.close();
  }));

test('a detector tells its fullness, its claims, and that nothing measures it', () =>
  withPage(async (port) => {
    const { page, context, problems } = await open(port, '#/detectors/urls');
    await page.locator('text=300 of 1,000 distinct keys').waitFor();
    expect((await tile(page, 'Of the plan')).figure).toBe('30.0 %');
    expect((await tile(page, 'Fullness')).figure).toBe('30.0 %');
    expect(await page.locator('.facts').textContent()).toContain('bits that an element sets (1 to 64)');
    expect((await tile(page, 'False positives')).note).toBe('not measured: create with witness; plan: at most 1 %');
    expect((await tile(page, 'False negatives')).note).toContain('no repeat is missed');
    await page.goto(`http://127.0.0.1:${port}/#/detectors/orders`);
    await page.locator('text=0 committed, 0 aborted').waitFor();
    expect((await tile(page, 'Claims held')).figure).toBe('1');
    await page.goto(`http://127.0.0.1:${port}/#/detectors/none`);
    await page.locator('text=There is no detector none').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  }));

test('what needs attention is listed, and what is alarming looks so', () =>
  withPage(async (port, _server, client) => {
    await client.send('FS.CREATE', 'full', 'algorithm', 'exact', 'memory', '1KiB');
    const answers = await client.send('FS.OBSERVE', 'full', ...Array.from({ length: 500 }, (_, i) => `k${i}`));
    const refused = 500 - ((answers as unknown[]).length - 1);
    const { page, context, problems } = await open(port);
    const list = page.locator('[aria-label="Needs attention"] li');
    await list.filter({ hasText: 'Alarming full full: new keys are refused' }).waitFor();
    await list
      .filter({ hasText: `Alarming full keys were refused in the last 5 minutes; ${refused} so far (full)` })
      .waitFor();
    const cell = page.locator('.list tbody tr', { hasText: 'full' }).locator('td[data-tone="bad"]');
    expect(await cell.textContent()).toBe('100.0 %');
    await page.waitForFunction(() =>
      document.querySelector('.moment')?.textContent?.startsWith('in the second before'),
    );
    await page.getByRole('button', { name: '24 hours' }).click();
    await page.locator('[aria-label="Needs attention"] a', { hasText: 'full' }).first().click();
    await page.locator('h1', { hasText: 'full' }).waitFor();
    await page.locator('text=of what the memory holds; when it is full, new keys are refused').waitFor();
    expect(await tile(page, 'Refused keys')).toEqual({ figure: String(refused), note: `${refused} full` });
    expect(problems).toEqual([]);
    await context.close();
  }));

test('the rows have the order of their column while they change', () =>
  withPage(async (port, _server, client) => {
    const { page, context } = await open(port);
    await page.getByRole('button', { name: 'Records', exact: true }).waitFor();
    await page.locator('.list tbody tr:first-child a:text-is("urls")').waitFor();
    await client.send('FS.OBSERVE', 'events', ...Array.from({ length: 400 }, (_, i) => `k${i}`));
    // The list is not sorted again by the server for some seconds, but its rows are.
    await page.locator('.list tbody tr:first-child a:text-is("events")').waitFor();
    expect(await page.locator('th[aria-sort="descending"]').textContent()).toBe('Records');
    await context.close();
  }));

const shown = [
  { colorScheme: 'light', examined: views },
  { colorScheme: 'dark', examined: sampleOf(views, 1) },
] as const;
test.each(shown)(`axe finds nothing in any view, in $colorScheme colors${sampleNote}`, ({ colorScheme, examined }) =>
  withPage(async (port) => {
    // axe is put into the page by the tools of the browser, which the policy of the page does not allow.
    const { page, context } = await open(port, '#/', { colorScheme, bypassCSP: true });
    for (const hash of examined) {
      await page.goto(`http://127.0.0.1:${port}/${hash}`);
      await untilStatus(page, 'Live');
      for (const summary of await page.locator('summary').all()) await summary.click();
      await page.evaluate(axeScript);
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        const found = await axe.run();
        return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      });
      expect(violations, hash).toEqual([]);
    }
    await context.close();
  }),
);

test('nothing is wider than a screen of 390 pixels', () =>
  withPage(async (port, _server, client) => {
    await client.send('FS.CREATE', `a-name-without-any-blank-${'x'.repeat(200)}`, 'memory', '64KiB');
    const { page, context, problems } = await open(port, '#/', { viewport: { width: 390, height: 844 } });
    for (const hash of views) {
      await page.goto(`http://127.0.0.1:${port}/${hash}`);
      await untilStatus(page, 'Live');
      expect(await page.evaluate(() => document.documentElement.scrollWidth), hash).toBeLessThanOrEqual(390);
    }
    expect(problems).toEqual([]);
    await context.close();
  }));

test('the keyboard reaches everything that can be used', () =>
  withPage(async (port) => {
    const { page, context } = await open(port);
    await page.locator('.list tbody a').first().waitFor();
    const reached = new Set<string>();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.tagName || ''),
      );
      const hasOutline = await page.evaluate(() => {
        const { activeElement: active } = document;
        return active === null || active === document.body || getComputedStyle(active).outlineStyle !== 'none';
      });
      expect(hasOutline).toBe(true);
    }
    for (const text of [
      'Skip to the content',
      'Plan a detector',
      '24 hours',
      'Table',
      'INPUT',
      'Records',
      'events',
      'urls',
    ]) {
      expect(reached).toContain(text);
    }
    await page.locator('.list tbody a', { hasText: 'urls' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'urls' }).waitFor();
    expect(await page.title()).toBe('urls · firstseen');
    await context.close();
  }));

test('the list sorts, filters and goes through many detectors part by part', () =>
  withPage(
    async (port, _server, client) => {
      const count = inLongForm(10_000, 130);
      const all = (count + 3).toLocaleString('en');
      const make = (_: unknown, i: number) =>
        encode('FS.CREATE', `tenant-${i}`, 'algorithm', 'bloom', 'memory', '1KiB');
      client.socket.write(Buffer.concat(Array.from({ length: count }, make)));
      await client.take(count);
      const { page, context, problems } = await open(port);
      await page.locator(`text=1 to 50 of ${all}`).waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.locator(`text=51 to 100 of ${all}`).waitFor();
      expect(await page.locator('.list tbody tr').count()).toBe(50);
      await page.getByRole('button', { name: 'Name' }).click();
      await page.locator('.list tbody tr:first-child a:text-is("events")').waitFor();
      expect(await page.locator('th[aria-sort="ascending"]').textContent()).toBe('Name');
      await page.getByRole('searchbox', { name: 'Filter' }).fill(inLongForm('TENANT-123', 'TENANT-12'));
      await page.locator('text=1 to 11 of 11').waitFor();
      expect(problems).toEqual([]);
      await context.close();
    },
    { maxDetectors: 20_000 },
  ));

test('a server that starts again is found again, with its detectors', async () => {
  const folder = newFolder();
  const [port, httpPort] = [await freePort(), await freePort()];
  const start = () => serve({ ...testServer, port, httpPort, data: dataIn(folder) });
  const first = await start();
  const client = await Client.open(port);
  for (const words of commands) await client.send(...words);
  const { page, context } = await open(httpPort);
  await untilStatus(page, 'Live');
  client.close();
  await first.close();
  await untilStatus(page, 'No connection, trying again');
  const second = await start();
  await untilStatus(page, 'Live');
  await page.locator(`${detector} a:text-is("urls")`).waitFor();
  await context.close();
  await second.close();
});

test('a server with tokens is asked with the one that is given, which is kept nowhere', () =>
  withPage(
    async (port) => {
      const { page, context } = await open(port);
      await page.locator('text=the request has no token').waitFor();
      await page.getByLabel('Token with the role').fill('wrong');
      await page.keyboard.press('Enter');
      await page.locator('text=the token is wrong').waitFor();
      await page.getByLabel('Token with the role').fill('secret');
      await page.keyboard.press('Enter');
      await untilStatus(page, 'Live');
      await page.locator('h1:text-is("Overview")').waitFor();
      const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
      expect(kept).toEqual([0, 0, '']);
      await context.close();
    },
    { authenticate: (_user, password) => (password === 'secret' ? 'read' : undefined) },
  ));

test('a hidden page is not told anything', () =>
  withPage(async (port) => {
    const { page, context } = await open(port);
    await untilStatus(page, 'Live');
    const hide = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/page/events'));
    await hide(true);
    await ended;
    await untilStatus(page, 'Paused while hidden');
    await hide(false);
    await untilStatus(page, 'Live');
    await context.close();
  }));

test('a browser whose locale is none shows the page', () =>
  withPage(async (port) => {
    const before = () => Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' });
    const { page, context, problems } = await open(port, '#/', { before });
    await untilStatus(page, 'Live');
    expect(problems).toEqual([]);
    await context.close();
  }));

test('the planner writes commands that make the detector', () =>
  withPage(async (port, server, client) => {
    const { page, context, problems } = await open(port, '#/plan');
    await untilStatus(page, 'Live');
    await page.getByLabel('Name').fill("it's new");
    await page.getByLabel('Memory').fill('64KiB');
    await page.getByLabel('Distinct keys').fill('1000');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    const [redis = '', curl = ''] = await page
      .locator('pre')
      .first()
      .waitFor()
      .then(() => page.locator('pre').allTextContents());
    expect(redis).toBe(
      `redis-cli -h 127.0.0.1 -p ${server.port} FS.CREATE 'it'\\''s new' MEMORY 64KiB EXPECT-DISTINCT 1000`,
    );
    expect(curl).toContain(`-X PUT 'http://127.0.0.1:${port}/detectors/it'\\''s%20new'`);
    expect(await client.send('FS.CREATE', "it's new", 'MEMORY', '64KiB', 'EXPECT-DISTINCT', '1000')).toBe('+OK');
    const facts = await page.locator('.facts').textContent();
    expect(facts).toMatch(/False positives, predicted\S+.*False negatives, predicted\S+/);
    expect(facts).toMatch(/Predicted for2,000 elements, 50.0 % of them new/);
    await page.getByLabel('Memory').fill('many');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.locator('.said', { hasText: '"many"' }).waitFor();
    // A wrong option is answered with 400, which Chromium reports.
    expect(problems.filter((text) => !text.includes('400'))).toEqual([]);
    await context.close();
  }));
