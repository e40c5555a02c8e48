// Jobs on the real Spark have the output of one process: as a set, and sorted by position as bytes.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fetchHadoop, fetchSpark } from '../../tools/support/engines/fetch.mjs';
import { finished, startHdfs } from '../../tools/support/engines/hadoop.mjs';
import { dedup, localSpark, startSpark } from '../../tools/support/engines/spark.mjs';
import { firstseen } from '../../tools/support/paths.mjs';
import { generator } from '../../tools/support/random.mjs';
import { inOrder, objects, run } from './support/data.mjs';
import {
  detector,
  dialectJob,
  failing,
  folder,
  keys,
  oracle,
  root,
  skipsOf,
  write,
  writeInputs,
} from './support/setup.mjs';

const { python, missing } = fetchSpark();
const { libs, missing: noHdfs } = fetchHadoop();
const { always, inFull } = skipsOf(missing);
const withHdfs = inFull || skipsOf(noHdfs).inFull;

const speculative = {
  'spark.speculation': true,
  'spark.speculation.multiplier': 1.1,
  'spark.speculation.quantile': 0.5,
};

/** Files of more than one part. */
const smallParts = { 'spark.sql.files.maxPartitionBytes': 300_000, 'spark.sql.files.openCostInBytes': 1 };

function job(flags, args = [], { inputs = ['in'], output = 'out' } = {}) {
  return ['--output', output, ...args, ...inputs, '--', ...flags, '--keep-position'];
}

/** Runs a job and checks its output. */
async function checkJob(engine, { flags, args = [], inputs, output = 'out', expected, ...options }) {
  const words = job(flags, args, { inputs, output });
  const { code, log } = await engine.submit(words, { cwd: folder, conf: smallParts, ...options });
  assert.equal(code, 0, log.slice(-3000));
  const found = inOrder(join(folder, output));
  assert.ok(found.length > 0);
  assert.ok(found.equals(expected), 'the output is not that of one process');
}

/** Writes two blocks, and lets one process take them; its outputs are what is expected. */
function takenByOne(flags, [first, second]) {
  write('1', first);
  write('2', second);
  run([...flags, '--no-witness', '--state', 'one', '-o', 'first', 'in/1'], { cwd: folder });
  run([...flags, '--state', 'one', '-o', 'second', 'in/2'], { cwd: folder });
  const output = (name) => readFileSync(join(folder, name));
  return [
    { inputs: ['in/1'], output: 'out1', expected: output('first') },
    { inputs: ['in/2'], output: 'out2', expected: output('second') },
  ];
}

/** Two blocks of objects with keys in common. */
function writeBlocks(flags, count) {
  const block = (seed) => objects(count, { keys: (3 * count) / 4, seed, isText: true });
  return takenByOne(flags, [block(4), block(5)]);
}

/** Checks that the merged states of a block are the state of the one process. */
function checkMerged(states) {
  run(['merge', states, '-o', 'merged'], { cwd: folder });
  const [one, merged] = ['one', 'merged'].map((state) =>
    JSON.parse(run(['inspect', '--json', state], { cwd: folder })),
  );
  assert.deepEqual([merged.observed, merged.duplicates, merged.load], [one.observed, one.duplicates, one.load]);
}

/** A command that kills the first task of a phase, or makes it slow. */
function failingOnce(phase, how = 'self') {
  const first = join(folder, 'first');
  return {
    args: ['--firstseen', `sh ${failing} ${phase} ${how} ${process.execPath} ${firstseen}`],
    env: { FIRSTSEEN_FIRST: first },
    /** Removes the folder, which shows that there was such a task. */
    check: () => rmSync(`${first}.${phase}`, { recursive: true }),
  };
}

/** Writes a Parquet file of several row groups from objects with the members id and n. */
async function writeParquet(name, count, { keys: different, seed }) {
  const text = objects(count, { keys: different, seed, isText: true });
  const lines = text
    .toString()
    .split('\n')
    .filter((line) => line.includes('"n"'));
  write(`../${name}.json`, `${lines.join('\n')}\n`);
  const program = [
    'import sys, pyarrow.json as j, pyarrow.parquet as p',
    'p.write_table(j.read_json(sys.argv[1]), sys.argv[2], row_group_size=5000)',
  ].join('\n');
  const { code, log } = await finished(python, ['-c', program, `${name}.json`, `in/${name}`], { cwd: folder });
  assert.equal(code, 0, log);
}

