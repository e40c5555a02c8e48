// Jobs on the real Hadoop Streaming have the output of one process: as a set, and sorted by position as bytes.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fetchHadoop } from '../../tools/support/engines/fetch.mjs';
import { counter, localHadoop, startCluster } from '../../tools/support/engines/hadoop.mjs';
import { firstseen } from '../../tools/support/paths.mjs';
import { inOrder, linesOf, objects, run } from './support/data.mjs';
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

const { libs, missing } = fetchHadoop();
const { always, inFull } = skipsOf(missing);

const position = '--keep-position';

const defined = (properties) => Object.entries(properties).flatMap(([name, value]) => ['-D', `${name}=${value}`]);

const byPartitionOnly = defined({
  'mapreduce.job.output.key.comparator.class': 'org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator',
  'mapreduce.partition.keycomparator.options': '-k1,1',
});

const speculative = defined({
  'mapreduce.map.speculative': true,
  'mapreduce.job.speculative.minimum-allowed-tasks': 1,
  'mapreduce.job.speculative.speculative-cap-running-tasks': 1,
  'mapreduce.job.speculative.speculative-cap-total-tasks': 1,
  'mapreduce.job.speculative.slowtaskthreshold': 0.1,
});

/** The outputs of all reduce tasks, one after the other. */
function outputs(name) {
  const output = join(folder, name);
  const parts = readdirSync(output).filter((part) => part.startsWith('part-'));
  return Buffer.concat(parts.sort().map((part) => readFileSync(join(output, part))));
}

/** What one reduce task writes for all partitions, one after the other. */
function byPartition(flags, names) {
  const paths = names.map((name) => join('in', name));
  writeFileSync(join(folder, 'order'), paths.map((path) => `${path}\n`).join(''));
  const elements = paths.map((path) => run(['map', ...flags, '--input-order', 'order', path], { cwd: folder }));
  const input = Buffer.concat(linesOf(Buffer.concat(elements)).sort(Buffer.compare));
  return run(['reduce', ...flags, position], { cwd: folder, input });
}

/** The records with keys, in their order. The partition of the others follows from their position, which splits change. */
function keyedRecords(bytes) {
  const lines = linesOf(bytes).filter((line) => line.includes('"n"'));
  return Buffer.concat(lines.map((line) => line.subarray(line.indexOf('\t') + 1)));
}

/** Submits a job and checks its output. */
async function checkJob(engine, { args = [], inputs = ['in'], flags, expected, output = 'out' }) {
  const job = await engine.submit([...args, '--output', output, ...inputs], [...flags, position], { cwd: folder });
  assert.equal(job.code, 0, job.log.slice(-3000));
  const found = inOrder(join(folder, output));
  assert.ok(found.length > 0);
  assert.ok(found.equals(expected), 'the output is not that of one process');
  return job.log;
}

