// The start of the command: what three lines take beyond what Node takes for nothing.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../tools/support/median.mjs';
import { binPath, runProgram } from './lib/commands.mjs';
import { takeTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const NOTHING = 'node -e 0';
const TARGET = { bound: 'most', value: 55 };

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureStart({ isQuick, folder }) {
  const rounds = isQuick ? 1 : 31;
  const [lines, objects, output] = ['lines.txt', 'objects.ndjson', 'output'].map((name) => join(folder, name));
  writeFileSync(lines, 'a\nb\na\n');
  writeFileSync(objects, '{"id":1}\n{"id":2}\n{"id":1}\n');
  const command = (args) => ({ command: process.execPath, args: [binPath, ...args] });
  const programs = {
    [NOTHING]: { command: process.execPath, args: ['-e', '0'] },
    'firstseen, three lines': command([lines]),
    'firstseen -k id, three objects': command(['-k', 'id', objects]),
  };
  const contenders = Object.entries(programs).map(([name, program]) => ({
    name,
    turn: () => runProgram(program, output),
  }));
  const seconds = takeTurns(contenders, rounds);
  const millisecondsOf = (name) => 1000 * median(seconds[name]);
  const beyond = (name) => 1000 * median(seconds[name].map((value, round) => value - seconds[NOTHING][round]));
  return {
    title: 'Start',
    text: `Wall time from start to end, median of ${rounds} rounds. The compiled code of an earlier start is used.`,
    rows: Object.keys(programs).map((name) =>
      name === NOTHING
        ? row({ name, measured: millisecondsOf(name), unit: 'ms' })
        : row({
            ...{ name, measured: millisecondsOf(name), unit: 'ms', target: TARGET },
            compared: { to: `ms more than ${NOTHING}`, value: beyond(name) },
          }),
    ),
  };
}
