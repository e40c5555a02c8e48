// Workers one after the other, each over records of chosen times, and how often identifiers were emitted after all of them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needed } from './options.mjs';
import { writeRecords } from './records.mjs';
import { decoded } from './values.mjs';
import { waitFor } from './waiting.mjs';
import { Worker } from './worker.mjs';

export const MINUTE_MILLISECONDS = 60_000;
const SECONDS = 120;
/** A group without members is soon noticed. */
const SESSION_MILLISECONDS = 6000;

/** How often identifiers were emitted, where it is not as often as they should be. @param wanted times by identifier */
function differencesOf(lines, wanted) {
  const counts = new Map();
  for (const line of lines) {
    const { id } = JSON.parse(decoded(line.split('\t')[5]));
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...wanted].flatMap(([id, times]) => {
    const given = counts.get(id) ?? 0;
    return given === times ? [] : [`the identifier ${id} was emitted ${given} times, not ${times}`];
  });
}

/**
 * Runs a worker over the records of each stage, and kills it when it has emitted them.
 * @param options started: as of `startedFor`, with `main` of the workers; name: that of the topic; flags: of all workers;
 * stages: { records: as of `writeRecords`, group: if it is not the name; flags: those of this worker }; wanted: how often identifiers should be
 * emitted, by identifier
 * @returns differences: texts; workers: those of the stages, with their last metrics as `counted`
 */
export async function differencesAfter({ started: { cluster, main }, name, flags, stages, wanted }) {
  const { brokers, tool } = cluster;
  const topics = { input: name, output: `${name}.first` };
  for (const topic of Object.values(topics)) await tool.create(topic);
  const state = mkdtempSync(join(tmpdir(), 'firstseen-kafka-stages-'));
  const all = Object.entries({ ...topics, brokers, instance: 'a', state, key: 'id' });
  const session = ['--config', `session.timeout.ms=${SESSION_MILLISECONDS}`];
  const common = [...all.flatMap(([flag, value]) => [`--${flag}`, value]), ...session, '--partitioned', ...flags];
  const workers = [];
  try {
    for (const { records, group = name, flags: ofStage = [] } of stages) {
      const placed = records.map((record) => ({ ...record, partition: 0 }));
      await writeRecords({ client: needed.client, brokers }, topics.input, placed);
      const worker = Worker.start({ main, flags: [...common, '--group', group, ...ofStage] });
      workers.push(worker);
      const isDone = async () => worker.hasEnded || (await worker.given()) === records.length;
      await waitFor('the end of the records', isDone, { seconds: SECONDS, told: () => worker.output });
      if (worker.hasEnded) return { differences: [`a worker ended: ${worker.lastLine}`], workers };
      worker.counted = await worker.metrics();
      await worker.kill();
    }
  } finally {
    await Promise.all(workers.filter(({ hasEnded }) => !hasEnded).map((worker) => worker.kill()));
    rmSync(state, { recursive: true, force: true });
  }
  return { differences: differencesOf(await tool.read(topics.output), wanted), workers };
}
