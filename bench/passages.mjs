// `npm run near -- --passages`: passages of documents of Debian packages (lib/debian.mjs), on one thread and on two, beside Dolma. Prints
// Markdown: medians of turns in which each program runs once, of its processor time and of the time that it took, and whether all find
// the same. The packages are fetched once.
//   --folder PATH   where the packages are kept; the default is in the temporary folder
//   --corpus N      only the corpus of this number, from 0 on
//   --turns N       5 by default
//   --by UNIT       only paragraph or ngram
//   --copies LIST   sizes of the corpus, such as 1,4,16; 1 by default. The paragraphs of each copy begin with its number
//   --dolma PYTHON  measures Dolma too, with this Python, which has dolma of PyPI

import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { readArguments } from '../tools/arguments.mjs';
import { median } from '../tools/support/median.mjs';
import { corpora, textsOf } from './lib/debian.mjs';
import { secondsOf } from './lib/processortime.mjs';
import { writeShards } from './lib/shards.mjs';
import { tableText } from './lib/table.mjs';

const command = fileURLToPath(new URL('../packages/firstseen/bin/firstseen.js', import.meta.url));
const dolmaPath = fileURLToPath(new URL('lib/passages-dolma.py', import.meta.url));

const NGRAM = 13;
/** Bytes of the filter that Dolma makes for this number of elements and a rate of 1e-6: a power of two. */
function filterBytes(elements) {
  return 2 ** Math.ceil(Math.log2((elements * -Math.log(1e-6)) / (8 * Math.LN2 ** 2)));
}

/** The lines of files, one after the other. */
async function* linesOf(paths) {
  for (const path of paths) {
    const bytes = createReadStream(path);
    yield* createInterface({ input: path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes });
  }
}

/** Whether files have the same lines. */
async function areEqual(paths, others) {
  const rest = linesOf(others);
  for await (const line of linesOf(paths)) if ((await rest.next()).value !== line) return false;
  return (await rest.next()).done;
}

/** The share of the spans of either program that the other has too. */
async function agreement(ours, theirs) {
  let [common, all] = [0, 0];
  const others = linesOf(theirs);
  for await (const line of linesOf(ours)) {
    const places = (text) => (JSON.parse(text).attributes.duplicates ?? []).map(([start, end]) => `${start} ${end}`);
    const [left, right] = [new Set(places(line)), new Set(places((await others.next()).value))];
    const shared = [...left].filter((place) => right.has(place)).length;
    common += shared;
    all += left.size + right.size - shared;
  }
  return all === 0 ? 1 : common / all;
}

/** What each program takes in every turn, by its name. */
function turnsOf(programs, count) {
  const taken = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let turn = 0; turn < count; turn++) {
    for (const [name, run] of Object.entries(programs)) taken[name].push(run());
  }
  return Object.fromEntries(
    Object.entries(taken).map(([name, turns]) => [
      name,
      { processor: median(turns.map(({ processor }) => processor)), wall: median(turns.map(({ wall }) => wall)) },
    ]),
  );
}

async function measure(texts, { by, isCompressed, copies, turns, python }) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-passages-'));
  try {
    const paths = writeShards(texts, folder, { isCompressed, copies });
    const outputOf = (threads) => join(folder, `spans-${threads}.jsonl${isCompressed ? '.gz' : ''}`);
    const elements = copies * texts.reduce((sum, text) => sum + text.split(by === 'ngram' ? ' ' : '\n').length, 0);
    const unit = by === 'ngram' ? ['--by', by, '--ngram', String(NGRAM)] : [];
    const table = ['--algorithm', 'bloom', '--memory', String(filterBytes(elements))];
    const own = (threads) => () => {
      // To empty a file takes time, which Dolma does not need.
      rmSync(outputOf(threads), { force: true });
      return secondsOf([
        ...[process.execPath, command, 'passages', '--threads', String(threads), ...table, '--dolma-quirks', ...unit],
        ...[...paths, '-o', outputOf(threads)],
      ]);
    };
    const dolma = () => {
      // It goes on from what it finds.
      for (const name of ['attributes', 'in', 'out', 'bloom'])
        rmSync(join(folder, name), { recursive: true, force: true });
      return secondsOf([python, dolmaPath, folder, by, String(NGRAM), String(elements)]);
    };
    const taken = turnsOf({ one: own(1), two: own(2), ...(python && { dolma }) }, turns);
    if (!(await areEqual([outputOf(1)], [outputOf(2)]))) throw new Error('two threads found something else than one');
    if (python === undefined) return taken;
    const attributes = join(folder, 'attributes/passages');
    const theirs = readdirSync(attributes).sort();
    return {
      ...taken,
      agreement: await agreement(
        [outputOf(1)],
        theirs.map((name) => join(attributes, name)),
      ),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The columns about Dolma: its times, and how many times as fast one thread and two are. */
function besideDolma({ one, two, dolma, agreement: equal }) {
  if (dolma === undefined) return [];
  const times = [dolma.processor / one.processor, dolma.wall / two.wall].map((ratio) => ratio.toFixed(1));
  return [dolma.processor.toFixed(2), dolma.wall.toFixed(2), ...times, `${(100 * equal).toFixed(2)} %`];
}

async function report(corpus, { folder, dolma: python, turns, by: only, copies: sizes }) {
  const texts = textsOf(corpus, folder);
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const rows = [];
  for (const copies of sizes.split(',').map(Number)) {
    for (const by of only === undefined ? ['paragraph', 'ngram'] : [only]) {
      for (const isCompressed of [false, true]) {
        const taken = await measure(texts, { by, isCompressed, copies, turns: Number(turns), python });
        const { one, two } = taken;
        const own = [one.processor, one.wall, two.processor, two.wall].map((seconds) => seconds.toFixed(2));
        const size = (copies * megabytes).toFixed(0);
        rows.push([by, size, isCompressed ? 'gzip' : 'plain', ...own, ...besideDolma(taken)]);
      }
    }
  }
  const others = ['Dolma, CPU', 'time', 'times on one, CPU', 'times on two, time', 'same spans'];
  const header = [
    ...['by', 'MB', 'files', 'one thread, CPU', 'time', 'two threads, CPU', 'time'],
    ...(python === undefined ? [] : others),
  ];
  console.log(`${corpus.name}, ${texts.length} documents:\n\n${tableText(header, rows)}\n`);
}

async function main() {
  const { values } = readArguments({
    options: {
      folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
      corpus: { type: 'string' },
      turns: { type: 'string', default: '5' },
      by: { type: 'string' },
      copies: { type: 'string', default: '1' },
      dolma: { type: 'string' },
      passages: { type: 'boolean' },
    },
  });
  const chosen = values.corpus === undefined ? corpora : [corpora[Number(values.corpus)]];
  for (const corpus of chosen) await report(corpus, values);
}

await main();
