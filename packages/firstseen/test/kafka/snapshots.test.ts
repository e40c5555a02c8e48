// Names of the files of snapshots.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FirstseenError } from '../../src/base/errors.js';
import { Detector } from '../../src/detectors/detector.js';
import { systemDetails } from '../../src/io/system/systemproblem.js';
import { inFolder, SnapshotFolder, type SnapshotNote } from '../../src/kafka/partition/snapshots.js';
import { temporaryFolder } from '../cli/support/command.js';
import { content, FakeCluster } from './support/fakecluster.js';
import { isDone, ranToEnd, settingsFor, topics } from './support/workers.js';

const detectorId = '0123456789abcdef';
const small = () => Detector.create({ window: 20, memory: '4KiB' });

/** The longest topic whose name is in those of its files as it is, with a partition of one digit. */
const FITTING_CHARACTERS = 120;

it.each([1, FITTING_CHARACTERS, FITTING_CHARACTERS + 1, 249])(
  'writes, reads and removes files of a topic of %d characters',
  async (length) => {
    const path = temporaryFolder();
    const folder = new SnapshotFolder(path);
    const note: SnapshotNote = { group: 'dedup', input: 't'.repeat(length), partition: 1, detectorId, offset: 5 };
    const other: SnapshotNote = { ...note, input: `${'t'.repeat(length - 1)}u` };
    const [detector, changed] = [await small(), await small()];
    changed.observe('a');
    const kept = await folder.write(detector, note);
    const removed = await folder.write(changed, note);
    const others = await folder.write(detector, other);
    if (length <= FITTING_CHARACTERS) expect(kept.file.startsWith(`${note.input}-1-${detectorId}-`)).toBe(true);
    expect((await folder.read(removed, {})).observed).toBe(1);
    await expect(folder.read({ ...others, offset: 6 }, {})).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
    await folder.removeOthers(note, [kept], Date.now() + 60_000);
    expect(readdirSync(path).sort()).toEqual([kept.file, others.file].sort());
  },
);

it('says of a full disk what to do with the folder', () => {
  const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const error = new FirstseenError('E_STATE_FILE', 'cannot write state s: its disk is full', {
    ...systemDetails(cause, 'write'),
  });
  expect(inFolder(error)).toMatchObject({
    code: 'E_STATE_FILE',
    message:
      'cannot write state s: its disk is full; free space, or stop the workers and move the folder to another disk',
  });
});

it('goes on with the longest name that a topic may have, and with the largest partition', async () => {
  const input = 'long.topic_'.repeat(23).slice(0, 249);
  const cluster = new FakeCluster();
  const named = { ...topics, input };
  for (const topic of Object.values(named)) cluster.make(topic, 1);
  const settings = settingsFor({ partitions: 1, topics: named });
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 50; i++) cluster.append(input, 0, content(null, JSON.stringify({ id: i + 40 * round })));
    const { ended } = await ranToEnd(cluster, { settings }, () => isDone(cluster, input));
    expect(await ended).toBe(undefined);
  }
  expect(cluster.committedFrom(topics.output, 0, 0).records).toHaveLength(130);
  const note = { group: 'dedup', input, partition: 2 ** 31 - 1, detectorId, offset: 0 };
  await expect(new SnapshotFolder(settings.folder).write(await small(), note)).resolves.toBeDefined();
});
