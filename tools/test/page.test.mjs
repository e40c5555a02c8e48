// The page of `npm run page` in Chromium, opened as a file: its numbers beside those of the library, its requests, its keyboard, its colors.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSync } from 'firstseen';
import { afterAll, beforeAll, test as declare, expect } from 'vitest';
import { openBrowser } from '../../packages/firstseen/test/support/browser.ts';
import { countText, rateText } from '../../page/format.ts';
import { drawStream } from '../../page/streams.ts';
import { buildPage } from '../page/build.mjs';

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RECORDS = 60_000;
const MEMORY_BYTES = 2 ** 13;
const SEED = 7;
const address = `memory=13&records=${RECORDS}&seed=${SEED}&pace=Infinity`;

let chromium;
let noBrowser = '';
let url;

beforeAll(async () => {
  url = pathToFileURL(await buildPage()).href;
  chromium = await openBrowser().catch(({ message }) => {
    noBrowser = `no Chromium starts here: ${message}`;
  });
});

afterAll(() => chromium?.close());

/** Declares a test with a page that is opened as a file. */
function test(name, body, options = {}) {
  declare(name, async ({ skip }) => {
    if (noBrowser) skip(noBrowser);
    const context = await chromium.browser.newContext({
      viewport: { width: 1280, height: 900 },
      locale: 'en-US',
      ...options,
    });
    const page = await context.newPage();
    const problems = [];
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('request', (request) => /^(blob:null|file:)/.test(request.url()) || problems.push(request.url()));
    await body(page);
    expect(problems).toEqual([]);
    await context.close();
  });
}

async function open(page, hash) {
  await page.goto(`${url}#${hash}`);
}

async function untilStatus(page, text) {
  await page.locator('#status', { hasText: text }).waitFor();
}

/** The texts of the cells of a row: the rate and the note of false positives, then of false negatives. */
function cells(page, row) {
  return page.locator(`[data-row="${row}"] td > *`).allTextContents();
}

/** What the library answers for fingerprints, as the page shows it. */
function expectedRow(detector, fingerprints) {
  const seen = new Set();
  const verdicts = detector.observeBatch(fingerprints);
  const errors = { lost: 0, passed: 0 };
  fingerprints.forEach((fingerprint, i) => {
    if (seen.has(fingerprint) && verdicts[i] === 0) errors.passed++;
    if (!seen.has(fingerprint) && verdicts[i] === 1) errors.lost++;
    seen.add(fingerprint);
  });
  const repeats = fingerprints.length - seen.size;
  const texts = (count, total) => [rateText(count / total), `${countText(count)} of ${countText(total)}`];
  return [...texts(errors.lost, seen.size), ...texts(errors.passed, repeats)];
}

function fingerprintsOf(stream, keys) {
  const words = new Uint32Array(2 * RECORDS);
  drawStream(stream, keys, SEED)(words, RECORDS);
  return new BigUint64Array(words.buffer);
}

const streams = [
  { stream: 'bursts', keys: 5000, algorithm: 'auto', fpr: 0.000001 },
  { stream: 'uniform', keys: 50_000, algorithm: 'rlbsbf', fpr: 0.01 },
  { stream: 'skewed', keys: 50_000, algorithm: 'pocket', fpr: 0.0001 },
];
for (const { stream, keys, algorithm, fpr } of streams) {
  test(`the numbers of ${algorithm} over ${stream} are those of the library`, async (page) => {
    await open(page, `stream=${stream}&keys=2&algorithm=${algorithm}&fpr=${fpr}&${address}`);
    await untilStatus(page, 'Stopped after 60,000 records');
    const fingerprints = fingerprintsOf(stream, stream === 'bursts' ? 5000 : keys);
    const options = { memory: MEMORY_BYTES, seed: SEED };
    const detector = createSync({ ...options, algorithm, fpr, witness: true });
    expect(await cells(page, 'detector')).toEqual(expectedRow(detector, fingerprints));
    const bloom = createSync({ ...options, algorithm: 'bloom', layout: 'classic', fpr });
    expect(await cells(page, 'bloom')).toEqual(expectedRow(bloom, fingerprints));
    const cache = createSync({ ...options, algorithm: 'buffer', parameters: { replacement: 'lru' } });
    expect(await cells(page, 'cache')).toEqual(expectedRow(cache, fingerprints));
    const { falsePositiveRate, falseNegativeRate } = detector.stats().witness;
    const rates = [falsePositiveRate, falseNegativeRate].map(({ estimate }) => rateText(estimate));
    expect((await cells(page, 'witness')).filter((_, i) => i % 2 === 0)).toEqual(rates);
  });
}

test('the lines of a file are records, the last one without an end too', async (page) => {
  const path = join(chromium.folder, 'lines.txt');
  writeFileSync(path, 'a\nb\r\nb\n\n\na\nb');
  await open(page, 'stream=file');
  await untilStatus(page, 'Choose a file');
  await page.getByLabel('File, or drop it on this page').setInputFiles(path);
  await untilStatus(page, 'The whole file was read: 7 lines.');
  expect(await cells(page, 'detector')).toEqual(['0 %', '0 of 4', '0 %', '0 of 3']);
});

test('a request that no detector meets is told as the library tells it', async (page) => {
  await open(page, 'algorithm=sqf');
  await untilStatus(page, 'fpr is 0.000001, but must be at least');
});

test('the keyboard reaches everything that can be used, and pauses and begins again', async (page) => {
  await open(page, 'pace=10000');
  await untilStatus(page, 'Running');
  const order = [
    'Skip to the results',
    'stream',
    'keys',
    'memory',
    'algorithm',
    'fpr',
    'pace',
    'More',
    'run',
    'restart',
  ];
  const reached = [];
  for (let i = 0; i < order.length; i++) {
    await page.keyboard.press('Tab');
    const { name, hasOutline } = await page.evaluate(() => {
      const active = document.activeElement;
      const name = active.name || active.id || active.textContent;
      return { name, hasOutline: getComputedStyle(active).outlineStyle !== 'none' };
    });
    reached.push(name);
    expect(hasOutline, name).toBe(true);
  }
  expect(reached).toEqual(order);
  await page.locator('#run').focus();
  await page.keyboard.press('Enter');
  await untilStatus(page, 'Paused');
  await page.locator('[name="memory"]').focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('#memory-value', { hasText: '512 KiB' }).waitFor();
  await page.locator('#detector-note', { hasText: '512 KiB' }).waitFor();
});

for (const colorScheme of ['light', 'dark']) {
  test(
    `axe finds nothing in ${colorScheme} colors, and nothing is wider than 390 pixels`,
    async (page) => {
      await open(page, address);
      await untilStatus(page, 'Stopped after');
      for (const summary of await page.locator('summary').all()) await summary.click();
      await page.evaluate(axeScript);
      const violations = await page.evaluate(async () => {
        const results = await window.axe.run();
        return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      });
      expect(violations).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    },
    { colorScheme, bypassCSP: true, viewport: { width: 390, height: 844 } },
  );
}

test(
  'with reduced motion, nothing runs before it is asked for',
  async (page) => {
    await open(page, address);
    await untilStatus(page, 'Press Run to start');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await untilStatus(page, 'Stopped after 60,000 records');
  },
  { reducedMotion: 'reduce' },
);
