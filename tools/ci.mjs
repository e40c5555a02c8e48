// What every change has to pass. The last line is `N passed, N failed`, the sum over all tests. It runs before `npm ci`, so it
// requires Node alone.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSteps } from './ci/steps.mjs';

const preparing = (command) => ({ command, hasTests: false });
const testing = (command) => ({ command, hasTests: true });

// Nothing is built after the first two stages, so that the steps of the last one leave the build as it is. Most of `npm test` is work of the
// processors; the others wait for registries, servers and sessions, and go first when they have work.
const stages = [
  [[preparing('npm ci')]],
  [[preparing('npm run build')]],
  [
    [{ ...testing('npm test'), isPatient: true }],
    [
      testing('node tools/clone.mjs'),
      testing('npm run test:runtimes -- --quick'),
      testing('npm run test:clients -- --quick'),
    ],
    [
      testing('npm run test:kafka -- --quick'),
      testing('npm run test:failures -- --quick'),
      testing('npm run test:engines -- --quick'),
    ],
  ],
];
const failed = await runSteps(stages, {
  cwd: join(dirname(fileURLToPath(import.meta.url)), '..'),
  write: (text) => process.stdout.write(text),
});
process.exitCode = failed === 0 ? 0 : 1;
