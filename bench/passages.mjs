// `npm run near -- --passages`: passages of documents of Debian packages (lib/debian.mjs), beside Dolma. Prints Markdown: the processor
// time of each program, and whether both find the same. The packages are fetched once.
//   --folder PATH   where the packages are kept; the default is in the temporary folder
//   --corpus N      only the corpus of this number, from 0 on
//   --dolma PYTHON  measures Dolma too, with this Python, which has dolma of PyPI

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { corpora, textsOf } from './lib/debian.mjs';
import { writeShards } from './lib/shards.mjs';
import { tableText } from './lib/table.mjs';

const command = fileURLToPath(new URL('../packages/firstseen/bin/firstseen.js', import.meta.url));
const dolmaPath = fileURLToPath(new URL('lib/passages-dolma.py', import.meta.url));

const NGRAM = 13;
const MEMORY = '64MiB';

/** Runs a program; returns the seconds of processor time that it took. */
function processorSeconds(args) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', '"$@" >/dev/null 2>&1 && times', 'sh', ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  const spent = stdout
    .trim()
    .split('\n')
    .at(-1)
    .matchAll(/(\d+)m([\d.]+)s/g);
  return [...spent].reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
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

function measure(texts, { by, isCompressed, python }) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-passages-'));
  try {
    const paths = writeShards(texts, folder, { isCompressed });
    const output = join(folder, `spans.jsonl${isCompressed ? '.gz' : ''}`);
    const unit = by === 'ngram' ? ['--by', by, '--ngram', String(NGRAM)] : [];
    const table = ['--algorithm', 'bloom', '--memory', MEMORY];
    const own = processorSeconds([
      process.execPath,
      command,
      'passages',
      ...unit,
      ...table,
      '--dolma-quirks',
      ...paths,
      '-o',
      output,
    ]);
    if (python === undefined) return { own };
    const elements = texts.reduce((sum, text) => sum + text.split(by === 'ngram' ? ' ' : '\n').length, 0);
    const other = processorSeconds([python, dolmaPath, folder, by, String(NGRAM), String(elements)]);
    const attributes = join(folder, 'attributes/passages');
    const theirs = readdirSync(attributes).sort();
    return {
      own,
      other,
      agreement: agreement(linesOf([output]), linesOf(theirs.map((name) => join(attributes, name)))),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function report(corpus, { folder, dolma: python }) {
  const texts = textsOf(corpus, folder);
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const rows = [];
  for (const by of ['paragraph', 'ngram']) {
    for (const isCompressed of [false, true]) {
      const { own, other, agreement: equal } = measure(texts, { by, isCompressed, python });
      const others =
        other === undefined ? [] : [other.toFixed(2), (other / own).toFixed(1), `${(100 * equal).toFixed(2)} %`];
      rows.push([by, isCompressed ? 'gzip' : 'plain', own.toFixed(2), (megabytes / own).toFixed(0), ...others]);
    }
  }
  const header = ['by', 'files', 'seconds', 'MB/s', ...(python === undefined ? [] : ['Dolma', 'times', 'same spans'])];
  console.log(`${corpus.name}, ${texts.length} documents, ${megabytes.toFixed(0)} MB:\n\n${tableText(header, rows)}\n`);
}

function main() {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: join(tmpdir(), 'firstseen-near-real') },
      corpus: { type: 'string' },
      dolma: { type: 'string' },
      passages: { type: 'boolean' },
    },
  });
  const chosen = values.corpus === undefined ? corpora : [corpora[Number(values.corpus)]];
  for (const corpus of chosen) report(corpus, values);
}

main();
