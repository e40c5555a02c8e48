// Writes the snapshots of all detectors after a part of the log: what was saved before, and what the log changed. It needs the memory of
// a group of detectors at a time, and reads the log once for each group.

import { FirstseenError } from '../../base/errors.js';
import type { Checksum } from '../../snapshot/frame.js';
import { snapshotBytesOf, snapshotChunks } from '../../snapshot/streams.js';
import { applyChange, type Begun, type LogRecord, type ReplayTarget } from '../store/changes.js';
import type { DetectorEntry } from '../store/entry.js';
import { heldOf, savedClaims } from '../store/portions.js';
import { GROUP_BYTES } from '../store/room.js';
import { DetectorStore, type SavedDetector } from '../store/store.js';
import { BlockReader } from './blocks.js';
import { MEMORY_ONLY, pathOf, sequencesOf } from './files.js';
import { readImport } from './imports.js';
import { decodeHead, LOG_HEAD_BYTES } from './logfile.js';
import { errorIn } from './marker.js';
import { recordsIn } from './records.js';
import { blocksOf } from './replay.js';
import { encodeSet, openSet, type Saved, type SnapshotSet, writeSet } from './snapshotset.js';

export interface CompactOptions {
  folder: string;
  /** The sequence of the snapshots to begin with; undefined if there are none. */
  from: number | undefined;
  /** The sequence of the new snapshots: they have all logs before it. */
  to: number;
  /** The file in which the snapshots are written before they get their name. */
  part: string;
  checksum: Checksum;
  /** Called for each part that was read or written. */
  onProgress?: (() => void) | undefined;
}

/** A detector that is there at the end of the log, and how it began. */
interface Survivor {
  number: number;
  memoryBytes: number;
  read(): Promise<SavedDetector>;
}

/** The number of the last block before the log that follows: what it says in its head. */
async function lastBlockBefore({ folder, to, checksum }: CompactOptions): Promise<number> {
  const reader = await BlockReader.open(pathOf(folder, 'log', to), checksum);
  try {
    const head = decodeHead(await reader.read(LOG_HEAD_BYTES, 0), checksum);
    if (head === undefined) throw incomplete(`the log ${to} has no header`);
    return head.firstBlock - 1;
  } finally {
    await reader.close();
  }
}

function incomplete(problem: string): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `the log cannot be compacted: ${problem}`, {
    remedy: MEMORY_ONLY,
  });
}

/**
 * The records of a log that is whole up to a block.
 * @throws FirstseenError E_STATE_FILE when it is not: what was acknowledged would be lost with the log.
 */
async function* readLog(options: CompactOptions, firstBlock: number, lastBlock: number): AsyncGenerator<LogRecord> {
  const { folder, to, from = 0, checksum, onProgress } = options;
  const sequences = (await sequencesOf(folder, 'log')).filter((sequence) => sequence >= from && sequence < to);
  let lastRead = firstBlock;
  for await (const { number, records } of blocksOf({
    folder,
    sequences,
    lastBlock: lastRead,
    checksum,
    onDamage: 'fail',
  })) {
    yield* recordsIn(records);
    onProgress?.();
    lastRead = number;
  }
  if (lastRead !== lastBlock) throw incomplete(`it ends with the block ${lastRead}, not ${lastBlock}`);
}

/** The detectors that are there at the end of the log, in the order of their numbers. */
async function survivorsOf(
  records: AsyncIterable<LogRecord>,
  set: SnapshotSet | undefined,
  { folder, onProgress }: CompactOptions,
): Promise<Survivor[]> {
  const survivors = new Map<number, Survivor>();
  for (const { number, name, memoryBytes, request, requests, held, read } of set?.entries ?? []) {
    const saved = async () => ({ number, name, request, requests, held: heldOf(held), snapshot: await read() });
    survivors.set(number, { number, memoryBytes, read: saved });
  }
  const begin = (
    { number, name, request, memoryBytes }: Begun & { number: number },
    read: () => Promise<Pick<SavedDetector, 'snapshot'>>,
  ) => {
    const saved = async () => ({ ...{ number, name, requests: [], held: [] }, ...(await read()), request });
    survivors.set(number, { number, memoryBytes, read: saved });
  };
  const target: ReplayTarget = {
    find: () => undefined,
    create: (created) => begin(created, async () => ({ snapshot: created.snapshot })),
    take: (sent) => begin(sent, () => readImport(folder, sent.number, onProgress)),
    drop: (number) => void survivors.delete(number),
  };
  for await (const record of records) await applyChange(target, record);
  return [...survivors.values()];
}

