// `npm run bench:engines`: what deduplication costs on engines, against one process. Prints tables; --write writes them into
// docs/SCALE.md. --records N is the length of the stream (default: 1,000,000), --rounds N of how many runs the median is (default: 3).

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../../tools/arguments.mjs';
import { replaceBetween } from '../../tools/markers.mjs';
import { fetchHadoop, fetchSpark } from '../../tools/support/engines/fetch.mjs';
import { counter, localStreaming } from '../../tools/support/engines/hadoop.mjs';
import { dedup, sparkEnvironment } from '../../tools/support/engines/spark.mjs';
import { firstseen, repository } from '../../tools/support/paths.mjs';
import { generator } from '../../tools/support/random.mjs';
import { describeMachine, machineText } from '../lib/machine.mjs';
import { tableText } from '../lib/table.mjs';
import { clusterSeconds, costsOf, fullestElements, processorSeconds } from './model.mjs';

const { values: options } = readArguments({
  options: {
    records: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const most = Number(options.records);
const page = join(repository, 'docs/SCALE.md');
const folder = mkdtempSync(join(tmpdir(), 'firstseen-bench-'));
const RECENT = 10_000;

/**
 * Writes objects of about 100 bytes. Half have a new key, a quarter one of the last 10,000 keys, a quarter any key before.
 * @returns how many elements the key of an element has on average
 */
function writeStream(path, count) {
  const random = generator(1);
  const next = () => random();
  const file = openSync(path, 'w');
  const elementsOf = new Uint32Array(count + 1);
  let distinct = 1;
  for (let from = 0; from < count; from += 1000) {
    let text = '';
    for (let i = from; i < from + 1000; i++) {
      const kind = next() % 4;
      const span = kind === 2 ? Math.min(RECENT, distinct) : distinct;
      const key = kind < 2 ? distinct++ : distinct - 1 - (next() % span);
      elementsOf[key]++;
      text += `{"id":"user-${key}","time":${1700000000000 + i},"page":"/articles/${next() % 100000}","agent":"example"}\n`;
    }
    writeSync(file, text);
  }
  closeSync(file);
  return elementsOf.reduce((sum, elements) => sum + elements ** 2, 0) / count;
}

const median = (numbersOf) => numbersOf.toSorted((a, b) => a - b)[Math.floor(numbersOf.length / 2)];

/** Medians over the rounds of a shell command: seconds, and seconds of the processor, of it and of its children. */
function measured(command, { env = {}, before = () => {} } = {}) {
  const runs = Array.from({ length: rounds }, () => {
    before();
    const script = `TIMEFORMAT='%R %U %S'; time { ${command}; }`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { ...process.env, ...env },
    });
    const log = `${stdout}${stderr}`;
    if (status !== 0) throw new Error(`${command}: ${log.slice(-2000)}`);
    // A progress bar may be on the same line.
    const [wall, user, system] = /([0-9.]+) ([0-9.]+) ([0-9.]+)\s*$/.exec(stderr).slice(1).map(Number);
    return { wall, processor: user + system, log };
  });
  return {
    wall: median(runs.map(({ wall }) => wall)),
    processor: median(runs.map(({ processor }) => processor)),
    log: runs[0].log,
  };
}

const command = `node ${firstseen}`;
const out = () => rmSync(join(folder, 'out'), { recursive: true, force: true });
const flagsFor = (partitions, algorithm = 'qht') =>
  `-a ${algorithm} -m 64MiB --partitions ${partitions} --format ndjson -k id`;
const thousands = (number) => Math.round(number).toLocaleString('en-US');
const decimals = (number) => number.toFixed(2);

function oneProcess(input, partitions) {
  return measured(`${command} ${flagsFor(partitions)} --no-witness ${input} > one.out`);
}

/** The elements of the fullest partition, with the mean and what the model says. */
function skew(input, records, elementsOfKey) {
  return [16, 256, 4096].map((partitions) => {
    const { log } = measured(`${command} ${flagsFor(partitions)} --no-witness --stats=json ${input} > one.out`);
    const { fullest, emptiest } = JSON.parse(/^\{.*\}$/m.exec(log)[0]).partitions;
    const mean = records / partitions;
    return [partitions, mean, emptiest.observed, fullest.observed, fullestElements(mean, elementsOfKey)].map(thousands);
  });
}

/** The cost of each phase alone. */
function phases(input) {
  const map = measured(`${command} map ${flagsFor(16)} ${input} > elements`);
  measured('LC_ALL=C sort elements > sorted');
  const combine = measured(`${command} combine -a exact < sorted > combined`);
  const reduce = measured(`${command} reduce ${flagsFor(16)} < sorted > reduced`);
  return { map, combine, reduce };
}

let streaming = '';

function hadoop(input, { partitions = 16, reducers = 2, algorithm = 'qht', combines = false } = {}) {
  const more = `--reducers ${reducers} ${combines ? '--combine' : ''} --streaming "$STREAMING" --output out ${input}`;
  const submit = `${join(repository, 'engines/hadoop/run')} ${more} -- ${flagsFor(partitions, algorithm)}`;
  return measured(submit, { before: out, env: { STREAMING: streaming } });
}

function spark(input, python) {
  const job = `${python} ${dedup} --output out --reducers 2 ${input} -- ${flagsFor(16)}`;
  return measured(job, { before: out, env: sparkEnvironment(python, 'local[2]') });
}

const row = (name, records, { wall, processor }) => [
  name,
  thousands(records),
  decimals(wall),
  thousands(records / wall),
  processor === undefined ? '' : decimals((processor / records) * 1e6),
];
const header = ['', 'records', 'seconds', 'records per second', 'processor seconds per million'];

try {
  const few = most / 10;
  const elementsOfKey = writeStream(join(folder, 'most'), most);
  writeStream(join(folder, 'few'), few);
  mkdirSync(join(folder, 'tmp'));
  const { libs, missing } = fetchHadoop();
  const { python, missing: noSpark } = fetchSpark();
  if (missing || noSpark) throw new Error(missing ?? noSpark);
  streaming = localStreaming({ libs, folder });
  const { map, combine, reduce } = phases('most');
  const jobs = { few: hadoop('few'), most: hadoop('most') };
  const rows = [row('one process', few, oneProcess('few', 16)), row('one process', most, oneProcess('most', 16))];
  rows.push(row('map alone', most, map), row('combine alone', most, combine), row('reduce alone', most, reduce));
  rows.push(row('Hadoop', few, jobs.few), row('Hadoop', most, jobs.most));
  // The processes of Spark outlive the program that is measured, so their processor time is not known.
  for (const [input, records] of Object.entries({ few, most })) {
    rows.push(row('Spark', records, { wall: spark(input, python).wall }));
  }
  const costs = costsOf(
    Object.fromEntries(
      Object.entries({ ...jobs, map, combine, reduce }).map(([name, { processor }]) => [name, processor]),
    ),
    { fewRecords: few, maxRecords: most },
  );
  const byPartitions = [1, 4, 16].map((partitions) => {
    const [alone, job] = [oneProcess('most', partitions), hadoop('most', { partitions })];
    const seconds = [alone.wall, alone.processor, job.wall, job.processor, processorSeconds(costs, most, 1)];
    return [String(partitions), ...seconds.map(decimals)];
  });
  let bytesPerRecord = 0;
  const shuffled = [false, true].map((combines) => {
    const { log, wall, processor } = hadoop('most', { algorithm: 'bloom', combines });
    const elements = counter(log, 'Reduce input records');
    const bytes = counter(log, 'Reduce shuffle bytes');
    if (!combines) bytesPerRecord = bytes / most;
    const seconds = [wall, processor, processorSeconds(costs, most, elements / most)];
    const name = combines ? 'with combine' : 'without';
    return [name, thousands(elements), thousands(bytes), decimals(bytes / most), ...seconds.map(decimals)];
  });
  const clusters = [100, 1000].map((nodes) => {
    const seconds = Object.values(clusterSeconds(costs, { nodes, bytesPerRecord, elementsOfKey }));
    return [thousands(nodes), ...seconds.map((value) => (value < 1 ? value.toPrecision(1) : thousands(value)))];
  });
  const text = [
    `${machineText(describeMachine())}. The stream has ${thousands(statSync(join(folder, 'most')).size / most)} bytes a record. Medians of ${rounds} runs, with other work on the machine.`,
    '',
    tableText(header, rows),
    '',
    tableText(
      ['partitions', 'one process: seconds', 'of the processor', 'Hadoop: seconds', 'of the processor', 'model'],
      byPartitions,
    ),
    '',
    tableText(
      [
        'Hadoop, bloom',
        'elements shuffled',
        'bytes shuffled',
        'bytes per record',
        'seconds',
        'of the processor',
        'model',
      ],
      shuffled,
    ),
    '',
    tableText(
      ['partitions', 'elements of each, mean', 'of the emptiest', 'of the fullest', 'model of the fullest'],
      skew('most', most, elementsOfKey),
    ),
    '',
  ].join('\n');
  const modelled = tableText(['nodes', 'map', 'network', 'reduce', 'key of 1 in 10,000', 'states'], clusters);
  console.log(`${text}\nModel, seconds of each phase:\n\n${modelled}`);
  if (options.write) {
    const filled = replaceBetween(readFileSync(page, 'utf8'), 'measured', `\n${text}`);
    writeFileSync(page, replaceBetween(filled, 'model', `\n${modelled}\n`));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
