// What every change has to pass. The last line is `N passed, N failed`, the sum over all tests. It runs before `npm ci`, so it
// requires Node alone.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSteps } from './ci/steps.mjs';

const steps = [
  { command: 'npm ci', hasTests: false },
  { command: 'npm test', hasTests: true },
  { command: 'node tools/clone.mjs', hasTests: true },
  { command: 'npm run test:runtimes -- --quick', hasTests: true },
  { command: 'npm run test:engines -- --quick', hasTests: true },
  { command: 'npm run test:clients', hasTests: true },
  { command: 'npm run test:failures -- --quick', hasTests: true },
  { command: 'npm run test:kafka -- --quick', hasTests: true },
];
const failed = await runSteps(steps, {
  cwd: join(dirname(fileURLToPath(import.meta.url)), '..'),
  write: (text) => process.stdout.write(text),
});
process.exitCode = failed === 0 ? 0 : 1;
