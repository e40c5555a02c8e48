// The file of the snapshots of all detectors. It is written as a whole and renamed, so it is complete or not there. Each detector is a
// block with its description, followed by its snapshot, which has checksums of its own. The last block says how many there are.

import { FirstseenError } from '../../base/errors.js';
import { replaceSnapshot } from '../../checkpoint/snapshotfile.js';
import type { Claims } from '../../claims/claims.js';
import type { HeldClaim } from '../../claims/held.js';
import { shownPath } from '../../io/system/paths.js';
import type { Checksum } from '../../snapshot/frame.js';
import type { DetectorRequest } from '../store/request.js';
import type { SavedRequest } from '../store/requestids.js';
import { BlockReader, encodeBlock } from './blocks.js';
import { pathOf } from './files.js';

/** What is known of a detector besides its snapshot. */
export interface Description {
  number: number;
  name: string;
  request: DetectorRequest;
  requests: SavedRequest[];
  /** What claims hold. */
  held: SavedClaim[];
  memoryBytes: number;
  snapshotBytes: number;
}

/** A claim as JSON, in which a fingerprint is a text of digits. */
type SavedClaim = Omit<HeldClaim, 'fingerprint'> & { fingerprint: string };

export function savedClaims(claims: Claims | undefined): SavedClaim[] {
  return claims?.heldClaims().map((claim) => ({ ...claim, fingerprint: String(claim.fingerprint) })) ?? [];
}

export function heldOf(saved: readonly SavedClaim[]): HeldClaim[] {
  return saved.map((claim) => ({ ...claim, fingerprint: BigInt(claim.fingerprint) }));
}

/** The end of the file. */
interface Ending {
  detectors: number;
  /** The number of the next detector. */
  nextDetector: number;
  /** The number of the last block of the log that the snapshots have. */
  lastBlock: number;
}

/** Snapshots that are not larger are read as a whole. That of a detector that shares a kernel always is. */
const MOST_WHOLE_BYTES = 2 ** 22;
const PIECE_BYTES = 2 ** 20;

const DESCRIPTION = 1;
const ENDING = 2;

function encodeJson(kind: number, value: object, checksum: Checksum): Buffer {
  const text = JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? String(one) : one));
  return encodeBlock({ number: kind, synced: 0 }, Buffer.from(text), checksum);
}

/** A detector to be written: its description, and the pieces of its snapshot. */
export interface Saved {
  description: Omit<Description, 'snapshotBytes'>;
  snapshotBytes: number;
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** The bytes of a set, in pieces. */
export async function* encodeSet(
  saved: AsyncIterable<Saved>,
  endingOf: () => Omit<Ending, 'detectors'>,
  checksum: Checksum,
): AsyncGenerator<Uint8Array> {
  let detectors = 0;
  for await (const { description, snapshotBytes, pieces } of saved) {
    yield encodeJson(DESCRIPTION, { ...description, snapshotBytes }, checksum);
    yield* pieces;
    detectors++;
  }
  yield encodeJson(ENDING, { ...endingOf(), detectors }, checksum);
}

function broken(path: string, problem: string): FirstseenError {
  return new FirstseenError('E_SNAPSHOT', `${shownPath(path)} is not a complete set of snapshots: ${problem}`, {
    remedy: 'restore the data folder from a copy',
  });
}

/** A detector in a set. */
export interface InSet extends Description {
  /** Reads its snapshot: in pieces, if it is large. */
  read(): Promise<Uint8Array | AsyncIterable<Uint8Array>>;
}

/** A set that is open for reading. */
export interface SnapshotSet extends Ending {
  entries: readonly InSet[];
  close(): Promise<void>;
}

async function* piecesOf(reader: BlockReader, from: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += PIECE_BYTES) yield reader.read(Math.min(PIECE_BYTES, bytes - at), from + at);
}

async function readSnapshot(reader: BlockReader, from: number, bytes: number): ReturnType<InSet['read']> {
  return bytes <= MOST_WHOLE_BYTES ? reader.read(bytes, from) : piecesOf(reader, from, bytes);
}

async function readEntries(reader: BlockReader, path: string): Promise<SnapshotSet> {
  const entries: InSet[] = [];
  for (let at = 0; ; ) {
    const block = await reader.block(at);
    if (block === undefined) throw broken(path, `it has no block at byte ${at}`);
    const value: unknown = JSON.parse(block.records.toString());
    if (block.number === ENDING) {
      const ending = value as Ending;
      if (ending.detectors !== entries.length)
        throw broken(path, `it has ${entries.length} of ${ending.detectors} detectors`);
      return { ...ending, entries, close: () => reader.close() };
    }
    const description = value as Description;
    const { next } = block;
    entries.push({ ...description, read: () => readSnapshot(reader, next, description.snapshotBytes) });
    at = next + description.snapshotBytes;
  }
}

/** Opens a set. @throws FirstseenError E_SNAPSHOT when it is not complete */
export async function openSet(path: string, checksum: Checksum): Promise<SnapshotSet> {
  const reader = await BlockReader.open(path, checksum);
  try {
    return await readEntries(reader, path);
  } catch (error) {
    await reader.close();
    throw error;
  }
}

export interface NewSet {
  folder: string;
  sequence: number;
  /** The file in which the set is written before it gets its name. */
  part: string;
  snapshot: AsyncIterable<Uint8Array>;
  checksum: Checksum;
}

/** Writes a set, checks that it is complete, and then renames it. @throws FirstseenError E_STATE_FILE or E_SNAPSHOT; then nothing is renamed */
export async function writeSet({ folder, sequence, part, snapshot, checksum }: NewSet): Promise<void> {
  const verify = async (written: string) => (await openSet(written, checksum)).close();
  const path = pathOf(folder, 'snapshot', sequence);
  await replaceSnapshot({ path, part, snapshot, verify, check: () => undefined });
}
