// How long plans take, and the longest time for which the event loop does not run meanwhile.

import { create } from 'firstseen';
import { GapSample, plan } from 'firstseen/plan';
import { median } from './lib/rounds.mjs';
import { fingerprintsOf, recencyStream } from './lib/streams.mjs';
import { row } from './lib/table.mjs';

/** Milliseconds for which a plan may keep the event loop waiting. */
const MOST_WAIT = 50;
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
  const target = { bound: 'most', value: MOST_WAIT };
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

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measurePlanning({ isQuick }) {
  const count = isQuick ? 10_000 : 1_000_000;
  const sample = new GapSample();
  sample.addBatch(fingerprintsOf(recencyStream({ count, window: count / 10, seed: SEED }).numbers));
  const stream = sample.stream('half of the elements repeat one of the last tenth');
  const rounds = isQuick ? 1 : 5;
  const hints = { fpr: 0.001, distinctElements: 100_000 };
  return {
    title: 'Plans',
    text: `A timer of 1 ms is due all the time. Medians of ${rounds} runs, and one run of plan with a sample, which has ${count.toLocaleString('en')} elements.`,
    rows: [
      ...(await rowsOf('plan', '{ fpr: 0.001, distinctElements: 100_000 }', () => plan(hints), rounds)),
      ...(await rowsOf('create', '{ fpr: 0.001, distinctElements: 100_000 }', () => create(hints), rounds)),
      ...(await rowsOf(
        'plan with a sample',
        "{ stream, memory: '64KiB', fpr: 0.01 }",
        () => plan({ stream, memory: '64KiB', fpr: 0.01 }),
        1,
      )),
    ],
  };
}
