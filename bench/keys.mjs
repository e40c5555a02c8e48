// Keys inside records: what finding them costs, against whole lines of the same file.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { firstseen, runProgram } from './lib/commands.mjs';
import { csvEvent, csvHeader, DUPLICATE_SHARE, jsonEvent, writeRepeatingLines } from './lib/data.mjs';
import { median, medianSpeedRatio, takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const TARGET = 0.4;

const formats = [
  { format: 'ndjson', line: jsonEvent },
  { format: 'csv', line: csvEvent, header: csvHeader },
];

function measureFormat({ format, ...records }, { count, rounds, folder }) {
  const path = join(folder, `events.${format}`);
  writeRepeatingLines(path, { count, ...records });
  const output = join(folder, 'output');
  const flags = {
    [`${format}, whole lines`]: ['--format', 'lines'],
    [`${format}, key`]: ['--format', format, '--key', 'id'],
    [`${format}, key, strict`]: ['--format', format, '--key', 'id', '--strict'],
  };
  const names = Object.keys(flags);
  const turns = names.map((name) => ({ name, turn: () => runProgram(firstseen(...flags[name], path), output) }));
  const seconds = takeTurns(turns, rounds);
  rmSync(path);
  return names.map((name, place) =>
    row({
      name,
      measured: count / median(seconds[name]) / 1e6,
      unit: 'M records/s',
      compared:
        place === 0 ? null : { to: 'of whole lines', value: medianSpeedRatio(seconds[name], seconds[names[0]]) },
      target: place === 1 ? { bound: 'least', value: TARGET } : null,
    }),
  );
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureKeys({ isQuick, folder }) {
  const { count, rounds } = isQuick ? { count: 20_000, rounds: 1 } : { count: 3_000_000, rounds: 5 };
  return {
    title: 'Keys of records',
    text:
      `${count} records of about 200 bytes, ${DUPLICATE_SHARE * 100} % of them repeats, so that all runs write the same; the key ` +
      `is a string in the middle; wall time from start to end, output to a file, median of ${rounds} rounds. With strict ` +
      'every record is parsed in full.',
    rows: formats.flatMap((entry) => measureFormat(entry, { count, rounds, folder })),
  };
}