describe('Spark in one process', () => {
  const engine = () => localSpark(python);

  for (const [reducers, algorithm] of [
    [1, 'exact'],
    [2, 'qht'],
    [5, 'rlbsbf'],
  ]) {
    test(`${algorithm}, ${reducers} reducers`, { skip: inFull }, async () => {
      const names = writeInputs(20_000, { isText: true });
      const flags = [...detector(algorithm, 16), ...keys];
      await checkJob(engine(), { flags, args: ['--reducers', String(reducers)], expected: oracle(flags, names) });
    });
  }

  test('csv with another delimiter, an escape and no quotes', { skip: inFull }, async () => {
    const { flags, expected } = dialectJob();
    await checkJob(engine(), { flags, expected });
  });

  test('partitions without elements', { skip: inFull }, async () => {
    write('few', Buffer.from('a\nb\na\n'.repeat(100)));
    const flags = [...detector('qht', 64), '--format', 'lines'];
    await checkJob(engine(), { flags, args: ['--reducers', '5'], expected: oracle(flags, ['few']) });
  });

  test('files that are empty, and names that look like patterns', { skip: inFull }, async () => {
    const names = ['a*', 'b[1]', 'b{2},c?', 'd \\e%20'];
    for (const name of names) write(name, `${name}\nshared\n`);
    write('ab', '');
    write('.hidden', 'hidden\n');
    const flags = [...detector('exact', 4), '--format', 'lines'];
    await checkJob(engine(), { flags, expected: oracle(flags, names) });
  });

  test('only empty files', { skip: inFull }, async () => {
    write('empty', '');
    const { code, log } = await engine().submit(job([...detector('qht', 4), ...keys]), { cwd: folder });
    assert.equal(code, 0, log.slice(-3000));
    assert.equal(inOrder(join(folder, 'out')).length, 0);
  });

  test('no reduce task is refused, because all records would be lost', { skip: always }, async () => {
    write('few', 'a\n');
    const flags = [...detector('qht', 4), '--format', 'lines'];
    const { code, log } = await engine().submit(job(flags, ['--reducers', '0']), { cwd: folder });
    assert.equal(code, 1);
    assert.match(log, /--reducers is 0; give a whole number from 1/);
  });

  test('Parquet by column', { skip: inFull }, async () => {
    await writeParquet('a.parquet', 20_000, { keys: 8000, seed: 8 });
    await writeParquet('b.parquet', 30_000, { keys: 20_000, seed: 9 });
    const flags = [...detector('qht', 16), '-k', 'id'];
    const args = ['--parquet', '--reducers', '2'];
    const expected = oracle(flags, ['a.parquet', 'b.parquet']);
    await checkJob(engine(), { flags: [...flags, '--format', 'ndjson'], args, expected });
  });

  for (const phase of ['map', 'reduce']) {
    test(`a ${phase} task is killed in the middle`, { skip: inFull }, async () => {
      const names = writeInputs(20_000, { isText: true });
      const flags = [...detector('qht', 16), ...keys];
      const { check, env, args } = failingOnce(phase);
      const job = { flags, args: ['--reducers', '2', ...args], expected: oracle(flags, names), env };
      await checkJob(engine(), job);
      check();
    });
  }

  test('two blocks in a row, the second of which is not taken twice', { skip: always }, async () => {
    const flags = [...detector('qht', 16), ...keys];
    const args = ['--reducers', '3', '--states', 'states'];
    const { check, env, args: failingArgs } = failingOnce('reduce');
    const [first, second] = writeBlocks(flags, 40_000);
    await checkJob(engine(), { ...first, flags, args });
    await checkJob(engine(), { ...second, flags, args: [...args, ...failingArgs], env });
    check();
    assert.deepEqual(readdirSync(join(folder, 'states')).sort(), ['000001', '000002']);
    checkMerged('states/000002');
    const again = await engine().submit(job(flags, args, { inputs: ['in/2'], output: 'again' }), { cwd: folder });
    assert.equal(again.code, 1);
    assert.match(again.log, /has taken file:.*\/in\/2 already, in block 000002; give other inputs, or --again/);
    assert.deepEqual(readdirSync(folder).includes('again'), false);
  });

  test('a failed job leaves the states as they were, and can be run again', { skip: inFull }, async () => {
    const names = writeInputs(20_000, { isText: true });
    const flags = [...detector('qht', 16), ...keys];
    const args = ['--reducers', '2', '--states', 'states'];
    const { check, env, args: failingArgs } = failingOnce('reduce');
    const once = localSpark(python, { attempts: 1 });
    const words = job(flags, [...args, ...failingArgs], { output: 'failed' });
    const failed = await once.submit(words, { cwd: folder, conf: smallParts, env });
    assert.notEqual(failed.code, 0);
    check();
    assert.deepEqual(readdirSync(join(folder, 'states')), ['000000']);
    await checkJob(engine(), { args, flags, expected: oracle(flags, names) });
  });

  test('partitions without elements, and tasks without partitions, have states', { skip: inFull }, async () => {
    write('few', Buffer.from('a\nb\na\n'.repeat(100)));
    const flags = [...detector('qht', 4), '--format', 'lines'];
    await checkJob(engine(), {
      args: ['--reducers', '6', '--states', 'states'],
      flags,
      expected: oracle(flags, ['few']),
    });
    run(['merge', 'states/000001', '-o', 'merged'], { cwd: folder });
    assert.equal(run(['in/few', '--state', 'merged'], { cwd: folder }).length, 0);
  });

  test('a window that is a duration, by the times of records, in two blocks', { skip: inFull }, async () => {
    const flags = [...detector('apbf', 8), ...keys, '--window', '20m', '--time-key', 't'];
    const random = generator(11);
    const timed = (from) =>
      Array.from({ length: 4000 }, (_, i) => `{"id":${random() % 1500},"t":${from + Math.floor(i / 2)}}\n`).join('');
    const blocks = takenByOne(flags, [timed(1_700_000_000), timed(1_700_002_000)]);
    for (const block of blocks) await checkJob(engine(), { ...block, flags, args: ['--states', 'states'] });
    checkMerged('states/000002');
  });

  test('records with carriage returns', { skip: inFull }, async () => {
    write('crlf', 'a\r\nb\rc\r\na\r\na\nb\r\nb\rc\r\n');
    const flags = [...detector('qht', 4), '--format', 'lines'];
    await checkJob(engine(), { flags, expected: oracle(flags, ['crlf']) });
  });

  test('flags that do not fit are refused before Spark starts', { skip: always }, async () => {
    write('few', 'a\n');
    for (const [args, flags, message] of [
      [[], [...detector('nonsense', 8), ...keys], /nonsense/],
      [[], [...keys, '--missing-key', 'never'], /missing-key/],
      [[], detector('qht', 8), /--format is missing/],
      [['--parquet'], [...detector('qht', 8), '--format', 'csv'], /give --format ndjson with --parquet/],
      [['--nonsense'], keys, /nonsense/],
    ]) {
      const { code, log } = await engine().submit(job(flags, args), { cwd: folder });
      assert.equal(code, 1);
      assert.match(log, message);
      assert.doesNotMatch(log, /Traceback|Spark/);
    }
  });

  test('without the sort, a job fails', { skip: inFull }, async () => {
    writeInputs(20_000, { isText: true });
    const program = join(folder, 'unsorted.py');
    const sorting = 'repartitionAndSortWithinPartitions(reducers, lambda key: int(key[:PARTITION_END]))';
    const text = readFileSync(dedup, 'utf8');
    assert.ok(text.includes(sorting));
    const unsorted = 'partitionBy(reducers, lambda key: int(key[:PARTITION_END]))';
    const ownFolder = 'os.path.dirname(os.path.abspath(__file__))';
    writeFileSync(program, text.replace(sorting, unsorted).replace(ownFolder, JSON.stringify(dirname(dedup))));
    const flags = [...detector('qht', 16), ...keys];
    const { code, log } = await engine().submit(job(flags, ['--firstseen', `${process.execPath} ${firstseen}`]), {
      cwd: folder,
      conf: smallParts,
      program,
    });
    assert.notEqual(code, 0);
    assert.match(log, /\[E_ORDER\]/);
  });

  test('a record that is not UTF-8 ends the job', { skip: inFull }, async () => {
    write('bytes', Buffer.from([0x61, 0xff, 0x0a]));
    const { code, log } = await engine().submit(job([...detector('qht', 4), '--format', 'lines']), { cwd: folder });
    assert.notEqual(code, 0);
    assert.match(log, /UnicodeDecodeError/);
  });
});

