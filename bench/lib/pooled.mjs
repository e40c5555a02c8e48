// Many detectors of 1 KiB, in a pool or each by itself, in a process of their own: prints what one takes, as JSON.
//   node --expose-gc bench/lib/pooled.mjs pool|alone COUNT

import { create, createPool } from '../../packages/firstseen/dist/index.js';

const detector = { memory: '1KiB' };
const OBSERVATIONS = 500_000;
const EVICTIONS = 30_000;
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

/** Microseconds of the processor for a new detector in a full pool, from which another one leaves with a snapshot that is kept. */
async function microsecondsToEvict() {
  const kept = new Map();
  const most = 3000;
  const memory = most * (await createPool({ memory: '1MiB', detector })).stats().detectorBytes;
  const pool = await createPool({ memory, detector, onEvict: (name, snapshot) => kept.set(name, snapshot) });
  let next = 0;
  const add = (count) => {
    for (let i = 0; i < count; i++, next++) {
      pool.get(`tenant-${next}`).observe(next);
      if (kept.size > most) kept.clear();
    }
  };
  add(EVICTIONS);
  const { user, system } = process.cpuUsage();
  add(EVICTIONS);
  const end = process.cpuUsage();
  return (end.user + end.system - user - system) / EVICTIONS;
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
const times = { inTurns: nanosecondsInTurns(detectors), sameAgain: nanosecondsInTurns([detectors[0]]) };
const toEvict = kind === 'pool' ? await microsecondsToEvict() : undefined;
console.log(JSON.stringify({ bytes, ...times, toEvict }));
