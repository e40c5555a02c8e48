// A headless Chromium: the one that a package of the registry carries, which brings the libraries and fonts that it needs, and
// where that one does not run, one that is installed.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
const INSTALLED_NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Any runtime of the kind that the package knows makes it unpack its libraries too. */
const WITH_LIBRARIES = { AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };

/** A browser, and the folder that it may write to and that goes when it is closed. */
export interface TestBrowser {
  browser: Browser;
  folder: string;
  close: () => Promise<void>;
}

export async function openBrowser(): Promise<TestBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-browser-'));
  const isCarried = process.platform === 'linux' && process.arch === 'x64';
  const browser = await (isCarried ? launchCarried(folder) : launchInstalled());
  const close = async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { browser, folder, close };
}

/** The package unpacks into the folder for temporary files, which is why it is run with one of its own. */
function launchCarried(folder: string): Promise<Browser> {
  const unpack = "import('@sparticuz/chromium').then(({ default: carried }) => carried.executablePath())";
  execFileSync(process.execPath, ['-e', unpack], {
    cwd: root,
    env: { ...process.env, ...WITH_LIBRARIES, TMPDIR: folder },
  });
  const fonts = join(folder, 'fonts.conf');
  writeFileSync(
    fonts,
    `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
  );
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, HOME: folder, LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: fonts },
  });
}

function launchInstalled(): Promise<Browser> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.flatMap((place) => INSTALLED_NAMES.map((name) => join(place, name))).find(existsSync);
  return chromium.launch(found === undefined ? { channel: 'chrome' } : { executablePath: found });
}
