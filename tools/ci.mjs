// What every change has to pass. The last line is `N passed, N failed`, the sum over all tests. It runs before `npm ci`, so it
// requires Node alone.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSteps } from './ci/steps.mjs';

const preparing = (command) => ({ command, hasTests: false });
const testing = (command) => ({ command, hasTests: true });

// Nothing is built after the first two stages, so that the later steps leave the build as it is. The third one waits for registries, servers and
// sessions much of its time, so its lanes fill the processors. `npm test` fills them alone: beside others, its work takes a third longer.
const stages = [
  [[preparing('npm ci')]],
  [[preparing('npm run build')]],
  [
    [testing('npm run test:failures -- --quick')],
    [testing('npm run test:engines -- --quick'), testing('npm run test:stores -- --quick')],
    [testing('npm run test:kafka -- --quick'), testing('npm run test:clients -- --quick')],
    [testing('node tools/clone.mjs'), testing('npm run test:runtimes -- --quick')],
  ],
  [[testing('npm test')]],
];
const failed = await runSteps(stages, {
  cwd: join(dirname(fileURLToPath(import.meta.url)), '..'),
  write: (text) => process.stdout.write(text),
});
process.exitCode = failed === 0 ? 0 : 1;
