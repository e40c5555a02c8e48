// Many detectors of 1 KiB, in a pool or each by itself, in a process of their own: prints what one takes, as JSON.
//   node --expose-gc bench/lib/pooled.mjs pool|alone COUNT

import { create, createPool } from '../../packages/firstseen/dist/index.js';

const detector = { memory: '1KiB' };
const OBSERVATIONS = 500_000;
/** A step through the detectors that comes to each of them, in an order that no cache foresees. */
const STEP = 7919;

function residentBytes() {
  globalThis.gc();
  return process.memoryUsage.rss();
}

/** Nanoseconds for one element, when the detectors take turns. */
function nanosecondsInTurns(detectors) {
  const startedMilliseconds = performance.now();
  for (let i = 0; i < OBSERVATIONS; i++) detectors[(i * STEP) % detectors.length].observe(i);
  return ((performance.now() - startedMilliseconds) * 1e6) / OBSERVATIONS;
}

async function* manyOf(kind, count) {
  const pool = await createPool({ memory: '1GiB', detector });
  for (let i = 0; i < count; i++) yield kind === 'pool' ? pool.get(`tenant-${i}`) : await create(detector);
}

const [kind, given] = process.argv.slice(2);
const count = Number(given);
const before = residentBytes();
const detectors = [];
for await (const one of manyOf(kind, count)) {
  one.observe(detectors.length);
  detectors.push(one);
}
const bytes = (residentBytes() - before) / count;
nanosecondsInTurns(detectors);
console.log(
  JSON.stringify({ bytes, inTurns: nanosecondsInTurns(detectors), sameAgain: nanosecondsInTurns([detectors[0]]) }),
);
