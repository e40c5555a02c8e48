// `npm run fuzz:serve -- --inputs N [--seed S]`: gives random bytes in random chunks to the parser of commands of the server, and
// compares what it finds with its slow twin. `npm run fuzz:pipe` gives random frames to `firstseen pipe`, and compares its verdicts with
// those of the library. The same seed gives the same inputs.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const { values } = readArguments({
  options: {
    ...{ inputs: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
    of: { type: 'string', default: 'serve' },
  },
});
const [inputs, seed] = [Number(values.inputs), Number(values.seed)];
if (![inputs, seed].every((number) => Number.isSafeInteger(number) && number >= 0) || inputs === 0) {
  console.error(`usage: npm run fuzz:${values.of} -- --inputs N [--seed S]`);
  process.exit(2);
}
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', `fuzz/${values.of}/`, '--config', 'tools/fuzz.config.mjs'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, FUZZ_INPUTS: `${inputs}`, FUZZ_SEED: `${seed}` } },
);
process.exitCode = status === 0 ? 0 : 1;