describe('Hadoop in one process', () => {
  const engine = () => localHadoop({ libs, folder: root });

  for (const [reducers, algorithm, combines] of [
    [1, 'qht', false],
    [2, 'bloom', true],
    [5, 'exact', true],
    [5, 'rlbsbf', false],
    [2, 'sbf', false],
    [1, 'exact', true],
  ]) {
    test(`${algorithm}, ${reducers} reducers${combines ? ', combine' : ''}`, { skip: inFull }, async () => {
      const names = writeInputs();
      const flags = [...detector(algorithm, 16), ...keys];
      const args = ['--reducers', String(reducers), ...(combines ? ['--combine'] : [])];
      const log = await checkJob(engine(), { args, flags, expected: oracle(flags, names) });
      assert.equal(counter(log, 'combine dropped') > 0, combines);
      assert.equal(counter(log, 'map records') > 79_000, true);
      assert.ok(counter(log, 'Merged Map outputs') > reducers * names.length, 'no file has several splits');
      const [found, expected] = [outputs('out'), byPartition(flags, names)].map(keyedRecords);
      assert.ok(found.equals(expected), 'the outputs are not in the order of the partitions');
    });
  }

  test('sqf, combine: the pipeline of dutta-2013, 5.3', { skip: inFull }, async () => {
    const names = writeInputs();
    const flags = [...detector('sqf', 16), ...keys];
    const args = ['--reducers', '2', '--combine', '--output', 'out', 'in'];
    const refused = await engine().submit(args, flags, { cwd: folder });
    assert.match(refused.log, /allow other answers with --approximate/);
    const { code, log } = await engine().submit(args, [...flags, '--approximate'], { cwd: folder });
    assert.equal(code, 0, log.slice(-3000));
    assert.ok(counter(log, 'combine dropped') > 0);
    const keysOf = (bytes) => new Set([...bytes.toString('latin1').matchAll(/"id":([0-9]+)/g)].map(([, key]) => key));
    const [found, all] = [
      outputs('out'),
      run([...detector('exact', 1), ...keys, ...names.map((name) => `in/${name}`)], { cwd: folder }),
    ].map(keysOf);
    // The detector is larger than the stream, so only false positives lose keys: fewer than 1 in 100 in this memory.
    assert.ok(found.size > 0.99 * all.size, `${found.size} of ${all.size} keys`);
  });

  test('records without tabs and without positions, as a set', { skip: inFull }, async () => {
    write('lines', objects(20_000, { keys: 9000, seed: 7 }).toString('latin1').replaceAll('\t', ' '));
    const flags = [...detector('bloom', 16), '--format', 'lines'];
    const args = ['--reducers', '2', '--combine', '--output', 'out', 'in'];
    const job = await engine().submit(args, flags, { cwd: folder });
    assert.equal(job.code, 0, job.log.slice(-3000));
    const parts = ['part-00000', 'part-00001'].map((name) => readFileSync(join(folder, 'out', name), 'latin1'));
    const asSet = (text) => text.split('\n').sort();
    assert.deepEqual(asSet(parts.join('')), asSet(oracle(flags, ['lines']).toString('latin1')));
  });

  test('csv with another delimiter, an escape and no quotes', { skip: inFull }, async () => {
    const { flags, expected } = dialectJob();
    await checkJob(engine(), { flags, expected });
  });

  test('partitions without elements, and reducers without partitions', { skip: inFull }, async () => {
    write('few', Buffer.from('a\nb\na\n'.repeat(100)));
    const flags = [...detector('qht', 64), '--format', 'lines'];
    const args = ['--reducers', '5', '--states', 'states'];
    await checkJob(engine(), { args, flags, expected: oracle(flags, ['few']) });
    const pieces = readdirSync(join(folder, 'states/000001')).filter((name) => name.endsWith('.partition'));
    assert.equal(pieces.length, 64);
    run(['merge', 'states/000001', '-o', 'merged'], { cwd: folder });
    assert.equal(run(['in/few', '--state', 'merged'], { cwd: folder }).length, 0);
  });

  test('one partition', { skip: inFull }, async () => {
    const names = writeInputs(5000);
    const flags = [...detector('qht', 1), ...keys];
    await checkJob(engine(), { args: ['--states', 'states'], flags, expected: oracle(flags, names) });
    assert.deepEqual(readdirSync(join(folder, 'states/000001')).sort(), ['0-of-1.partition', 'block.json']);
  });

  test('two blocks in a row, the second of which is not taken twice', { skip: always }, async () => {
    write('1', objects(20_000, { keys: 15_000, seed: 4 }));
    write('2', objects(20_000, { keys: 15_000, seed: 5 }));
    const flags = [...detector('qht', 8), ...keys];
    const args = ['--reducers', '2', '--states', 'states'];
    run([...flags, '--no-witness', '--state', 'one', '-o', 'first', 'in/1'], { cwd: folder });
    run([...flags, '--state', 'one', '-o', 'second', 'in/2'], { cwd: folder });
    for (const [name, expected] of [
      ['1', 'first'],
      ['2', 'second'],
    ]) {
      const block = { args, inputs: [`in/${name}`], flags, output: `out${name}` };
      await checkJob(engine(), { ...block, expected: readFileSync(join(folder, expected)) });
    }
    assert.deepEqual(readdirSync(join(folder, 'states')).sort(), ['000001', '000002']);
    const again = await engine().submit([...args, '--output', 'again', 'in/2'], flags, { cwd: folder });
    assert.equal(again.code, 1);
    assert.match(again.log, /has taken file:.*\/in\/2 already, in block 000002; give other inputs, or --again/);
    run(['merge', 'states/000002', '-o', 'merged'], { cwd: folder });
    write('3', objects(20_000, { keys: 30_000, seed: 6 }));
    const [one, merged] = ['one', 'merged'].map((state) => run([...flags, '--state', state, 'in/3'], { cwd: folder }));
    assert.ok(merged.equals(one));
  });

  test('a failed job leaves the states as they were, and can be run again', { skip: inFull }, async () => {
    const names = writeInputs(10_000);
    const flags = [...detector('qht', 8), ...keys];
    const args = ['--reducers', '2', '--states', 'states'];
    const command = `sh ${failing} reduce self ${process.execPath} ${firstseen}`;
    const failed = await engine().submit([...args, '--firstseen', command, '--output', 'failed', 'in'], flags, {
      cwd: folder,
    });
    assert.equal(failed.code, 1);
    assert.match(failed.log, /exit code/);
    assert.deepEqual(readdirSync(join(folder, 'states')), ['000000']);
    await checkJob(engine(), { args, flags, expected: oracle(flags, names) });
  });

  test('without the sort by position, a job is refused', { skip: inFull }, async () => {
    writeInputs();
    const flags = [...detector('qht', 8), ...keys];
    for (const more of [[], ['--combine']]) {
      const args = [...byPartitionOnly, ...more, '--output', `out${more.length}`, 'in'];
      const algorithm = more.length > 0 ? ['-a', 'exact'] : [];
      const job = await engine().submit(args, [...flags, ...algorithm], { cwd: folder });
      assert.equal(job.code, 1);
      assert.match(job.log, /\[E_ORDER\]/);
    }
  });

  test('flags that do not fit are refused before a job is submitted', { skip: inFull }, async () => {
    writeInputs(100);
    for (const [args, flags, message] of [
      [['--combine'], [...detector('qht', 8), ...keys], /choose exact or bloom/],
      [['--combine'], [...detector('exact', 8), ...keys, '--window', '100'], /choose exact or bloom/],
      [['--combine'], [...detector('exact', 8), ...keys, '--emit', 'all'], /--combine drops repeats/],
      [[], detector('qht', 8), /--format is missing/],
      [[], [...detector('apbf', 8), ...keys, '--window', '1h'], /window is a duration/],
      [['--states', 's', '--output', 'hdfs://host/x'], [...detector('qht', 8), ...keys], /in different file systems/],
    ]) {
      const job = await engine().submit(['--output', 'out', ...args, 'in'], flags, { cwd: folder });
      assert.equal(job.code, 1);
      assert.match(job.log, message);
      assert.doesNotMatch(job.log, /StreamJob/);
    }
  });
});

