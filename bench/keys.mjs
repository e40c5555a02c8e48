// The cost of finding keys inside records, compared with whole lines of the same file.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../tools/support/median.mjs';
import { firstseen, runProgram } from './lib/commands.mjs';
import { csvEvent, csvHeader, DUPLICATE_SHARE, jsonEvent, writeRepeatingLines } from './lib/data.mjs';
import { medianSpeedRatio, takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const TARGET = 0.4;

const formats = [
  { format: 'ndjson', line: jsonEvent },
  { format: 'csv', line: csvEvent, header: csvHeader },
];

function measureFormat({ format, ...records }, { count, rounds, folder, suffix, flags, target }) {
  const path = join(folder, `events.${format}`);
  writeRepeatingLines(path, { count, ...records });
  const output = join(folder, 'output');
  const lines = `${format}, whole lines${suffix.lines}`;
  const key = `${format}, key${suffix.key}`;
  const seconds = takeTurns(
    [
      { name: lines, turn: () => runProgram(firstseen('--format', 'lines', path), output) },
      { name: key, turn: () => runProgram(firstseen('--format', format, '--key', 'id', ...flags, path), output) },
    ],
    rounds,
  );
  rmSync(path);
  const speed = (name) => ({ name, measured: count / median(seconds[name]) / 1e6, unit: 'M records/s' });
  const compared = { to: 'of whole lines', value: medianSpeedRatio(seconds[key], seconds[lines]) };
  return [row(speed(lines)), row({ ...speed(key), compared, target })];
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureKeys({ isQuick, folder }) {
  const { count, rounds, strictCount } = isQuick
    ? { count: 20_000, rounds: 1, strictCount: 5_000 }
    : { count: 3_000_000, rounds: 5, strictCount: 200_000 };
  const plain = {
    folder,
    rounds,
    count,
    suffix: { lines: '', key: '' },
    flags: [],
    target: { bound: 'least', value: TARGET },
  };
  const strict = {
    folder,
    rounds,
    count: strictCount,
    suffix: { lines: ` of ${strictCount}`, key: ' --strict' },
    flags: ['--strict'],
    target: null,
  };
  return {
    title: 'Keys of records',
    text:
      `${count} records of about 200 bytes, ${DUPLICATE_SHARE * 100} % of them repeats, so that all runs write the same ` +
      `output. The key is a string in the middle of the record. Wall time from start to end, output to a file, median of ` +
      `${rounds} rounds. The rows of --strict are over ${strictCount} records and parse every record in full.`,
    rows: [plain, strict].flatMap((scale) => formats.flatMap((entry) => measureFormat(entry, scale))),
  };
}
