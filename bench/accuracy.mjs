// `npm run accuracy -- FILE...`: the command's verdicts for files of lines, gzip or plain, compared with an exact set
// of the same lines, for every family, in both layouts, at the default memory and at a small memory. Prints Markdown.
//   --write   also writes it into docs/ALGORITHMS.md

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { families } from 'firstseen/plan';
import { readArguments } from '../tools/arguments.mjs';
import { replaceBetween } from '../tools/markers.mjs';
import { firstseen } from './lib/commands.mjs';
import { minErrorSum, wilsonInterval } from './lib/rates.mjs';
import { readStored } from './lib/storedfile.mjs';
import { tableText } from './lib/table.mjs';

const documentUrl = new URL('../docs/ALGORITHMS.md', import.meta.url);
const DEFAULT_MEMORY_BYTES = 64 * 2 ** 20;
const MIN_MEMORY_BYTES = 1024;
/** Maximum size of the verdicts of a file, which are read at once. */
const MAX_VERDICT_BYTES = 2 ** 30;

/** The lines of a file, with one character per byte. */
function readLines(path) {
  const lines = readStored(path).toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** For each line, whether it occurred before. */
function exactVerdicts(lines) {
  const seen = new Set();
  return lines.map((line) => {
    const isDuplicate = seen.has(line);
    seen.add(line);
    return isDuplicate;
  });
}

/** The command's verdicts, or undefined if it stops because its memory is full. */
function commandVerdicts(path, { algorithm, layout, memoryBytes }) {
  const flags = ['--format', 'lines', '--emit', 'verdicts'];
  const { command, args } = firstseen(
    ...['--algorithm', algorithm, '--layout', layout, '--memory', String(memoryBytes)],
    ...flags,
    path,
  );
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: MAX_VERDICT_BYTES });
  if (stderr.includes('E_FULL')) return undefined;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((word) => word === 'duplicate');
}

function countErrors(truths, verdicts) {
  if (verdicts.length !== truths.length) {
    throw new Error(`${verdicts.length} verdicts were given for ${truths.length} records`);
  }
  const errors = { falsePositives: 0, falseNegatives: 0 };
  truths.forEach((isDuplicate, i) => {
    if (verdicts[i] && !isDuplicate) errors.falsePositives++;
    if (!verdicts[i] && isDuplicate) errors.falseNegatives++;
  });
  return errors;
}

const percent = (rate) => (rate * 100).toFixed(rate !== 0 && rate < 0.001 ? 3 : 2);

function rateText(events, trials) {
  const { low, high } = wilsonInterval(events, trials);
  return `${percent(events / trials)} (${percent(low)} to ${percent(high)})`;
}

function rowOf(path, truths, { distinct, duplicates }, detector) {
  const verdicts = commandVerdicts(path, detector);
  const name = [detector.algorithm, detector.layout];
  if (!verdicts) return [...name, '', 'memory full', '', 'memory full'];
  const { falsePositives, falseNegatives } = countErrors(truths, verdicts);
  return [
    ...name,
    String(falsePositives),
    rateText(falsePositives, distinct),
    String(falseNegatives),
    rateText(falseNegatives, duplicates),
  ];
}

/** About one byte per distinct element, so that every family makes errors. */
function smallMemoryBytes(distinct) {
  return Math.max(MIN_MEMORY_BYTES, 2 ** Math.floor(Math.log2(distinct)));
}

function memoryText(memoryBytes) {
  return memoryBytes < 2 ** 20 ? `${memoryBytes / 2 ** 10} KiB` : `${memoryBytes / 2 ** 20} MiB`;
}

/** The title of a table: the memory, and if it is small, the lower bound of the errors of any structure. */
function memoryTitle(memoryBytes, distinct) {
  const bits = (memoryBytes * 8) / distinct;
  const least = minErrorSum(bits);
  if (least < 1e-6) return `In ${memoryText(memoryBytes)}:`;
  return (
    `In ${memoryText(memoryBytes)}, ${bits.toFixed(1)} bits for each distinct line; any structure that remembers all of ` +
    `them equally well has FPR + FNR of at least ${percent(least)} %:`
  );
}

/** Other tools can count a different number of distinct lines if only some lines end in CRLF. */
function carriageReturnText(lines) {
  const count = lines.filter((line) => line.endsWith('\r')).length;
  if (count === 0) return [];
  const distinct = new Set(lines.map((line) => line.replace(/\r$/, ''))).size;
  return [
    `${count} of the lines end in a carriage return, which counts like any other byte; without it ${distinct} are distinct.`,
  ];
}

function fileText(path) {
  const lines = readLines(path);
  const truths = exactVerdicts(lines);
  const duplicates = truths.filter(Boolean).length;
  const counts = { distinct: truths.length - duplicates, duplicates };
  const detectors = families.flatMap(({ name, layouts }) => layouts.map((layout) => ({ algorithm: name, layout })));
  const header = ['algorithm', 'layout', 'false positives', 'FPR in % (95 %)', 'false negatives', 'FNR in % (95 %)'];
  const tables = [DEFAULT_MEMORY_BYTES, smallMemoryBytes(counts.distinct)].map((memoryBytes) => {
    const rows = detectors.map((detector) => rowOf(path, truths, counts, { ...detector, memoryBytes }));
    return `${memoryTitle(memoryBytes, counts.distinct)}\n\n${tableText(header, rows)}`;
  });
  const title = `### ${basename(path)}: ${truths.length} records, ${counts.distinct} distinct, ${duplicates} duplicates`;
  return [title, ...carriageReturnText(lines), ...tables].join('\n\n');
}

const { values, positionals } = readArguments({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (positionals.length === 0) throw new Error('no files were given; name files of lines, such as access.log.gz');
const names = positionals.map((path) => basename(path)).join(' ');
const text = [...positionals.map(fileText), `Printed by \`npm run accuracy -- ${names}\`.`].join('\n\n');
console.log(text);
if (values.write) writeFileSync(documentUrl, replaceBetween(readFileSync(documentUrl, 'utf8'), 'accuracy', text));
