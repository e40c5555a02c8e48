// Parquet files, large and small, unique by a column, beside DuckDB: processor time, to lines and to Parquet.

import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { median } from '../tools/support/median.mjs';
import { firstseen, runMeasuringMemory } from './lib/commands.mjs';
import { secondsOf } from './lib/processortime.mjs';
import { row } from './lib/table.mjs';

const MEBIBYTE = 2 ** 20;
const TARGET = { bound: 'most', value: 2 };
const PYTHON = process.env.DUCKDB_PYTHON ?? 'python3';
/** The number of processors of the machines of CI. */
const DUCKDB_THREADS = 2;

/** Numbers from 0 to 1, by a generator of fixed seed. */
function* shares() {
  for (let state = 1; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Writes a file of events in three row groups, a third of whose rows repeat an id. */
function writeEvents(path, rows, zstd) {
  const random = shares();
  const share = () => random.next().value;
  const columnOf = (type, value) => type.from({ length: rows }, (_, i) => value(i));
  const columnData = [
    { name: 'id', type: 'INT64', data: columnOf(BigInt64Array, () => BigInt(Math.floor(share() * rows * 0.7))) },
    { name: 'ts', type: 'TIMESTAMP', data: columnOf(BigInt64Array, (i) => BigInt(1_700_000_000_000 + i)) },
    {
      name: 'name',
      type: 'STRING',
      data: columnOf(Array, (i) => `user ${Math.floor(share() * 50_000)} of ${i % 1000}`),
    },
    { name: 'amount', type: 'DOUBLE', data: columnOf(Float64Array, () => share() * 100) },
  ].map((column) => ({ ...column, nullable: false }));
  const compressors = { ZSTD: (bytes) => zstd.compress(bytes) };
  const options = { columnData, codec: 'ZSTD', compressors, rowGroupSize: Math.ceil(rows / 3) };
  writeFileSync(path, new Uint8Array(parquetWriteBuffer(options)));
}

/** The arguments that let DuckDB do the same; undefined where it is not installed. */
function duckdb() {
  const { status } = spawnSync(PYTHON, ['-c', 'import duckdb'], { stdio: 'ignore' });
  if (status !== 0) return undefined;
  return (input, output) => {
    const query = `copy (select distinct on (id) * from '${input}') to '${output}'`;
    return [PYTHON, '-c', `import duckdb; duckdb.execute("set threads=${DUCKDB_THREADS}"); duckdb.execute("${query}")`];
  };
}

function measureOne({ name, rows, ending }, { folder, rounds, peer, input }) {
  const output = join(folder, `distinct.${ending}`);
  const ours = firstseen(input, '-k', 'id', '-o', output);
  const seconds = { ours: [], peer: [] };
  const turns = { ours: [ours.command, ...ours.args], ...(peer && { peer: peer(input, output) }) };
  for (let round = 0; round < rounds; round++) {
    for (const [who, args] of Object.entries(turns)) seconds[who].push(secondsOf(args).processor);
  }
  const { peakBytes } = runMeasuringMemory(ours, `${output}.stdout`);
  const beside = { 'peak MiB': peakBytes / MEBIBYTE };
  const title = `${name}, ${rows} rows, to ${ending}`;
  const ratio = peer && median(seconds.ours.map((value, round) => value / seconds.peer[round]));
  const compared = peer && { to: 'times the processor time of DuckDB', value: ratio };
  const own = row({
    name: `firstseen, ${title}`,
    measured: median(seconds.ours),
    unit: 's',
    beside,
    compared,
    target: TARGET,
  });
  return peer ? [own, row({ name: `DuckDB, ${title}`, measured: median(seconds.peer), unit: 's' })] : [own];
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureParquet({ isQuick, folder }) {
  const sizes = isQuick ? { large: 3000, small: 300 } : { large: 3_000_000, small: 500_000 };
  const rounds = isQuick ? 1 : 5;
  const peer = duckdb();
  const zstd = await Zstd.load();
  const measured = Object.entries(sizes).flatMap(([name, rows]) => {
    const input = join(folder, `${name}.parquet`);
    writeEvents(input, rows, zstd);
    return ['ndjson', 'parquet'].flatMap((ending) =>
      measureOne({ name, rows, ending }, { folder, rounds, peer, input }),
    );
  });
  const bytes = statSync(join(folder, 'large.parquet')).size;
  return {
    title: 'Parquet',
    text:
      `Files of three row groups, zstd, with a 64-bit integer, a timestamp, a text and a double, unique by the integer. The large one ` +
      `has ${(bytes / MEBIBYTE).toFixed(0)} MiB. Processor time from start to end, median of ${rounds} rounds. ` +
      (peer
        ? `DuckDB has ${DUCKDB_THREADS} threads.`
        : `DuckDB is not measured: \`${PYTHON}\` has no module \`duckdb\`.`),
    rows: measured,
  };
}
