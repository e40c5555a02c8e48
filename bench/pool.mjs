// What a small detector takes in a pool, compared with one by itself.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { row } from './lib/table.mjs';

const script = fileURLToPath(new URL('./lib/pooled.mjs', import.meta.url));
const CELLS_KIBIBYTES = 1;
/** KiB that a detector may take in addition to its cells. */
const MAX_BESIDE = 2;
/** Microseconds to make room. */
const MAX_TO_EVICT = 20;

function measured(kind, count) {
  const output = execFileSync(process.execPath, ['--expose-gc', script, kind, `${count}`], { encoding: 'utf8' });
  return JSON.parse(output);
}

function memoryRow(name, { bytes }, target) {
  const kibibytes = bytes / 1024;
  const compared = { to: 'KiB more than its cells', value: kibibytes - CELLS_KIBIBYTES };
  return row({ name: `resident memory, ${name}`, measured: kibibytes, unit: 'KiB', compared, target });
}

function timeRows(name, { inTurns, sameAgain }) {
  return [
    row({ name: `observe(key), ${name}, each another one`, measured: inTurns, unit: 'ns' }),
    row({ name: `observe(key), ${name}, the same one`, measured: sameAgain, unit: 'ns' }),
  ];
}

function evictionRow({ toEvict }) {
  const target = { bound: 'most', value: MAX_TO_EVICT };
  const name = 'a new name in a full pool, with the snapshot of the detector that leaves';
  return row({ name, measured: toEvict, unit: 'us', compared: { to: 'us of the processor', value: toEvict }, target });
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measurePool({ isQuick }) {
  const counts = isQuick ? { pool: 20_000, few: 100, alone: 100 } : { pool: 100_000, few: 1000, alone: 1000 };
  const [many, few, alone] = [
    ['pool', counts.pool],
    ['pool', counts.few],
    ['alone', counts.alone],
  ].map(([kind, count]) => ({
    name: `${count} ${kind === 'pool' ? 'in a pool' : 'by themselves'}`,
    ...measured(kind, count),
  }));
  return {
    title: 'Pool',
    text: 'Detectors of 1 KiB (qht, blocked), each with a name and one element. Memory is per detector, of the whole process.',
    rows: [
      memoryRow(many.name, many, { bound: 'most', value: MAX_BESIDE }),
      memoryRow(alone.name, alone, null),
      evictionRow(many),
      ...[many, few, alone].flatMap((one) => timeRows(one.name, one)),
    ],
  };
}
