// A backlog of many windows in a topic whose identifiers are in all partitions: no repeat passes that is in the window.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tell } from '../../tools/report.mjs';
import { writeBacklog } from './support/backlog.mjs';
import { defectOfSteps } from './support/defects.mjs';
import { expectFound } from './support/expecting.mjs';
import { needed, skips } from './support/options.mjs';
import { startedFor } from './support/started.mjs';
import { waitFor } from './support/waiting.mjs';
import { Worker } from './support/worker.mjs';

const PARTITIONS = 4;
const load = { partitions: PARTITIONS, hours: 40, keysPerHour: 500 };
const SECONDS = 120;

describe('a worker that repartitions a backlog', { skip: skips.inFull }, () => {
  const started = startedFor();

  /** Whether a worker has emitted all records. */
  const isDone = async (worker) => (await worker.given()) === 2 * load.hours * load.keysPerHour;

  /** Runs a worker over a backlog. @returns the number of identifiers, and of the records that it has written */
  async function firstsOf(name, main) {
    const { cluster } = started;
    const { brokers } = cluster;
    const topics = { input: name, repartition: `${name}.by-id`, output: `${name}.first` };
    for (const topic of Object.values(topics)) await cluster.tool.create(topic, { partitions: PARTITIONS });
    const identifiers = await writeBacklog({ client: needed.client, brokers }, topics.input, load);
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-kafka-backlog-'));
    const flags = Object.entries({ ...topics, brokers, group: name, state: folder, key: 'id', window: '1h' });
    const detector = ['--algorithm', 'exactwindow', '--memory', '16MiB'];
    const worker = Worker.start({
      main,
      flags: [...flags.flatMap(([flag, value]) => [`--${flag}`, value]), ...detector],
    });
    try {
      await waitFor('the end of the backlog', () => isDone(worker), { seconds: SECONDS, told: () => worker.output });
    } finally {
      await worker.kill();
      rmSync(folder, { recursive: true, force: true });
    }
    return { identifiers, firsts: (await cluster.tool.read(topics.output)).length };
  }

  test(`lets no repeat pass over ${load.hours} windows`, async () => {
    const { identifiers, firsts } = await firstsOf('backlog', started.main);
    tell(`a backlog of ${load.hours} windows`, `${firsts} of ${2 * identifiers} records emitted, each identifier once`);
    assert.equal(firsts, identifiers);
  });

  test('is found out if partitions are read out of step', () =>
    expectFound('partitions are read out of step', {
      defect: defectOfSteps,
      work: async (main) => {
        const { identifiers, firsts } = await firstsOf('backlog-defect', main);
        return { differences: new Array(firsts - identifiers).fill('a repeat that passed') };
      },
      foundText: ({ differences }) => `found: ${differences.length} repeats passed`,
    }));
});
