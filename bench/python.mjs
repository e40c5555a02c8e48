// The Python package beside what programs in Python use: processor time of a key, of both processes.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, fetchPython } from '../tools/fetch.mjs';
import { median } from '../tools/support/median.mjs';
import { loadText } from './lib/machine.mjs';
import { row } from './lib/table.mjs';

const program = fileURLToPath(new URL('lib/python-keys.py', import.meta.url));
const project = fileURLToPath(new URL('../python', import.meta.url));
const PACKAGES = [
  ...['numpy==2.4.6', 'pandas==3.1.1', 'polars==2.1.0', 'pyarrow==26.0.1'],
  ...['rbloom==1.5.4', 'pybloom_live==4.0.0'],
];
const REFERENCE = 'set';
/** The most nanoseconds of a key. */
const aims = { 'firstseen, column of Arrow': 110, 'firstseen, list of str': 300 };

/** The nanoseconds of each turn, by the name of what was measured. @throws Error where Python is missing, or fails */
function turnsOf(keys, rounds) {
  const { python, missing } = fetchPython(join(cacheFolder('firstseen-bench'), 'python'), PACKAGES);
  if (missing) throw new Error(missing);
  const { status, stdout, stderr } = spawnSync(python, [program, keys, rounds, project], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  const turns = new Map();
  for (const line of stdout.trim().split('\n')) {
    const { name, nanoseconds } = JSON.parse(line);
    turns.set(name, [...(turns.get(name) ?? []), nanoseconds]);
  }
  return turns;
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measurePython({ isQuick }) {
  const [keys, rounds] = isQuick ? [20_000, 1] : [1_000_000, 5];
  const turns = turnsOf(keys, rounds);
  const nanosecondsOf = (name) => median(turns.get(name));
  return {
    title: 'Python',
    text:
      `${keys} keys such as https://example.com/item/7, of which 37 % are repeats; 64 MiB, or a filter of 1e-6. ` +
      `Processor time of a key, of both processes, median of ${rounds} rounds in turns. ` +
      'The child is new in each round, and compiles what it runs meanwhile. ' +
      `One str at a time, and pybloom_live, have a fiftieth of the keys. ${loadText()}`,
    rows: [...turns.keys()].map((name) => {
      const measured = nanosecondsOf(name);
      const aim = aims[name];
      return row({
        ...{ name, measured, unit: 'ns' },
        ...(aim !== undefined && {
          target: { bound: 'most', value: aim },
          compared: { to: 'ns', value: measured },
        }),
        beside: { [`times ${REFERENCE}`]: measured / nanosecondsOf(REFERENCE) },
      });
    }),
  };
}
