// `npm run fuzz -- --minutes N [--seed S]`: changes the inputs of packages/firstseen/test/corpus/ at random and runs them through
// every entry. An input that breaks an entry is added to the corpus. The same seed gives the same inputs.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const current = join(root, 'build/fuzz-current');
const found = join(root, 'packages/firstseen/test/corpus/inputs/found');
/** The time that a run may exceed its limit before it counts as hanging. */
const GRACE_MINUTES = 3;

const { values } = readArguments({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string', default: `${Date.now() % 2 ** 31}` } },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed) || seed < 0) {
  console.error('usage: npm run fuzz -- --minutes N [--seed S]; N is a number above 0, S a whole number from 0');
  process.exit(2);
}

mkdirSync(dirname(current), { recursive: true });
rmSync(current, { force: true });
console.log(`fuzzing for ${minutes} minutes, seed ${seed}`);
const { status, error } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'fuzz/fuzz.ts', '--config', 'tools/fuzz.config.mjs'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, FUZZ_MINUTES: `${minutes}`, FUZZ_SEED: `${seed}`, FUZZ_CURRENT: current },
    timeout: (minutes + GRACE_MINUTES) * 60_000,
  },
);
if (error?.code === 'ETIMEDOUT' && existsSync(current)) {
  const kept = join(found, `hangs-${seed}`);
  mkdirSync(found, { recursive: true });
  copyFileSync(current, kept);
  console.error(`an entry did not return; its input is kept as ${kept}`);
}
process.exitCode = status === 0 ? 0 : 1;