/** Groups that take little memory, or have one detector. */
function groupsOf(survivors: readonly Survivor[]): Survivor[][] {
  const groups: Survivor[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const survivor of survivors) {
    if (bytes + survivor.memoryBytes > GROUP_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(survivor);
    bytes += survivor.memoryBytes;
  }
  return groups;
}

/** A detector as it is written. It must not be used until its pieces are taken. */
export async function savedOf(store: DetectorStore, entry: DetectorEntry): Promise<Saved> {
  const { number, name, request, requests, claims, memoryBytes, detector } = entry;
  const description = { number, name, request, requests: requests.saved(), held: savedClaims(claims), memoryBytes };
  // The chunks of a snapshot need a kernel for their checksums, which takes longer to make than a small snapshot.
  const shared = await store.sharedSnapshot(entry);
  if (shared) return { description, snapshotBytes: shared.length, pieces: [shared] };
  return { description, snapshotBytes: snapshotBytesOf(detector), pieces: snapshotChunks(detector) };
}

/** The detectors of a group after the log. */
async function* replayGroup(
  group: readonly Survivor[],
  records: AsyncIterable<LogRecord>,
  folder: string,
): AsyncGenerator<Saved> {
  const most = Number.POSITIVE_INFINITY;
  const store = new DetectorStore({ memoryBytes: most, maxDetectors: most, maxNameBytes: most });
  for (const { read } of group) await store.restore(await read());
  const ignore = () => undefined;
  // How the group began is known. What was dropped is not in it.
  const target = { ...replaying(store, folder), create: ignore, take: ignore, drop: ignore };
  for await (const record of records) await applyChange(target, record);
  store.endReplay();
  for (const { number } of group) yield await savedOf(store, store.findNumber(number) as DetectorEntry);
  store.close();
}

/** A store as what the log of a folder changes. */
export function replaying(store: DetectorStore, folder: string): ReplayTarget {
  return {
    find: (number) => store.findNumber(number),
    create: (created) => store.restore({ ...created, requests: [], held: [] }),
    take: async (sent) => store.restore({ ...(await readImport(folder, sent.number)), ...sent }),
    drop(number) {
      const entry = store.findNumber(number);
      if (entry) store.drop(entry.name);
    },
  };
}

/**
 * Replaces the snapshots by those after the log. At every moment there is a complete set.
 * @throws FirstseenError E_SNAPSHOT or E_STATE_FILE when a file is damaged, or cannot be written.
 */
export async function compact(options: CompactOptions): Promise<void> {
  const { folder, from, to, part, checksum, onProgress } = options;
  const set =
    from === undefined ? undefined : await openSet(pathOf(folder, 'snapshot', from), checksum, { onProgress });
  const firstBlock = set?.lastBlock ?? 0;
  try {
    const lastBlock = await lastBlockBefore(options);
    const survivors = await survivorsOf(readLog(options, firstBlock, lastBlock), set, options);
    const nextDetector = Math.max(set?.nextDetector ?? 1, ...survivors.slice(-1).map(({ number }) => number + 1));
    async function* saved(): AsyncGenerator<Saved> {
      for (const group of groupsOf(survivors))
        yield* replayGroup(group, readLog(options, firstBlock, lastBlock), folder);
    }
    const endingOf = () => ({ nextDetector, lastBlock });
    await writeSet({ folder, sequence: to, part, snapshot: encodeSet(saved(), endingOf, checksum), onProgress });
  } catch (error) {
    throw errorIn(folder, error);
  } finally {
    await set?.close();
  }
}
