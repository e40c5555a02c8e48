// One turn of range motifs in a separate process: node motifturn.mjs THREADS RECORDS ADDRESS_BITS RUNS. Feeds the
// records to RUNS pipelines in parallel. The first quarter is not measured, because the first access to each page of memory costs
// more. Prints the seconds for the rest.

import { MotifPipeline, resolveMotifSettings } from 'firstseen/internal';
import { drawClusters } from 'firstseen-lab';

/**
 * The configuration of narang-2011 (section 6.2); the records are those of its first configuration, eight times as
 * long.
 */
const RECORD_BYTES = 512;
const SETS = 4;
const HASHES = 32;
const DRAWN_RECORDS = 100_000;

const [threads, records, addressBits, runs] = process.argv.slice(2).map(Number);
const drawn = drawClusters({
  records: Math.min(records, DRAWN_RECORDS),
  recordBytes: RECORD_BYTES,
  clusters: SETS,
  apartBits: 1434,
  withinBits: 409,
  centresFirst: true,
  seed: 1,
}).records;
const settings = resolveMotifSettings({ recordBytes: RECORD_BYTES, sets: SETS, hashes: HASHES, addressBits });

/** Fills targets with drawn records, cyclically, until there are `records` of them. */
function recordFiller() {
  let taken = 0;
  return async (target) => {
    const count = Math.min(target.length / RECORD_BYTES, records - taken);
    for (let done = 0; done < count; ) {
      const from = (taken + done) % (drawn.length / RECORD_BYTES);
      const part = drawn.subarray(from * RECORD_BYTES, (from + count - done) * RECORD_BYTES);
      target.set(part, done * RECORD_BYTES);
      done += part.length / RECORD_BYTES;
    }
    taken += count;
    return count;
  };
}

async function run() {
  const pipeline = await MotifPipeline.open(settings, threads);
  let answered = 0;
  let measured = 0;
  let startedMilliseconds = Number.NaN;
  for await (const { count } of pipeline.batches(recordFiller())) {
    answered += count;
    if (Number.isNaN(startedMilliseconds) && answered >= records / 4) startedMilliseconds = performance.now();
    else if (!Number.isNaN(startedMilliseconds)) measured += count;
  }
  const seconds = (performance.now() - startedMilliseconds) / 1000;
  await pipeline.close();
  return { seconds, measured };
}

const ended = await Promise.all(Array.from({ length: runs }, run));
const seconds = Math.max(...ended.map((one) => one.seconds));
const measured = ended.reduce((sum, one) => sum + one.measured, 0);
console.log(JSON.stringify({ seconds, measured }));
