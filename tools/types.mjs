// Checks the types of both packages and of their tests, side by side: `npm run types`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// A clone has `tsc` of two versions, so the command is named by its file.
const compiler = join(root, 'node_modules/typescript/bin/tsc');
/** That of the library alone, `firstseen/tsconfig.json`, is checked when its declarations are built. */
const projects = [
  'firstseen/tsconfig.test.json',
  'firstseen/page/tsconfig.json',
  '../page/tsconfig.json',
  'lab/tsconfig.test.json',
];

async function passes(project) {
  // What the compiler notes here lets the next check read only what has changed.
  const notes = join(root, 'build/types', `${project.replaceAll('/', '-')}.tsbuildinfo`);
  const args = [
    compiler,
    '--noEmit',
    '--incremental',
    '--tsBuildInfoFile',
    notes,
    '-p',
    join(root, 'packages', project),
  ];
  const [code, signal] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'close');
  if (signal !== null) console.error(`types: ${signal} ended the compiler of ${project}`);
  return code === 0;
}

// The sources import what is written from the kernels, and some tests import the built library.
await build(['declarations', 'labKernel']).catch(({ message }) => {
  console.error(message);
  process.exit(1);
});
const results = await Promise.all(projects.map(passes));
process.exitCode = results.every(Boolean) ? 0 : 1;
