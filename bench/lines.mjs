// Whole lines: the command with its defaults compared with the two usual ways to drop repeated lines.

import { join } from 'node:path';
import { median } from '../tools/support/median.mjs';
import { firstseen, runProgram, versionOf } from './lib/commands.mjs';
import { DUPLICATE_SHARE, url, writeRepeatingLines } from './lib/data.mjs';
import { medianSpeedRatio, takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const OURS = 'firstseen';
/**
 * The command without the witness, to measure the cost of the witness. The cost is at most 3 %, so it takes more rounds to
 * measure.
 */
const WITHOUT_WITNESS = { name: 'firstseen --no-witness', target: 0.97 };
const WITNESS_ROUNDS = 15;

/** The peers that this machine has. `target` is the required ratio of speeds. */
function peersFor(path) {
  const peers = [
    { name: 'sort -u', command: 'sort', args: ['-u', path], target: 8 },
    { name: 'LC_ALL=C sort -u', command: 'sort', args: ['-u', path], env: { LC_ALL: 'C' } },
    { name: "awk '!s[$0]++'", command: 'awk', args: ['!s[$0]++', path], target: 14 },
  ];
  return peers.filter(({ command }) => versionOf(command) !== undefined);
}

function peerRow({ name, target }, seconds) {
  return row({
    name,
    measured: median(seconds[name]),
    unit: 's',
    compared: { to: 'times the time of firstseen', value: medianSpeedRatio(seconds[OURS], seconds[name]) },
    target: target === undefined ? null : { bound: 'least', value: target },
  });
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureLines({ isQuick, folder }) {
  const { count, rounds } = isQuick ? { count: 50_000, rounds: 1 } : { count: 10_000_000, rounds: 3 };
  const path = join(folder, 'urls.txt');
  writeRepeatingLines(path, { count, line: url });
  const peers = peersFor(path);
  const output = join(folder, 'output');
  const ours = { name: OURS, turn: () => runProgram(firstseen(path), output) };
  const without = { name: WITHOUT_WITNESS.name, turn: () => runProgram(firstseen('--no-witness', path), output) };
  const others = peers.map((peer) => ({ name: peer.name, turn: () => runProgram(peer, output) }));
  const seconds = takeTurns([ours, ...others], rounds);
  const witnessRounds = isQuick ? 1 : WITNESS_ROUNDS;
  const pair = takeTurns([ours, without], witnessRounds);
  const versions = [...new Set(peers.map(({ command }) => command))].map(
    (command) => `${command} is ${versionOf(command)}`,
  );
  const locale = process.env.LC_ALL ?? process.env.LANG ?? 'C';
  return {
    title: 'Whole lines',
    text:
      `${count} URLs of about 48 bytes, ${DUPLICATE_SHARE * 100} % of them repeats. Wall time from start to end, output to a ` +
      `file, median of ${rounds} rounds, and of ${witnessRounds} for the cost of the witness. Locale ${locale}${versions.map((version) => `; ${version}`).join('')}.`,
    rows: [
      row({ name: OURS, measured: median(seconds[OURS]), unit: 's' }),
      peerRow(WITHOUT_WITNESS, pair),
      ...peers.map((peer) => peerRow(peer, seconds)),
    ],
  };
}
