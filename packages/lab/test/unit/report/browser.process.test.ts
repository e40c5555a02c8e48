import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page, Request } from 'playwright-core';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../../../../firstseen/test/support/browser.js';
import { sampleNote, sampleOf } from '../../../../firstseen/test/support/form.js';
import type { Plot } from '../../../src/contract.js';
import { htmlReport } from '../../../src/report/html.js';
import { looksOf } from '../../../src/report/looks.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { planes } from '../../../src/reproduce/planes.js';
import { exampleReport } from '../../support/reports.js';

const GROUNDS = { light: '#ffffff', dark: '#14171a' } as const;
const SCHEMES = ['light', 'dark'] as const;
const PHONE_WIDTH = 375;

const report = exampleReport();
const plots = report.sections.flatMap((section) => section.plots);
const looks = looksOf(plots);

let opened: TestBrowser;

beforeAll(async () => {
  opened = await openBrowser();
});

afterAll(() => opened.close());

interface View {
  width?: number;
  scheme?: (typeof SCHEMES)[number];
}

/** A page that shows this text, and the requests that it made. */
async function show(text: string, { width = 1280, scheme = 'light' }: View = {}) {
  const path = join(opened.folder, 'page.html');
  writeFileSync(path, text);
  const page = await opened.browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  const url = pathToFileURL(path).href;
  await page.goto(url);
  return { page, requests, url };
}

/** The number of pixels of each colour, as `#rrggbb`. */
async function coloursOf(page: Page, selector: string): Promise<Map<string, number>> {
  const { data } = PNG.sync.read(await page.locator(selector).screenshot());
  // Numbers, because a text for each of a million pixels takes seconds.
  const counts = new Map<number, number>();
  for (let at = 0; at < data.length; at += 4) {
    const colour = data.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return new Map([...counts].map(([colour, count]) => [`#${colour.toString(16).padStart(6, '0')}`, count]));
}

function mostOf(colours: Map<string, number>): string | undefined {
  return [...colours].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The number of visible marks in a figure, of a kind named as in Plot. */
function marksOf(page: Page, id: string, kind: 'line' | 'dot'): Promise<number> {
  return page.locator(`#plot-${id} [aria-label="${kind}"] > *`).evaluateAll(
    (marks) =>
      marks.filter((mark) => {
        const { width, height } = mark.getBoundingClientRect();
        return Math.max(width, height) > 0;
      }).length,
  );
}

/** Texts that extend beyond their plot. */
function textsOutside(page: Page): Promise<(string | null)[]> {
  return page.locator('svg text').evaluateAll((texts) =>
    texts
      .filter((text) => {
        const [box, frame] = [text, text.closest('svg') as Element].map((element) => element.getBoundingClientRect());
        if (box === undefined || frame === undefined || box.width === 0) return false;
        return box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom;
      })
      .map((text) => text.textContent),
  );
}

function textsThatOverlap(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const svg of Array.from(document.querySelectorAll('svg'))) {
      const texts = Array.from(svg.querySelectorAll('text')).filter((text) => text.textContent !== '');
      const boxes = texts.map((text) => ({ name: text.textContent, box: text.getBoundingClientRect() }));
      boxes.forEach(({ name, box }, b) => {
        for (const other of boxes.slice(b + 1)) {
          const isBeside = box.right <= other.box.left || other.box.right <= box.left;
          // The box of a line of text is about a third higher than its letters.
          const isApart = box.bottom - 3 <= other.box.top + 3 || other.box.bottom - 3 <= box.top + 3;
          if (!isBeside && !isApart) found.push(`${svg.getAttribute('aria-label')}: ${name} and ${other.name}`);
        }
      });
    }
    return found;
  });
}

function expectSeriesColours(plot: Plot, colours: Map<string, number>): void {
  const shown = plot.series.filter(({ role }) => role === undefined);
  for (const { name } of shown) expect(colours.get(looks(name).colour) ?? 0, `${plot.id}: ${name}`).toBeGreaterThan(20);
}

