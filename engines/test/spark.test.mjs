// Jobs on the real Spark have the output of one process: as a set, and sorted by position as bytes.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { firstseen, inOrder, objects } from './support/data.mjs';
import { fetchSpark } from './support/fetch.mjs';
import { finished } from './support/hadoop.mjs';
import { detector, failing, folder, keys, oracle, root, skipsOf, write, writeInputs } from './support/setup.mjs';
import { dedup, localSpark, startSpark } from './support/spark.mjs';

const { python, missing } = fetchSpark();
const { always, inFull } = skipsOf(missing);

/** Files of more than one part. */
const smallParts = { 'spark.sql.files.maxPartitionBytes': 300_000, 'spark.sql.files.openCostInBytes': 1 };

function job(flags, more = []) {
  return ['--output', 'out', '--flags', flags.join(' '), '--reduce-flags=--keep-position', ...more, 'in'];
}

/** Runs a job and checks its output. */
async function checkJob(engine, { flags, args = [], expected, ...options }) {
  const { code, log } = await engine.submit(job(flags, args), { cwd: folder, conf: smallParts, ...options });
  assert.equal(code, 0, log.slice(-3000));
  const found = inOrder(join(folder, 'out'));
  assert.ok(found.length > 0);
  assert.ok(found.equals(expected), 'the output is not that of one process');
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
    test(`${algorithm}, ${reducers} reducers`, { skip: reducers === 2 ? always : inFull }, async () => {
      const names = writeInputs(20_000, { isText: true });
      const flags = [...detector(algorithm, 16), ...keys];
      await checkJob(engine(), { flags, args: ['--reducers', String(reducers)], expected: oracle(flags, names) });
    });
  }

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
    assert.equal(code, 2);
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
      const first = join(folder, 'first');
      const args = ['--reducers', '2', '--firstseen', `sh ${failing} ${phase} self ${process.execPath} ${firstseen}`];
      await checkJob(engine(), { flags, args, expected: oracle(flags, names), env: { FIRSTSEEN_FIRST: first } });
      // The folder shows that a task was killed.
      rmSync(`${first}.${phase}`, { recursive: true });
    });
  }

  test('without the sort, a job fails', { skip: always }, async () => {
    writeInputs(20_000, { isText: true });
    const program = join(folder, 'unsorted.py');
    const sorting = 'repartitionAndSortWithinPartitions(options.reducers, lambda key: int(key[:PARTITION_END]))';
    const text = readFileSync(dedup, 'utf8');
    assert.ok(text.includes(sorting));
    const unsorted = 'partitionBy(options.reducers, lambda key: int(key[:PARTITION_END]))';
    writeFileSync(program, text.replace(sorting, unsorted));
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
    if (always) return;
    cluster = await startSpark(python, join(root, 'work'));
  });
  after(() => cluster?.stop());

  test('text, two reducers', { skip: always }, async () => {
    const names = writeInputs(20_000, { isText: true });
    const flags = [...detector('bloom', 16), ...keys];
    await checkJob(cluster, { flags, args: ['--reducers', '2'], expected: oracle(flags, names) });
  });

  test('a reduce task is killed in the middle', { skip: inFull }, async () => {
    const names = writeInputs(20_000, { isText: true });
    const flags = [...detector('qht', 16), ...keys];
    const first = join(folder, 'first');
    const args = ['--reducers', '5', '--firstseen', `sh ${failing} reduce self ${process.execPath} ${firstseen}`];
    await checkJob(cluster, { flags, args, expected: oracle(flags, names), env: { FIRSTSEEN_FIRST: first } });
    rmSync(`${first}.reduce`, { recursive: true });
  });
});