describe('Spark as a standalone cluster', () => {
  let cluster;
  before(async () => {
    if (inFull) return;
    cluster = await startSpark(python, join(root, 'work'));
  });
  after(() => cluster?.stop());

  test('text, two reducers', { skip: inFull }, async () => {
    const names = writeInputs(20_000, { isText: true });
    const flags = [...detector('bloom', 16), ...keys];
    await checkJob(cluster, { flags, args: ['--reducers', '2'], expected: oracle(flags, names) });
  });

  test('a reduce task is killed in the middle', { skip: inFull }, async () => {
    const names = writeInputs(20_000, { isText: true });
    const flags = [...detector('qht', 16), ...keys];
    const { check, env, args } = failingOnce('reduce');
    await checkJob(cluster, { flags, args: ['--reducers', '5', ...args], expected: oracle(flags, names), env });
    check();
  });

  test('two blocks: a map task and a reduce task are killed in the middle', { skip: inFull }, async () => {
    const flags = [...detector('qht', 8), ...keys];
    const blocks = writeBlocks(flags, 40_000);
    for (const [index, phase] of ['map', 'reduce'].entries()) {
      const { check, env, args } = failingOnce(phase);
      const states = ['--reducers', '2', '--states', 'states'];
      await checkJob(cluster, { ...blocks[index], flags, args: [...states, ...args], env });
      check();
    }
    checkMerged('states/000002');
  });

  test('speculative execution of a reduce task with states', { skip: inFull }, async () => {
    const flags = [...detector('qht', 8), ...keys];
    const blocks = writeBlocks(flags, 80_000);
    const states = ['--reducers', '3', '--states', 'states'];
    await checkJob(cluster, { ...blocks[0], flags, args: states });
    const { check, env, args } = failingOnce('reduce', 'slow');
    const conf = { ...smallParts, ...speculative };
    await checkJob(cluster, { ...blocks[1], flags, args: [...states, ...args], conf, env });
    assert.ok(!existsSync(join(folder, 'first.reduce/slow')), 'the job waited for the slow attempt');
    check();
    checkMerged('states/000002');
  });
});

