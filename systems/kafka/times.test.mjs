// A record that is dated ahead, among records with the times of now: the window does not move, and a worker that starts again decides the same.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tell } from '../../tools/report.mjs';
import { defectOfTimes } from './support/defects.mjs';
import { expectFound, expectNone } from './support/expecting.mjs';
import { needed, skips } from './support/options.mjs';
import { writeRecords } from './support/records.mjs';
import { startedFor } from './support/started.mjs';
import { decoded } from './support/values.mjs';
import { waitFor } from './support/waiting.mjs';
import { Worker } from './support/worker.mjs';

const MINUTE_MILLISECONDS = 60_000;
const WINDOW_MINUTES = 10;
/** Brokers take what is dated up to an hour ahead, unless a topic says otherwise. */
const AHEAD_MINUTES = 50;
const IDENTIFIERS = 3000;
/** The time over which they come first. */
const SPREAD_MINUTES = 15;
/** Each comes again within the window, and after any window that may still have it: then it counts as new. */
const AGAIN_MINUTES = [0, 5, 25];
const GIVEN_TIMES = 2;
/** The records after the one that is ahead, before the worker is killed. */
const BEFORE_KILL = 500;
const AHEAD = 'ahead';
const SECONDS = 60;
/** They lose no new record by chance. */
const ALGORITHMS = { exactwindow: [], apbf: ['--fpr', '1e-9'] };

/** Records up to now, in the order of their times, with one in their midst that is ahead. They are in two parts: one before the kill, and one after it. */
function parts() {
  const now = Date.now();
  const begin = now - (SPREAD_MINUTES + AGAIN_MINUTES.at(-1)) * MINUTE_MILLISECONDS;
  const between = (SPREAD_MINUTES * MINUTE_MILLISECONDS) / IDENTIFIERS;
  const records = Array.from({ length: IDENTIFIERS }, (_, id) =>
    AGAIN_MINUTES.map((minutes) => ({ id, time: Math.floor(begin + id * between + minutes * MINUTE_MILLISECONDS) })),
  ).flat();
  records.sort((one, other) => one.time - other.time);
  const middle = records.length / 2;
  records.splice(middle, 0, { id: AHEAD, time: now + AHEAD_MINUTES * MINUTE_MILLISECONDS });
  const all = records.map((record) => ({ ...record, partition: 0 }));
  return [all.slice(0, middle + BEFORE_KILL), all.slice(middle + BEFORE_KILL)];
}

/** How often identifiers were emitted, where it is not as often as they should be. */
function differencesOf(lines) {
  const counts = new Map();
  for (const line of lines) {
    const { id } = JSON.parse(decoded(line.split('\t')[5]));
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const wanted = [[AHEAD, 1], ...Array.from({ length: IDENTIFIERS }, (_, id) => [id, GIVEN_TIMES])];
  return wanted.flatMap(([id, times]) => {
    const given = counts.get(id) ?? 0;
    return given === times ? [] : [`the identifier ${id} was emitted ${given} times, not ${times}`];
  });
}

describe('a record that is dated ahead', { skip: skips.inFull }, () => {
  const started = startedFor();

  /** Runs a worker over each part, and kills it. @returns what is wrong with the output, and what the first worker said and counted */
  async function differencesAfter(name, { main, algorithm }) {
    const { brokers, tool } = started.cluster;
    const topics = { input: name, output: `${name}.first` };
    for (const topic of Object.values(topics)) await tool.create(topic);
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-kafka-times-'));
    const window = `${WINDOW_MINUTES}m`;
    const flags = Object.entries({ ...topics, brokers, group: name, instance: name, state: folder, key: 'id', window });
    const detector = ['--algorithm', algorithm, ...ALGORITHMS[algorithm], '--memory', '4MiB', '--partitioned'];
    const workers = [];
    try {
      for (const records of parts()) {
        await writeRecords({ client: needed.client, brokers }, topics.input, records);
        const worker = Worker.start({
          main,
          flags: [...flags.flatMap(([flag, of]) => [`--${flag}`, of]), ...detector],
        });
        workers.push(worker);
        const isDone = async () => worker.hasEnded || (await worker.given()) === records.length;
        await waitFor('the end of the records', isDone, { seconds: SECONDS, told: () => worker.output });
        if (worker.hasEnded) return { differences: [`a worker ended: ${worker.lastLine}`] };
        worker.counted = await worker.metrics();
        await worker.kill();
      }
    } finally {
      await Promise.all(workers.filter(({ hasEnded }) => !hasEnded).map((worker) => worker.kill()));
      rmSync(folder, { recursive: true, force: true });
    }
    const [{ output, counted }] = workers;
    return { differences: differencesOf(await tool.read(topics.output)), output, counted };
  }

  for (const algorithm of Object.keys(ALGORITHMS)) {
    test(`moves no window of ${algorithm}, also when it is read again`, async () => {
      const { main } = started;
      const { differences, output, counted } = await differencesAfter(`times-${algorithm}`, { main, algorithm });
      const records = AGAIN_MINUTES.length * IDENTIFIERS + 1;
      tell(
        `a record ${AHEAD_MINUTES} minutes ahead of a window of ${WINDOW_MINUTES} minutes, and ${algorithm}`,
        `${records} records, ${differences.length} repeats that passed or new records that were lost`,
      );
      expectNone(differences);
      assert.match(
        output,
        /more than 1m ahead of this machine's clock: the record is compared, but does not move the window/,
      );
      assert.equal(counted.get('firstseen_kafka_untimely_records_total{time="early"}'), 1);
    });
  }

  test('is found out if it moves the window', () =>
    expectFound('a record that is ahead moves the window', {
      defect: defectOfTimes,
      async work(main) {
        const found = await differencesAfter('times-defect', { main, algorithm: 'exactwindow' });
        // Its window is ahead of the clock of the machine when it starts again.
        assert.match(found.differences.join(), /^a worker ended: .*E_CLOCK/);
        return found;
      },
      foundText: () => 'found: the next worker is refused, E_CLOCK',
    }));
});
