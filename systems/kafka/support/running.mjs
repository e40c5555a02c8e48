// Runs under a load that goes on for as long as the work takes that is done in them.

import { Run } from './run.mjs';

export const RECORDS_PER_SECOND = 4000;
const LOAD_SECONDS = 600;
const KEYS = 3000;
/** Records after which a snapshot is taken: so few that many are taken. */
export const SNAPSHOT_EVERY = 3000;

/** The load of a run that goes on until it is ended: what tests need of it decides how long. */
export const endlessLoad = {
  ...{ records: RECORDS_PER_SECOND * LOAD_SECONDS, rate: RECORDS_PER_SECOND, keys: KEYS },
  ...{ keyless: 20, tombstones: 20, headers: 20, early: 20 },
};

/**
 * Begins a run, hands it to work, and ends it.
 * @param options of `Run`; flags are given after those of frequent snapshots
 */
export async function withRun({ flags = [], ...options }, work) {
  const own = ['--snapshot-every', String(SNAPSHOT_EVERY), ...flags];
  const run = await Run.begin({ load: endlessLoad, ...options, flags: own });
  try {
    return await work(run);
  } finally {
    await run.end();
  }
}
