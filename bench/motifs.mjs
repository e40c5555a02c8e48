// Range motifs on one and on two threads, against the rate of narang-2011 (section 6.2).

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, medianSpeedRatio, takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const script = fileURLToPath(new URL('./lib/motifturn.mjs', import.meta.url));
/** Twice what the paper has on 16 cores. */
const LEAST_RECORDS_PER_SECOND = 340_000;
const LEAST_RATIO = 1.6;

/** Seconds for a record. */
function turnOf(threads, { records, addressBits }) {
  const args = [script, threads, records, addressBits].map(String);
  const { seconds, measured } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  return seconds / measured;
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureMotifs({ isQuick }) {
  const scale = isQuick
    ? { records: 40_000, addressBits: 12, rounds: 1 }
    : { records: 2_000_000, addressBits: 25, rounds: 5 };
  const contenders = [1, 2].map((threads) => ({ name: `${threads}`, turn: () => turnOf(threads, scale) }));
  const seconds = takeTurns(contenders, scale.rounds);
  const [one, two] = ['1', '2'].map((name) => 1 / median(seconds[name]));
  const ratio = medianSpeedRatio(seconds['2'], seconds['1']);
  const unit = 'records/s';
  return {
    title: 'Range motifs',
    text:
      `Records of 512 bytes in 4 clusters, k 32, l' ${scale.addressBits}, ${scale.records} records a turn, the first quarter not measured, ` +
      `median of ${scale.rounds} rounds. narang-2011 has 170,000 records/s on 16 cores, 10 M records in 129 s on 4.`,
    rows: [
      row({ name: 'one thread', measured: one, unit }),
      row({
        name: 'two threads',
        measured: two,
        unit,
        compared: { to: unit, value: two },
        target: { bound: 'least', value: LEAST_RECORDS_PER_SECOND },
      }),
      row({
        name: 'two threads against one',
        measured: two,
        unit,
        compared: { to: 'times one thread', value: ratio },
        target: { bound: 'least', value: LEAST_RATIO },
      }),
    ],
  };
}
