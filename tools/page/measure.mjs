// Measures the page at a million records a second: records in a second of the processor time of its process, the time between frames.

import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';

const SECONDS = 8;
const PERCENTILE = 0.95;

/** Processor time of the processes that run pages, in seconds. */
async function processorSeconds(session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function recordsOf(page) {
  return Number((await page.locator('#records').textContent()).replaceAll(',', ''));
}

/** @param path the path of the page */
export async function measure(path) {
  const { browser, close } = await openBrowser();
  const session = await browser.newBrowserCDPSession();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${pathToFileURL(path).href}#pace=1000000`);
  await page.locator('#status', { hasText: 'Running' }).waitFor();
  await page.waitForTimeout(1000);
  const [records, processor] = [await recordsOf(page), await processorSeconds(session)];
  const frames = await page.evaluate(
    (milliseconds) =>
      new Promise((resolve) => {
        const times = [];
        const note = (now) => {
          times.push(now);
          if (now - times[0] < milliseconds) requestAnimationFrame(note);
          else resolve(times.slice(1).map((time, i) => time - times[i]));
        };
        requestAnimationFrame(note);
      }),
    SECONDS * 1000,
  );
  const [laterRecords, laterProcessor] = [await recordsOf(page), await processorSeconds(session)];
  await close();
  const sorted = frames.toSorted((a, b) => a - b);
  const million = (count) => (count / 1e6).toFixed(2);
  console.log(`${million((laterRecords - records) / SECONDS)} M records a second`);
  console.log(
    `${million((laterRecords - records) / (laterProcessor - processor))} M records a second of processor time, with all drawing`,
  );
  console.log(
    `${(frames.length / SECONDS).toFixed(1)} frames a second; ${sorted[Math.floor(PERCENTILE * sorted.length)].toFixed(1)} ms between 95 % of them, ${sorted.at(-1).toFixed(1)} ms at most`,
  );
}