describe('the HTML report in Chromium', () => {
  test('requests only its own URL', async () => {
    const { page, requests, url } = await show(htmlReport(report));
    await page.waitForLoadState('networkidle');
    expect(requests.map((request) => request.url())).toEqual([url]);
    await page.close();
  });

  test('a request for another URL would be detected', async () => {
    const { page, requests } = await show('<img src="http://127.0.0.1:9/image.png">');
    expect(requests).toHaveLength(2);
    await page.close();
  });

  test('blocks injected requests and scripts', async () => {
    const media = ['img', 'video', 'iframe'].map((name) => `<${name} src="http://127.0.0.1:9/${name}"></${name}>`);
    const smuggled = `${media.join('')}<script>document.title = "ran"</script>`;
    const { page, requests } = await show(htmlReport(report).replace('<main>', `<main>${smuggled}`));
    expect(requests.map((request) => request.failure()?.errorText)).toEqual([undefined, 'csp']);
    expect(await page.title()).toBe(report.title);
    await page.close();
  });

  test('shows the marks of every series', async () => {
    const { page } = await show(htmlReport(report));
    for (const plot of plots) {
      const lines = plot.series.filter(({ kind }) => kind === 'line');
      const points = plot.series.filter(({ kind }) => kind === 'points').flatMap((series) => series.points);
      expect(await marksOf(page, plot.id, 'line'), plot.id).toBe(lines.length);
      expect(await marksOf(page, plot.id, 'dot'), plot.id).toBeGreaterThanOrEqual(points.length);
    }
    await page.close();
  });

  test.each(SCHEMES)('shows the colours of its series in %s', async (scheme) => {
    const { page } = await show(htmlReport(report), { scheme });
    expect(mostOf(await coloursOf(page, 'h1'))).toBe(GROUNDS[scheme]);
    for (const plot of plots.filter(({ id }) => id !== 'load')) {
      const colours = await coloursOf(page, `#plot-${plot.id}`);
      expectSeriesColours(plot, colours);
      expect(mostOf(colours)).toBe(GROUNDS[scheme]);
    }
    await page.close();
  });

  test('fits the width of a phone, with readable plots', async () => {
    const { page } = await show(htmlReport(report), { width: PHONE_WIDTH });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE_WIDTH);
    const heights = await page
      .locator('svg text')
      .evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect().height));
    expect(Math.min(...heights.filter((height) => height > 0))).toBeGreaterThan(9);
    await page.close();
  });

  test('shows the verdict of every row on a phone without scrolling sideways', async () => {
    const { page } = await show(htmlReport(report), { width: PHONE_WIDTH });
    const kinds = await page.locator('tr[id^="row-"]').evaluateAll((rows) =>
      rows.map((row) => {
        const shown = Array.from(row.querySelectorAll('.kind'), (kind) => ({
          text: kind.textContent,
          box: kind.getBoundingClientRect(),
        }));
        return shown.find(({ box }) => box.width > 0 && box.right <= document.documentElement.clientWidth)?.text;
      }),
    );
    const expected = report.sections.flatMap(({ rows }) => rows.map(({ verdict }) => verdict.kind));
    expect(kinds).toEqual(expected);
    await page.close();
  });

  test('has no text that extends beyond its plot or overlaps another', async () => {
    const { page } = await show(htmlReport(report));
    expect(await textsOutside(page)).toEqual([]);
    expect(await textsThatOverlap(page)).toEqual([]);
    await page.close();
  });
});

describe('a plot of the Markdown report in Chromium', () => {
  test.each(SCHEMES)('follows the colour scheme of the reader: %s', async (scheme) => {
    const { plots: files } = markdownReport(report, { plotsFolder: 'plots' });
    const plane = files.find(({ name }) => name === 'plane.svg') as { name: string; svg: string };
    writeFileSync(join(opened.folder, plane.name), plane.svg);
    const { page } = await show(`<body style="background:#888"><img src="${plane.name}" alt="">`, { scheme });
    const colours = await coloursOf(page, 'img');
    expectSeriesColours(plots.find(({ id }) => id === 'plane') as Plot, colours);
    expect(mostOf(colours)).toBe(GROUNDS[scheme]);
    await page.close();
  });
});

describe('the plots of docs/REPRODUCTION.md in Chromium', () => {
  const folder = join(import.meta.dirname, '../../../../../docs/plots');
  const files = sampleOf(readdirSync(folder), 8);
  const figureOf = (name: string) =>
    `<figure id="plot-${parse(name).name}">${readFileSync(join(folder, name))}</figure>`;

  test(`have visible marks and readable texts${sampleNote}`, async () => {
    const { page } = await show(files.map(figureOf).join('\n'));
    for (const name of files) {
      const { name: id } = parse(name);
      const marks = (await marksOf(page, id, 'line')) + (await marksOf(page, id, 'dot'));
      expect(marks, name).toBeGreaterThan(0);
    }
    expect(await textsOutside(page)).toEqual([]);
    expect(await textsThatOverlap(page)).toEqual([]);
    await page.close();
  });

  test.each(planes)('$id-planned shows every family and the limit', async ({ id, planned }) => {
    const { page } = await show(figureOf(`${id}-planned.svg`));
    expect(await marksOf(page, `${id}-planned`, 'dot')).toBeGreaterThanOrEqual(planned.length);
    expect(await page.locator(`#plot-${id}-planned [aria-label="line"][stroke-dasharray] path`).count()).toBe(1);
    await page.close();
  });
});
