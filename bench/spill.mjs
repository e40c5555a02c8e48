// More than memory holds: the command with a spill folder compared with `sort -u` in the same memory, on a file many
// times its size. Only the command keeps the order of the input.

import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../tools/support/median.mjs';
import { firstseen, runProgram, versionOf } from './lib/commands.mjs';
import { DUPLICATE_SHARE, url, writeRepeatingLines } from './lib/data.mjs';
import { medianSpeedRatio, takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const OURS = 'firstseen -a exact --spill';
const PEER = 'LC_ALL=C sort -u -S';
const TARGET = { bound: 'least', value: 3 };
const MEBIBYTE = 2 ** 20;

function sortProgram(path, { mebibytes, folder }) {
  return { command: 'sort', args: ['-u', '-S', `${mebibytes}M`, '-T', folder, path], env: { LC_ALL: 'C' } };
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureSpill({ isQuick, folder }) {
  const { count, mebibytes, rounds } = isQuick
    ? { count: 100_000, mebibytes: 1, rounds: 1 }
    : { count: 84_000_000, mebibytes: 256, rounds: 3 };
  const path = join(folder, 'many-urls.txt');
  const spill = join(folder, 'spill');
  const output = join(folder, 'output');
  mkdirSync(spill);
  writeRepeatingLines(path, { count, line: url });
  const ours = firstseen('-a', 'exact', '-m', `${mebibytes}MiB`, '--spill', spill, path);
  const contenders = [{ name: OURS, turn: () => runProgram(ours, output) }];
  const version = versionOf('sort');
  if (version !== undefined) {
    const sort = sortProgram(path, { mebibytes, folder: spill });
    contenders.push({ name: PEER, turn: () => runProgram(sort, output) });
  }
  const seconds = takeTurns(contenders, rounds);
  const peerRow = () =>
    row({
      name: PEER,
      measured: median(seconds[PEER]),
      unit: 's',
      compared: { to: 'times the time of firstseen', value: medianSpeedRatio(seconds[OURS], seconds[PEER]) },
      target: TARGET,
    });
  return {
    title: 'More than memory holds',
    text:
      `${count} URLs of about 48 bytes, ${(statSync(path).size / MEBIBYTE).toFixed(0)} MiB, ${DUPLICATE_SHARE * 100} % of them repeats, in ` +
      `${mebibytes} MiB of memory. Wall time from start to end, output to a file, median of ${rounds} rounds. ` +
      `sort does not keep the order${version === undefined ? '' : `; sort is ${version}`}.`,
    rows: [
      row({ name: OURS, measured: median(seconds[OURS]), unit: 's' }),
      ...(version === undefined ? [] : [peerRow()]),
    ],
  };
}
