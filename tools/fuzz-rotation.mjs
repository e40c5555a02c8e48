// `npm run fuzz:rotation -- --rounds N [--seed S] [--mode M]`: writes to logs, rotates them and reads them with runs that are
// killed at random, and checks that every line comes out once. Round i has the seed S + i, which decides everything but the time
// that a process takes. Modes are between, during, follow and overtaken; by default, rounds take turns.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modes = ['', 'between', 'during', 'follow', 'overtaken'];

const { values } = readArguments({
  options: {
    rounds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', default: '' },
  },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
const areWhole = [rounds, seed].every((number) => Number.isSafeInteger(number) && number >= 0);
if (!areWhole || rounds === 0 || !modes.includes(values.mode)) {
  console.error('usage: npm run fuzz:rotation -- --rounds N [--seed S] [--mode between|during|follow|overtaken]');
  process.exit(2);
}

const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'fuzz/rotation/', '--config', 'tools/fuzz.config.mjs'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_ROUNDS: `${rounds}`,
      FUZZ_SEED: `${seed}`,
      FUZZ_MODE: values.mode,
      FUZZ_KEPT: join(root, 'build/fuzz-rotation'),
    },
  },
);
process.exitCode = status === 0 ? 0 : 1;
