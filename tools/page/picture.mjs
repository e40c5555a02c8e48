// Draws the picture of README.md: the page in Chromium after three million records, in half of its size.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';

const picture = join(fileURLToPath(import.meta.url), '../../../docs/page.png');
const MAX_BYTES = 200_000;

/** @param path the path of the page */
export async function drawPicture(path) {
  const { browser, close } = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light', locale: 'en-US' });
  await page.goto(`${pathToFileURL(path).href}#records=3000000&pace=Infinity`);
  await page.locator('#status', { hasText: 'Stopped after' }).waitFor({ timeout: 600_000 });
  await page.locator('#results').screenshot({ path: picture });
  await close();
  const { size } = statSync(picture);
  if (size > MAX_BYTES) throw new Error(`${picture} has ${size} bytes, but must have at most ${MAX_BYTES}`);
  console.log(picture);
}
