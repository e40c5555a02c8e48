// `npm run near -- --passages`: passages of documents of Debian packages (lib/debian.mjs), on one thread and on two, beside Dolma. Prints
// Markdown: medians of turns in which each program runs once, of its processor time and of the time that it took, and whether all find
// the same. The packages are fetched once.
//   --folder PATH   where the packages are kept; the default is in the temporary folder
//   --corpus N      only the corpus of this number, from 0 on
//   --turns N       3 by default
//   --dolma PYTHON  measures Dolma too, with this Python, which has dolma of PyPI

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { corpora, textsOf } from './lib/debian.mjs';
import { median } from './lib/rounds.mjs';
import { writeShards } from './lib/shards.mjs';
import { tableText } from './lib/table.mjs';

const command = fileURLToPath(new URL('../packages/firstseen/bin/firstseen.js', import.meta.url));
const dolmaPath = fileURLToPath(new URL('lib/passages-dolma.py', import.meta.url));

const NGRAM = 13;
const MEMORY = '64MiB';

/** Runs a program; returns the seconds of processor time that it took, and those until it had ended. */
function secondsOf(args) {
  const startedMilliseconds = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', '"$@" >/dev/null 2>&1 && times', 'sh', ...args], {
    encoding: 'utf8',
  });
  const wall = (performance.now() - startedMilliseconds) / 1000;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  const spent = stdout
    .trim()
    .split('\n')
    .at(-1)
    .matchAll(/(\d+)m([\d.]+)s/g);
  const processor = [...spent].reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
  return { processor, wall };
}

function linesOf(paths) {
  const texts = paths.map((path) => {
    const bytes = readFileSync(path);
    return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  });
  return texts.join('').trimEnd().split('\n');
}

/** The share of the spans of either program that the other has too. */
function agreement(ours, theirs) {
  let [common, all] = [0, 0];
  for (const [i, line] of ours.entries()) {
    const places = (text) => (JSON.parse(text).attributes.duplicates ?? []).map(([start, end]) => `${start} ${end}`);
    const [left, right] = [new Set(places(line)), new Set(places(theirs[i]))];
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

function measure(texts, { by, isCompressed, turns, python }) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-passages-'));
  try {
    const paths = writeShards(texts, folder, { isCompressed });
    const outputOf = (threads) => join(folder, `spans-${threads}.jsonl${isCompressed ? '.gz' : ''}`);
    const unit = by === 'ngram' ? ['--by', by, '--ngram', String(NGRAM)] : [];
    const options = ['--algorithm', 'bloom', '--memory', MEMORY, '--dolma-quirks', ...unit, ...paths];
    const own = (threads) => () =>
      secondsOf([
        ...[process.execPath, command, 'passages', '--threads', String(threads), ...options],
        ...['-o', outputOf(threads)],
      ]);
    const elements = texts.reduce((sum, text) => sum + text.split(by === 'ngram' ? ' ' : '\n').length, 0);
    const dolma = () => {
      // It goes on from what it finds.
      for (const name of ['attributes', 'in', 'out', 'bloom'])
        rmSync(join(folder, name), { recursive: true, force: true });
      return secondsOf([python, dolmaPath, folder, by, String(NGRAM), String(elements)]);
    };
    const taken = turnsOf({ one: own(1), two: own(2), ...(python && { dolma }) }, turns);
    const ours = linesOf([outputOf(1)]);
    if (linesOf([outputOf(2)]).join() !== ours.join()) throw new Error('two threads found something else than one');
    if (python === undefined) return taken;
    const attributes = join(folder, 'attributes/passages');
    const theirs = readdirSync(attributes).sort();
    return { ...taken, agreement: agreement(ours, linesOf(theirs.map((name) => join(attributes, name)))) };
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

function report(corpus, { folder, dolma: python, turns }) {
  const texts = textsOf(corpus, folder);
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const rows = [];
  for (const by of ['paragraph', 'ngram']) {
    for (const isCompressed of [false, true]) {
      const taken = measure(texts, { by, isCompressed, turns: Number(turns), python });
      const { one, two } = taken;
      const own = [one.processor, one.wall, two.processor, two.wall].map((seconds) => seconds.toFixed(2));
      rows.push([by, isCompressed ? 'gzip' : 'plain', ...own, ...besideDolma(taken)]);
    }
  }
  const others = ['Dolma, CPU', 'time', 'times on one, CPU', 'times on two, time', 'same spans'];
  const header = [
    ...['by', 'files', 'one thread, CPU', 'time', 'two threads, CPU', 'time'],
    ...(python === undefined ? [] : others),
  ];
  console.log(`${corpus.name}, ${texts.length} documents, ${megabytes.toFixed(0)} MB:\n\n${tableText(header, rows)}\n`);
}

function main() {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
      corpus: { type: 'string' },
      turns: { type: 'string', default: '3' },
      dolma: { type: 'string' },
      passages: { type: 'boolean' },
    },
  });
  const chosen = values.corpus === undefined ? corpora : [corpora[Number(values.corpus)]];
  for (const corpus of chosen) report(corpus, values);
}

main();
