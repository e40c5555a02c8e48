// Before each file of tests that starts no process: measures the processor time of the file, for tools/tests/reporter.mjs. It is compared
// with a budget, so it is told in units of a fixed loop: on a machine of half the speed, or one whose cores are shared, the loop takes
// twice as long, and so does the file.

import { afterFile } from './afterfile.js';

declare module 'vitest' {
  interface TaskMeta {
    /** The processor time of the file, and that of the fixed loop in its process. */
    processor?: { milliseconds: number; loopMilliseconds: number };
  }
}

/** The time that the loop took in this process. A worker that runs many files measures it once. */
const LOOP = Symbol.for('firstseen.test.loop');

const LOOP_ROUNDS = 20_000_000;
/** The first repetition is compiled while it runs, and another may be interrupted. */
const REPETITIONS = 3;

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function loopMilliseconds(): number {
  const times = Array.from({ length: REPETITIONS }, () => {
    const before = process.cpuUsage();
    let bits = 1;
    for (let round = 0; round < LOOP_ROUNDS; round++) bits = (Math.imul(bits, 1_664_525) + 1_013_904_223) | 0;
    return bits === 0 ? 0 : millisecondsSince(before);
  });
  return Math.min(...times);
}

const place = globalThis as { [LOOP]?: number };
place[LOOP] ??= loopMilliseconds();
const measured = place[LOOP];
const before = process.cpuUsage();

afterFile((meta) => {
  meta.processor = { milliseconds: millisecondsSince(before), loopMilliseconds: measured };
});