describe('Spark with HDFS', () => {
  let storage;
  before(async () => {
    if (withHdfs) return;
    const place = join(root, 'hdfs');
    mkdirSync(place);
    storage = await startHdfs({ libs, folder: place });
  });
  after(() => storage?.stop());

  test('two blocks with inputs, outputs and states in HDFS: a reduce task is killed', { skip: withHdfs }, async () => {
    const flags = [...detector('rlbsbf', 16), ...keys];
    const blocks = writeBlocks(flags, 40_000);
    const { fs, fsCommand, hdfs } = storage;
    assert.equal((await fs('-put', join(folder, 'in'), `${hdfs}/in`)).code, 0);
    const states = ['--reducers', '3', '--states', `${hdfs}/states/`, '--fs', fsCommand];
    const submit = (name, output, { args = [], env } = {}) => {
      const words = job(flags, [...states, ...args], { inputs: [`${hdfs}/in/${name}`], output: `${hdfs}/${output}` });
      return localSpark(python).submit(words, { cwd: folder, conf: smallParts, env });
    };
    const { check, ...failingReduce } = failingOnce('reduce');
    for (const [name, { output, expected }, how] of [
      ['1', blocks[0], {}],
      ['2', blocks[1], failingReduce],
    ]) {
      const { code, log } = await submit(name, output, how);
      assert.equal(code, 0, log.slice(-3000));
      assert.equal((await fs('-get', `${hdfs}/${output}`, join(folder, output))).code, 0);
      assert.ok(inOrder(join(folder, output)).equals(expected), 'the output is not that of one process');
    }
    check();
    const again = await submit('2', 'again');
    assert.match(again.log, /has taken hdfs:.*\/in\/2 already, in block 000002/);
    assert.equal((await fs('-get', `${hdfs}/states`, join(folder, 'states'))).code, 0);
    assert.deepEqual(readdirSync(join(folder, 'states')).sort(), ['000001', '000002']);
    checkMerged('states/000002');
  });
});
