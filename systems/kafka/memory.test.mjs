// A backlog in many partitions, of records that compress well: what a worker fetches ahead has a bound, however much of it is unpacked.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { peakResidentBytes } from '../../tools/processes.mjs';
import { tell } from '../../tools/report.mjs';
import { defectOfFetching } from './support/defects.mjs';
import { expectFound } from './support/expecting.mjs';
import { needed, skips } from './support/options.mjs';
import { writeRecords } from './support/records.mjs';
import { startedFor } from './support/started.mjs';
import { waitFor } from './support/waiting.mjs';
import { Worker } from './support/worker.mjs';

const PARTITIONS = 48;
const ROUNDS = 8;
/** The records of a partition that are written in a round. */
const RECORDS = 32;
/** An answer of the client's own size has all of them. */
const ALL_RECORDS = PARTITIONS * ROUNDS * RECORDS;
const TEXT = 'x'.repeat(100_000);
/** The limit of deploy/kubernetes.kafka.yaml, without what the process for snapshots takes. */
const MAX_MEBIBYTES = 1024 - 130;
const SECONDS = 600;
const INPUT = 'memory';

/** Records that lz4 packs as much as it can. Few of them are emitted, so that the worker mostly reads. */
function recordsOf(round) {
  return Array.from({ length: PARTITIONS * RECORDS }, (_, i) => {
    const partition = i % PARTITIONS;
    return { id: `${partition}-${round}`, partition, text: TEXT };
  });
}

describe('a worker that reads a backlog of many partitions', { skip: skips.inFull }, () => {
  const started = startedFor();
  let isWritten = false;

  /** Writes the backlog, once for all workers. */
  async function write() {
    if (isWritten) return;
    const { brokers, tool } = started.cluster;
    await tool.create(INPUT, { partitions: PARTITIONS });
    for (let round = 0; round < ROUNDS; round++) {
      await writeRecords(
        { client: needed.client, brokers, properties: { 'compression.codec': 'lz4' } },
        INPUT,
        recordsOf(round),
      );
    }
    isWritten = true;
  }

  /** Runs a worker over the backlog. @returns the most memory that it had, in MiB */
  async function peakOf(group, main) {
    await write();
    const { brokers, tool } = started.cluster;
    const output = `${group}.first`;
    await tool.create(output, { partitions: PARTITIONS });
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-kafka-memory-'));
    const flags = Object.entries({ input: INPUT, output, brokers, group, state: folder, key: 'id', memory: '16MiB' });
    const worker = Worker.start({
      main,
      flags: [...flags.flatMap(([flag, of]) => [`--${flag}`, of]), '--partitioned'],
    });
    try {
      const isDone = async () => worker.hasEnded || (await worker.given()) === ALL_RECORDS;
      await waitFor('the end of the backlog', isDone, { seconds: SECONDS, told: () => worker.output });
      assert.equal(worker.hasEnded, false, worker.output);
      return Math.round(peakResidentBytes(worker.child.pid) / 2 ** 20);
    } finally {
      await worker.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test('stays within the memory that is said', async () => {
    const mebibytes = await peakOf('memory-bounded', started.main);
    tell(
      `a backlog of compressible records in ${PARTITIONS} partitions`,
      `at most ${mebibytes} MiB of ${MAX_MEBIBYTES} MiB`,
    );
    assert.ok(mebibytes <= MAX_MEBIBYTES, `the worker had ${mebibytes} MiB`);
  });

  test('is found out if it fetches as much as the client does by default', () =>
    expectFound('answers of brokers have no bound', {
      defect: defectOfFetching,
      async work(main) {
        const mebibytes = await peakOf('memory-defect', main);
        return { mebibytes, differences: mebibytes > MAX_MEBIBYTES ? [`${mebibytes} MiB`] : [] };
      },
      foundText: ({ mebibytes }) => `found: ${mebibytes} MiB`,
    }));
});
