// Builds the page that shows detectors beside other structures: one file, page/dist/index.html, with its scripts, its worker and the kernel.
// Prints its path.
//   npm run page                builds it
//   npm run page -- --open      opens it in the browser of the system too
//   npm run page -- --picture   draws the picture of README.md, with a Chromium that is fetched
//   npm run page -- --measure   measures frames and processor time at a million records a second, with the same Chromium

import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { readArguments } from './arguments.mjs';
import { build } from './build.mjs';
import { buildPage } from './page/build.mjs';

const { values } = readArguments({
  options: Object.fromEntries(
    ['open', 'picture', 'measure'].map((name) => [name, { type: 'boolean', default: false }]),
  ),
});

/** The program that opens a file as its user does, by the platform. */
const openers = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''], linux: ['xdg-open'] };

function open(path) {
  const [program, ...args] = openers[process.platform] ?? openers.linux;
  const child = spawn(program, [...args, pathToFileURL(path).href], { stdio: 'ignore', detached: true });
  child.on('error', ({ message }) =>
    console.error(`page: ${program} does not run (${message}); open the file yourself`),
  );
  child.unref();
}

await build(['code']);
const path = await buildPage();
console.log(path);
if (values.open) open(path);
if (values.picture) await (await import('./page/picture.mjs')).drawPicture(path);
if (values.measure) await (await import('./page/measure.mjs')).measure(path);
