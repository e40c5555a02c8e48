// One turn of range motifs in a separate process: node motifturn.mjs THREADS RECORDS ADDRESS_BITS RUNS. Feeds the
// records to RUNS pipelines in parallel. The first quarter is not measured, because the first access to each page of memory costs
// more. Prints the seconds for the rest.

import { drawClusters, timeMotifs } from 'firstseen-lab';

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
const motifs = { recordBytes: RECORD_BYTES, sets: SETS, hashes: HASHES, addressBits, opening: 'threshold' };
const warmupRecords = Math.ceil(records / 4);
const options = { motifs, threads, records: records - warmupRecords, warmupRecords, drawn };

const timings = await Promise.all(Array.from({ length: runs }, () => timeMotifs(options)));
const seconds = Math.max(...timings.map((timing) => timing.seconds));
const measured = timings.reduce((sum, timing) => sum + timing.records, 0);
console.log(JSON.stringify({ seconds, measured }));
