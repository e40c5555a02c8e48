// `npm run near -- --scripts`: pairs of documents in scripts that are written without blanks, of text of Debian packages. A document has 399
// letters of the script, with whatever is between them. In its copy, three letters in a row are other ones. Prints how many of 200
// pairs are found, for five seeds.
//   --folder PATH  where the packages are kept; the default is in the temporary folder
//   --write        also writes the table into docs/NEAR.md

import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNear } from 'firstseen/near';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { generator } from '../tools/support/random.mjs';
import { blanklessCorpora, documentsOf } from './lib/debian.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/NEAR.md', import.meta.url);

const LETTERS = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Khmer}]/u;
const LETTERS_OF_DOCUMENT = 399;
const CHANGED = 3;
const PAIRS = 200;
const SEEDS = [1, 2, 3, 4, 5];

const methods = [
  { name: 'five words', options: { verify: false, shingle: '5w' } },
  { name: 'eight characters', options: { verify: false, shingle: '8c' } },
  { name: 'six letters', options: { verify: false } },
  { name: 'six letters, verified', options: {} },
];

function isLetter(character) {
  return LETTERS.test(character);
}

/** From a place of the text on, a document and its copy. */
function pairAt(text, start, below) {
  const one = [];
  for (let [at, letters] = [start, 0]; letters < LETTERS_OF_DOCUMENT && at < text.length; at++) {
    one.push(text[at]);
    if (isLetter(text[at])) letters++;
  }
  const places = one.flatMap((character, i) => (isLetter(character) ? [i] : []));
  const first = CHANGED * below(Math.floor(places.length / CHANGED));
  const other = [...one];
  for (const place of places.slice(first, first + CHANGED)) {
    do other[place] = text[below(text.length)];
    while (!isLetter(other[place]) || other[place] === one[place]);
  }
  return [one.join(''), other.join('')];
}

async function foundPairs(text, options, seed) {
  const near = await createNear({ memory: '4MiB', seed, ...options });
  const next = generator(seed);
  const below = (count) => Math.floor((next() / 2 ** 32) * count);
  let found = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    // Documents of different places do not overlap.
    const [one, other] = pairAt(text, Math.floor((text.length * pair) / PAIRS), below);
    near.observe(one);
    if (near.observe(other).verdict === 'duplicate') found++;
  }
  return found;
}

async function rowOf({ name, ...corpus }, folder) {
  const text = [...Buffer.from(documentsOf(corpus, folder).join('\n'), 'latin1').toString()];
  const cells = [];
  for (const { options } of methods) {
    const found = [];
    for (const seed of SEEDS) found.push(await foundPairs(text, options, seed));
    cells.push(found.join(' '));
  }
  return [name, ...cells];
}

const { values } = readArguments({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
    scripts: { type: 'boolean' },
    write: { type: 'boolean' },
  },
});
const rows = [];
for (const corpus of blanklessCorpora) rows.push(await rowOf(corpus, values.folder));
const text = tableText(['', ...methods.map(({ name }) => name)], rows);
console.log(text);
if (values.write) {
  writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'near-scripts', text));
}