describe('Hadoop in the containers of a cluster', () => {
  let cluster;
  before(async () => {
    if (always) return;
    const place = join(root, 'cluster');
    mkdirSync(place);
    cluster = await startCluster({ libs, folder: place });
  });
  after(() => cluster?.stop());

  test('one reducer, combine', { skip: always }, async () => {
    const names = writeInputs();
    const flags = [...detector('bloom', 16), ...keys];
    const log = await checkJob(cluster, { args: ['--combine'], flags, expected: oracle(flags, names) });
    assert.ok(counter(log, 'combine dropped') > 0);
  });

  test('two blocks: a map task and a reduce task are killed in the middle', { skip: inFull }, async () => {
    write('1', objects(40_000, { keys: 30_000, seed: 4 }));
    write('2', objects(40_000, { keys: 30_000, seed: 5 }));
    const flags = [...detector('qht', 8), ...keys];
    run([...flags, '--no-witness', '--state', 'one', '-o', 'first', 'in/1'], { cwd: folder });
    run([...flags, '--state', 'one', '-o', 'second', 'in/2'], { cwd: folder });
    for (const [name, expected, phase, how] of [
      ['1', 'first', 'map', 'parent'],
      ['2', 'second', 'reduce', 'self'],
    ]) {
      const command = `sh ${failing} ${phase} ${how} ${process.execPath} ${firstseen}`;
      const args = ['--reducers', '2', '--states', 'states', '--firstseen', command];
      const block = { args, inputs: [`in/${name}`], flags, output: `out${name}` };
      const log = await checkJob(cluster, { ...block, expected: readFileSync(join(folder, expected)) });
      assert.ok(counter(log, `Failed ${phase} tasks`) > 0, log.slice(-3000));
    }
    run(['merge', 'states/000002', '-o', 'merged'], { cwd: folder });
    const [one, merged] = ['one', 'merged'].map((state) =>
      JSON.parse(run(['inspect', '--json', state], { cwd: folder })),
    );
    assert.deepEqual([merged.observed, merged.duplicates, merged.load], [one.observed, one.duplicates, one.load]);
  });

  test('speculative execution, five reducers', { skip: inFull }, async () => {
    const names = writeInputs();
    const flags = [...detector('qht', 16), ...keys];
    const command = `sh ${failing} map slow ${process.execPath} ${firstseen}`;
    const args = ['--reducers', '5', '--states', 'states', '--firstseen', command];
    const log = await checkJob(cluster, { args: [...args, ...speculative], flags, expected: oracle(flags, names) });
    assert.ok(counter(log, 'Killed map tasks') > 0, log.slice(-3000));
  });

  test('two blocks with inputs, outputs and states in HDFS', { skip: inFull }, async () => {
    write('1', objects(20_000, { keys: 15_000, seed: 4 }));
    write('2', objects(20_000, { keys: 15_000, seed: 5 }));
    const flags = [...detector('rlbsbf', 4), ...keys];
    run([...flags, '--no-witness', '--state', 'one', '-o', 'first', 'in/1'], { cwd: folder });
    run([...flags, '--state', 'one', '-o', 'second', 'in/2'], { cwd: folder });
    const { fs, hdfs } = cluster;
    assert.equal((await fs('-put', join(folder, 'in'), `${hdfs}/in`)).code, 0);
    const args = ['--reducers', '2', '--states', `${hdfs}/states`];
    const submit = (name, output) =>
      cluster.submit([...args, '--output', `${hdfs}/${output}`, `${hdfs}/in/${name}`], [...flags, position], {
        cwd: folder,
      });
    for (const [name, expected] of [
      ['1', 'first'],
      ['2', 'second'],
    ]) {
      const job = await submit(name, `out${name}`);
      assert.equal(job.code, 0, job.log.slice(-3000));
      assert.equal((await fs('-get', `${hdfs}/out${name}`, join(folder, `out${name}`))).code, 0);
      assert.ok(inOrder(join(folder, `out${name}`)).equals(readFileSync(join(folder, expected))));
    }
    const again = await submit('2', 'again');
    assert.match(again.log, /has taken hdfs:.*\/in\/2 already, in block 000002/);
    assert.equal((await fs('-get', `${hdfs}/states/000002`, join(folder, 'states'))).code, 0);
    run(['merge', 'states', '-o', 'merged'], { cwd: folder });
    const [one, merged] = ['one', 'merged'].map((state) =>
      JSON.parse(run(['inspect', '--json', state], { cwd: folder })),
    );
    assert.deepEqual([merged.observed, merged.duplicates, merged.load], [one.observed, one.duplicates, one.load]);
  });
});
