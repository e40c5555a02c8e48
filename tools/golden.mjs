// Writes the frozen snapshots of the current version to test/golden/VERSION. Run once, when a version is released;
// existing files are never overwritten.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create, save } from 'firstseen';
import { families } from 'firstseen/plan';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(join(root, 'packages/firstseen/package.json'), 'utf8'));
const folder = join(root, 'packages/firstseen/test/golden', version);
if (existsSync(folder)) throw new Error(`the snapshots of version ${version} are frozen already`);
mkdirSync(folder, { recursive: true });

/** Text keys, so that the fingerprint is frozen too. */
function key(i) {
  return `element ${i % 3 === 0 ? Math.floor(i / 7) : i}`;
}

const expected = {};

async function freeze(name, options) {
  const detector = await create({ ...options, memory: 4096, seed: 42 });
  for (let i = 0; i < 400; i++) detector.observe(key(i));
  writeFileSync(join(folder, `${name}.1st`), await save(detector));
  const verdicts = Array.from({ length: 200 }, (_, i) => (detector.observe(key(400 + i)) === 'duplicate' ? 1 : 0));
  expected[name] = verdicts.join('');
}

for (const { name: algorithm, layouts } of families) {
  for (const layout of layouts) await freeze(`${algorithm}-${layout}`, { algorithm, layout });
}
const secret = '000102030405060708090a0b0c0d0e0f';
await freeze('rlbsbf-blocked-keyed', { algorithm: 'rlbsbf', layout: 'blocked', secret });
writeFileSync(join(folder, 'verdicts.json'), `${JSON.stringify(expected, undefined, 2)}\n`);
