// The page of --report in Chromium: it requests nothing, runs nothing, can be read in both color schemes and on a phone, and has no
// barriers that axe knows.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let chromium: TestBrowser;

beforeAll(async () => {
  chromium = await openBrowser();
});

afterAll(() => chromium?.close());

const schemes = ['light', 'dark'] as const;

async function writeReport(): Promise<string> {
  const cwd = temporaryFolder();
  const text = (i: number) => `${'the same words of a long text and some more of them '.repeat(3)}${i}`;
  const attack = `<script>document.title='run'</script><img src="http://127.0.0.1:9/x" onerror="document.title='run'">`;
  const texts = [...Array.from({ length: 30 }, (_, i) => text(i % 3)), `${attack} ${text(0)}`, attack, attack];
  const shards = [texts.slice(0, 20), texts.slice(20)].map((some) =>
    some.map((one) => `${JSON.stringify({ text: one })}\n`),
  );
  for (const [i, shard] of shards.entries()) writeFileSync(join(cwd, `${i}.ndjson`), shard.join(''));
  const args = ['near', '0.ndjson', '1.ndjson', '-o', 'out.ndjson', '--report', 'report.html'];
  const { code, stderr } = await runCommand(args, { cwd });
  expect(code, stderr).toBe(0);
  return join(cwd, 'report.html');
}

test('the page is complete in itself, in both color schemes and on a phone', async () => {
  const path = await writeReport();
  const backgrounds: string[] = [];
  for (const colorScheme of schemes) {
    const context = await chromium.browser.newContext({ colorScheme, viewport: { width: 1180, height: 900 } });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (url !== String(pathToFileURL(path)) && !url.startsWith('data:')) problems.push(url);
    });
    await page.goto(String(pathToFileURL(path)));
    expect(await page.title()).toBe('Report of firstseen near');
    expect(await page.locator('.pair').count()).toBeGreaterThan(1);
    expect(await page.locator('script, main img').count()).toBe(0);
    expect(await page.locator('.chart rect').count()).toBeGreaterThan(0);
    backgrounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    await page.setViewportSize({ width: 360, height: 700 });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    expect(problems).toEqual([]);
    // The policy of the page refuses scripts, so axe runs in a copy without it.
    const copy = `${path}.copy.html`;
    writeFileSync(copy, readFileSync(path, 'utf8').replace(/<meta http-equiv[^>]*>/, ''));
    await page.goto(String(pathToFileURL(copy)));
    await page.evaluate(axeScript);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe.run(),
    );
    expect(violations.map(({ id }) => id)).toEqual([]);
    await context.close();
  }
  expect(new Set(backgrounds).size).toBe(2);
});
