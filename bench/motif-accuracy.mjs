// `npm run motifs`: the share of records that range motifs put into a wrong set or into none, by noise and clusters, with the rule of the
// paper and with the default, and the rate of both on one thread. Prints Markdown. The centres are random records, and each bit of a
// record is flipped with the same probability. The order is random.
//   --records N  records of each measurement, default 100,000
//   --seeds N    measurements of each row, each with its own clusters, order and hashes, default 5
//   --write      also writes the table into docs/MOTIFS.md

import { readFileSync, writeFileSync } from 'node:fs';
import { createMotifs, MotifTally } from 'firstseen/motifs';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { median } from '../tools/support/median.mjs';
import { generator } from '../tools/support/random.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/MOTIFS.md', import.meta.url);

const rows = [
  { recordBytes: 64, flips: 0, clusters: 4 },
  { recordBytes: 64, flips: 0.01, clusters: 4 },
  { recordBytes: 64, flips: 0.02, clusters: 2 },
  { recordBytes: 64, flips: 0.02, clusters: 4 },
  { recordBytes: 64, flips: 0.02, clusters: 8 },
  { recordBytes: 64, flips: 0.02, clusters: 15 },
  { recordBytes: 64, flips: 0.03, clusters: 4 },
  { recordBytes: 16, flips: 0.01, clusters: 4 },
  { recordBytes: 512, flips: 0.02, clusters: 4 },
  { recordBytes: 512, flips: 0.05, clusters: 4 },
];

const methods = [
  { name: 'threshold', optionsOf: () => ({ opening: 'threshold' }) },
  { name: 'default', optionsOf: () => ({}) },
  { name: 'with `--flips`', optionsOf: ({ flips }) => ({ flips }) },
];

/** Flips each bit with this probability: the distances between flipped bits are geometric. */
function flipBits(record, flips, next) {
  if (flips === 0) return;
  const gap = () => 1 + Math.floor(Math.log((next() + 1) / 2 ** 32) / Math.log1p(-flips));
  for (let bit = gap() - 1; bit < 8 * record.length; bit += gap()) record[bit >> 3] ^= 1 << (bit & 7);
}

function drawn({ recordBytes, flips, clusters }, count, seed) {
  const next = generator(seed);
  const centres = Array.from({ length: clusters }, () => Uint8Array.from({ length: recordBytes }, () => next() >>> 24));
  const records = new Uint8Array(count * recordBytes);
  const labels = Array.from({ length: count }, (_, i) => {
    const label = Math.floor((next() / 2 ** 32) * clusters);
    const record = records.subarray(i * recordBytes, (i + 1) * recordBytes);
    record.set(centres[label]);
    flipBits(record, flips, next);
    return String(label);
  });
  return { records, labels };
}

/** Wrong records, and records for each second of processor time. */
async function measure(options, { records, labels }) {
  const motifs = await createMotifs(options);
  const before = process.cpuUsage();
  const { sets } = motifs.observe(records);
  const { user, system } = process.cpuUsage(before);
  const tally = new MotifTally();
  sets.forEach((set, i) => void tally.add(labels[i], set));
  motifs.close();
  return { wrong: tally.errors().fnr, rate: labels.length / ((user + system) / 1e6), settings: motifs.settings };
}

function percent(share) {
  return `${Number((100 * share).toPrecision(2))}`;
}

async function cellsOf(row, { optionsOf }, { records, seeds }) {
  const found = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const { recordBytes, clusters } = row;
    const options = { recordBytes, sets: clusters, seed, ...optionsOf(row) };
    found.push(await measure(options, drawn(row, records, seed)));
  }
  const wrong = found.map((one) => one.wrong);
  const { hashes, threshold } = found[0].settings;
  const mean = wrong.reduce((sum, share) => sum + share, 0) / wrong.length;
  const rate = Math.round(median(found.map((one) => one.rate)) / 1000);
  return [`${percent(mean)} (${percent(Math.max(...wrong))})`, `k ${hashes}, t ${threshold}: ${rate}`];
}

const { values } = readArguments({
  options: {
    records: { type: 'string', default: '100000' },
    seeds: { type: 'string', default: '5' },
    write: { type: 'boolean' },
  },
});
const scale = { records: Number(values.records), seeds: Number(values.seeds) };
const lines = [];
for (const row of rows) {
  const cells = [];
  for (const method of methods) cells.push(...(await cellsOf(row, method, scale)));
  lines.push([String(row.recordBytes), `${percent(row.flips)} %`, String(row.clusters), ...cells]);
}
const columns = methods.flatMap(({ name }) => [`${name}: wrong, %`, 'thousand records/s']);
const text = tableText(['bytes', 'noise', 'clusters', ...columns], lines);
console.log(text);
if (values.write) {
  writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'motif-accuracy', text));
}
