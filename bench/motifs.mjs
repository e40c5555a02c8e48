// Range motifs on one and on two threads, compared with the rate of narang-2011 (section 6.2), and two independent runs
// of one thread in parallel, which show the speed-up that the machine allows for two threads without shared memory.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from '../tools/support/median.mjs';
import { medianSpeedRatio, takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const script = fileURLToPath(new URL('./lib/motifturn.mjs', import.meta.url));
/** Twice the paper's rate on 16 cores. */
const MIN_RECORDS_PER_SECOND = 340_000;
const MIN_RATIO = 1.6;

const contenders = [
  { name: 'one thread', threads: 1, runs: 1 },
  { name: 'two threads', threads: 2, runs: 1 },
  { name: 'two runs of one thread, side by side', threads: 1, runs: 2 },
];

/** Seconds per record. */
function turnOf({ threads, runs }, { records, addressBits }) {
  const args = [script, threads, records, addressBits, runs].map(String);
  const { seconds, measured } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  return seconds / measured;
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureMotifs({ isQuick }) {
  const scale = isQuick
    ? { records: 40_000, addressBits: 12, rounds: 1 }
    : { records: 2_000_000, addressBits: 25, rounds: 5 };
  const turns = contenders.map((contender) => ({ name: contender.name, turn: () => turnOf(contender, scale) }));
  const seconds = takeTurns(turns, scale.rounds);
  const names = contenders.map(({ name }) => name);
  const [one, two, aside] = names.map((name) => 1 / median(seconds[name]));
  const [, ratio, asideRatio] = names.map((name) => medianSpeedRatio(seconds[name], seconds[names[0]]));
  const unit = 'records/s';
  return {
    title: 'Range motifs',
    text:
      `Records of 512 bytes in 4 clusters, k 32, l' ${scale.addressBits}, ${scale.records} records a turn, the first quarter not measured, ` +
      `median of ${scale.rounds} rounds. narang-2011 reports 170,000 records/s on 16 cores, and 10 M records in 129 s on 4.`,
    rows: [
      row({ name: names[0], measured: one, unit }),
      row({
        name: names[1],
        measured: two,
        unit,
        compared: { to: unit, value: two },
        target: { bound: 'least', value: MIN_RECORDS_PER_SECOND },
      }),
      row({
        name: 'two threads against one',
        measured: two,
        unit,
        compared: { to: 'times one thread', value: ratio },
        target: { bound: 'least', value: MIN_RATIO },
      }),
      row({ name: names[2], measured: aside, unit, compared: { to: 'times one thread', value: asideRatio } }),
    ],
  };
}
