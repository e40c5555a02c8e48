// `node tools/scaffold.mjs NAME` creates a new family that builds and passes its tests: it writes the files of the family and adds
// its rows to lists. It prints the steps that remain to be done by hand.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { familyFiles } from './scaffold/files.mjs';
import { familyRows, nextId } from './scaffold/rows.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (path) => readFileSync(join(root, path), 'utf8');

const name = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9]*$/.test(name)) {
  console.error(
    'usage: node tools/scaffold.mjs NAME, where NAME is lowercase letters and digits and begins with a letter',
  );
  process.exit(2);
}

const detectors = 'packages/firstseen/src/detectors';
const id = nextId(readdirSync(join(root, detectors)).map((file) => read(`${detectors}/${file}`)));
const files = familyFiles(name, id);
const kernelFiles = ['near', 'streams'].map((folder) => `packages/firstseen/assembly/${folder}/${name}.ts`);
const taken = [...Object.keys(files), ...kernelFiles].find((path) => existsSync(join(root, path)));
if (taken !== undefined) {
  console.error(`${taken} exists; choose another name`);
  process.exit(2);
}
for (const [path, text] of Object.entries({ ...files, ...familyRows(name, id, read) })) {
  writeFileSync(join(root, path), text);
  console.log(`wrote ${path}`);
}
console.log(`Next:
  npm run build && node tools/docs.mjs     builds the family and writes the docs, the help and the expected outputs that list families
  npx vitest run packages/firstseen/test/contract -t ${name}
Then replace the table in each file with the rule of the family, and the texts about it in docs/. Run both commands again.`);
