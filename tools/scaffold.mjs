// `node tools/scaffold.mjs NAME` creates a new family that builds and passes its tests: it writes the files of the family and adds
// its rows to lists. `node tools/scaffold.mjs --option NAME` adds an option of runs, which the command has as a flag, and with
// `--remove` it takes the option away again. Both print the steps that remain to be done by hand.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { familyFiles } from './scaffold/files.mjs';
import { flagOf, withOption, withoutOption } from './scaffold/option.mjs';
import { familyRows, nextId } from './scaffold/rows.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (path) => readFileSync(join(root, path), 'utf8');

function write(texts) {
  for (const [path, text] of Object.entries(texts)) {
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
}

/** Adds or removes an option, and ends. */
function scaffoldOption(name = '', isRemoved = false) {
  if (!/^[a-z][a-zA-Z]*$/.test(name)) {
    console.error('usage: node tools/scaffold.mjs --option NAME [--remove], where NAME is letters in camelCase');
    process.exit(2);
  }
  const isThere = read('packages/firstseen/src/options/run.ts').includes(`export const ${name} = `);
  if (isThere !== isRemoved) {
    console.error(`the option ${name} ${isThere ? 'exists; choose another name' : 'does not exist'}`);
    process.exit(2);
  }
  write(isRemoved ? withoutOption(name, read) : withOption(name, read));
  if (!isRemoved) {
    console.log(`Next:
  1. Say in the row and in the interface what the option is: its group, kind, jobs and help.
  2. Use it: the record of its group has it (packages/firstseen/src/run/settled.ts).
  3. npm run build && node tools/docs.mjs     builds the command with ${flagOf(name)} and writes the docs and the help`);
  }
  process.exit(0);
}

if (process.argv[2] === '--option') scaffoldOption(process.argv[3], process.argv[4] === '--remove');

const name = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9]*$/.test(name)) {
  console.error(
    `usage: node tools/scaffold.mjs NAME, for a family; NAME is lowercase letters and digits and begins with a letter
       node tools/scaffold.mjs --option NAME [--remove], for an option; NAME is letters in camelCase`,
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
write({ ...files, ...familyRows(name, id, read) });
console.log(`Next:
  npm run build && node tools/docs.mjs     builds the family and writes the docs, the help and the expected outputs that list families
  npx vitest run packages/firstseen/test/contract -t ${name}
Then replace the table in each file with the rule of the family, and the texts about it in docs/. Run both commands again, and
  npx vitest run packages/firstseen/test/statistical/plan.test.ts -t ${name}     compares the plan with the kernel`);
