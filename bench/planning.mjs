// How long plans take, the longest time for which the event loop does not run meanwhile, and the processor time of `create`.

import { execFileSync } from 'node:child_process';
import { create } from 'firstseen';
import { GapSample, plan } from 'firstseen/plan';
import { median } from '../tools/support/median.mjs';
import { fingerprintsOf, recencyStream } from './lib/streams.mjs';
import { row } from './lib/table.mjs';

/** Milliseconds for which a plan may keep the event loop waiting. */
const MAX_WAIT = 50;
const SEED = 20061;

/** Runs an asynchronous task once; returns its seconds, and the milliseconds of the longest wait of a timer that is always due. */
async function waitsOf(task) {
  let last = performance.now();
  let longest = 0;
  const take = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(take, 1);
  const start = performance.now();
  await task();
  take();
  clearInterval(timer);
  return { seconds: (performance.now() - start) / 1000, longest };
}

async function rowsOf(name, options, task, rounds) {
  const measured = [];
  for (let round = 0; round < rounds; round++) measured.push(await waitsOf(task));
  const target = { bound: 'most', value: MAX_WAIT };
  const longest = median(measured.map((round) => round.longest));
  return [
    row({ name: `\`${name}(${options})\``, measured: median(measured.map(({ seconds }) => seconds)), unit: 's' }),
    row({
      name: `longest wait of a timer, ${name}`,
      measured: longest,
      unit: 'ms',
      compared: { to: 'ms', value: longest },
      target,
    }),
  ];
}

/** The processor time of a task, in milliseconds. */
async function processorTimeOf(task) {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds of processor time that `create` may take. */
const MAX_MILLISECONDS = { withoutHints: 20, withHints: 200 };

/** Requests of programs, with a number that differs in each round, so that no round has a plan of an earlier one. */
const requests = [
  ['{ fpr: 0.001 }', () => ({ fpr: 0.001 }), MAX_MILLISECONDS.withoutHints],
  ['{ fpr: 0.3 }', () => ({ fpr: 0.3 }), MAX_MILLISECONDS.withoutHints],
  ["{ distinctElements, memory: '1MiB' }", (n) => ({ distinctElements: 100_000 + n, memory: '1MiB' })],
  ['{ distinctElements: 1e5 }', (n) => ({ distinctElements: 100_000 + n })],
  ['{ distinctElements: 1e9 }', (n) => ({ distinctElements: 1e9 + n })],
  ['{ lengthElements: 1e8 }', (n) => ({ lengthElements: 1e8 + n })],
  ['{ gapsElements }', (n) => ({ gapsElements: [10, 1000, 1e6 + n] })],
  [
    "{ distinctElements: 1e6, memory: 'auto', fpr: 0.01 }",
    (n) => ({
      distinctElements: 1e6 + n,
      memory: 'auto',
      fpr: 0.01,
    }),
  ],
  ['{ distinctElements: 1e6, partitions: 8 }', (n) => ({ distinctElements: 1e6 + n, partitions: 8 })],
];

async function creationRows(rounds) {
  const rows = [];
  for (const [shown, requestOf, value = MAX_MILLISECONDS.withHints] of requests) {
    const times = [];
    for (let n = 0; n < rounds; n++) times.push(await processorTimeOf(() => create(requestOf(n))));
    const measured = median(times);
    const target = { bound: 'most', value };
    rows.push(
      row({ name: `\`create(${shown})\``, measured, unit: 'ms', compared: { to: 'ms', value: measured }, target }),
    );
  }
  const again = { distinctElements: 100_000, memory: '1MiB' };
  await create(again);
  rows.push(row({ name: 'an equal request', measured: await processorTimeOf(() => create(again)), unit: 'ms' }));
  rows.push(row({ name: 'the first request of a process, with what it loads', measured: firstRequest(), unit: 'ms' }));
  return rows;
}

/** The processor time of the first request with hints in a process. */
function firstRequest() {
  const program = `
    const { create } = await import('firstseen');
    const before = process.cpuUsage();
    await create({ distinctElements: 100_000, memory: '1MiB' });
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`;
  const cwd = new URL('.', import.meta.url);
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd, encoding: 'utf8' }));
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measurePlanning({ isQuick }) {
  const count = isQuick ? 10_000 : 1_000_000;
  const sample = new GapSample();
  sample.addBatch(fingerprintsOf(recencyStream({ count, window: count / 10, seed: SEED }).numbers));
  const stream = sample.stream('half of the elements repeat one of the last tenth');
  const rounds = isQuick ? 1 : 5;
  await create({ distinctElements: 1234 });
  const hints = { fpr: 0.001, distinctElements: 100_000 };
  return {
    title: 'Plans',
    text: `The first rows are processor time, in a process that has planned before: kernel, memory and, with hints, the plan. Medians of ${rounds} requests. For the others, a timer of 1 ms is due all the time. Medians of ${rounds} runs, and one run of plan with a sample, which has ${count.toLocaleString('en')} elements.`,
    rows: [
      ...(await creationRows(rounds)),
      ...(await rowsOf('plan', '{ fpr: 0.001, distinctElements: 100_000 }', () => plan(hints), rounds)),
      ...(await rowsOf(
        'plan with a sample',
        "{ stream, memory: '64KiB', fpr: 0.01 }",
        () => plan({ stream, memory: '64KiB', fpr: 0.01 }),
        1,
      )),
    ],
  };
}
