// Writes the snapshots of all detectors after a part of the log: what was saved before, and what the log changed. It needs the memory of
// a group of detectors at a time, and reads the log once for each group. Of the others, it has little more than their numbers.

import { FirstseenError } from '../../base/errors.js';
import { assertInvariant } from '../../base/invariant.js';
import type { Checksum } from '../../snapshot/frame.js';
import { snapshotBytesOf, snapshotChunks } from '../../snapshot/streams.js';
import { applyChange, type LogRecord, type ReplayTarget } from '../store/changes.js';
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

/** A detector that is there at the end of the log. */
interface Survivor {
  number: number;
  memoryBytes: number;
  /** Undefined for one that begins in the log. */
  read?: (() => Promise<SavedDetector>) | undefined;
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

/** The detectors that are there at the end of the log, in the order in which they began. */
async function survivorsOf(records: AsyncIterable<LogRecord>, set: SnapshotSet | undefined): Promise<Survivor[]> {
  const survivors = new Map<number, Survivor>();
  for (const { number, name, memoryBytes, request, requests, held, read } of set?.entries ?? []) {
    const saved = async () => ({ number, name, request, requests, held: heldOf(held), snapshot: await read() });
    survivors.set(number, { number, memoryBytes, read: saved });
  }
  const begin = ({ number, memoryBytes }: Survivor) => void survivors.set(number, { number, memoryBytes });
  const target: ReplayTarget = {
    find: () => undefined,
    create: begin,
    take: begin,
    drop: (number) => void survivors.delete(number),
  };
  for await (const record of records) await applyChange(target, record);
  return [...survivors.values()];
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

/**
 * The first detectors after the log, as many as a group has: until they take its memory, with what they have besides the cells. One that
 * takes more is alone.
 */
async function* replayGroup(
  survivors: readonly Survivor[],
  records: AsyncIterable<LogRecord>,
  { folder, onProgress }: CompactOptions,
): AsyncGenerator<Saved> {
  const most = Number.POSITIVE_INFINITY;
  const store = new DetectorStore({ memoryBytes: most, maxDetectors: most, maxNameBytes: most });
  const next = () => {
    const survivor = survivors[store.count];
    const isFull = survivor && store.count > 0 && store.usedBytes + survivor.memoryBytes > GROUP_BYTES;
    return isFull ? undefined : survivor;
  };
  for (let read = next()?.read; read; read = next()?.read) await store.restore(await read());
  const { find, create, take } = replaying(store, folder, onProgress);
  const target: ReplayTarget = {
    find,
    create: (created) => (created.number === next()?.number ? create(created) : undefined),
    take: (sent) => (sent.number === next()?.number ? take(sent) : undefined),
    // What was dropped is not in the group.
    drop: () => undefined,
  };
  for await (const record of records) await applyChange(target, record);
  store.endReplay();
  for (const entry of store.list()) yield await savedOf(store, entry);
  store.close();
}

/** A store as what the log of a folder changes. */
export function replaying(store: DetectorStore, folder: string, onProgress?: () => void): ReplayTarget {
  return {
    find: (number) => store.findNumber(number),
    create: (created) => store.restore({ ...created, requests: [], held: [] }),
    take: async (sent) => store.restore({ ...(await readImport(folder, sent.number, onProgress)), ...sent }),
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
    const survivors = await survivorsOf(readLog(options, firstBlock, lastBlock), set);
    const nextDetector = Math.max(set?.nextDetector ?? 1, ...survivors.slice(-1).map(({ number }) => number + 1));
    async function* saved(): AsyncGenerator<Saved> {
      for (let written = 0; written < survivors.length; ) {
        const before = written;
        const records = readLog(options, firstBlock, lastBlock);
        for await (const detector of replayGroup(survivors.slice(written), records, options)) {
          written++;
          yield detector;
        }
        const { number } = survivors[before] as Survivor;
        assertInvariant(written > before, 'a log has the beginning of each of its detectors', { number });
      }
    }
    const endingOf = () => ({ nextDetector, lastBlock });
    await writeSet({ folder, sequence: to, part, snapshot: encodeSet(saved(), endingOf, checksum), onProgress });
  } catch (error) {
    throw errorIn(folder, error);
  } finally {
    await set?.close();
  }
}
