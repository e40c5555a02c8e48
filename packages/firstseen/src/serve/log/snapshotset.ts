// The file of the snapshots of all detectors. It is written as a whole, read again and renamed, so it is complete or not there. Each detector
// is a block with its description, followed by blocks with more of its requests and claims, and by its snapshot, which has checksums of its
// own. The last block says how many detectors there are.

import { FirstseenError, optionName, type Phrase, phrase, shownValue } from '../../base/errors.js';
import { joinBytes } from '../../base/utf8.js';
import { replaceSnapshot } from '../../checkpoint/snapshotfile.js';
import { shownPath } from '../../io/system/paths.js';
import { checksumIn, checksumKernel } from '../../snapshot/checksum.js';
import { DecodedSettings } from '../../snapshot/format.js';
import type { Checksum } from '../../snapshot/frame.js';
import type { SnapshotSource } from '../../snapshot/parts.js';
import { type Portion, portionsOf } from '../store/portions.js';
import { type DetectorRequest, jsonText } from '../store/request.js';
import { type Block, BlockReader, encodeBlock } from './blocks.js';
import { pathOf } from './files.js';
import { verifySnapshot } from './verify.js';

/** The description of a detector, besides its snapshot. */
export interface Description extends Portion {
  number: number;
  name: string;
  request: DetectorRequest;
  memoryBytes: number;
  snapshotBytes: number;
}

/** The requests and the claims of a block. */
const PORTION_ITEMS = 2 ** 13;

/** A description as it is written: with the first portion, and the number of the others. */
type Written = Description & { more?: number | undefined };

/** The end of the file. */
interface Ending {
  detectors: number;
  /** The number of the next detector. */
  nextDetector: number;
  /** The number of the last block of the log that the snapshots have. */
  lastBlock: number;
}

/** Snapshots that are not larger are read as a whole. That of a detector that shares a kernel always is. */
export const MAX_WHOLE_BYTES = 2 ** 22;
const PIECE_BYTES = 2 ** 20;
/** Pieces are joined up to so many bytes, so that many small detectors take few writes. */
const WRITTEN_BYTES = 2 ** 20;

const DESCRIPTION = 1;
const ENDING = 2;
const MORE = 3;

function encodeJson(kind: number, value: object, checksum: Checksum): Buffer {
  return encodeBlock({ number: kind, synced: 0 }, Buffer.from(jsonText(value)), checksum);
}

/** A detector to be written: its description, and the pieces of its snapshot. */
export interface Saved {
  description: Omit<Description, 'snapshotBytes'>;
  snapshotBytes: number;
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Joins pieces that are short. */
async function* joined(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [waiting, bytes]: [Uint8Array[], number] = [[], 0];
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < WRITTEN_BYTES) continue;
    yield joinBytes(waiting);
    [waiting, bytes] = [[], 0];
  }
  if (bytes > 0) yield joinBytes(waiting);
}

async function* piecesOfSet(
  saved: AsyncIterable<Saved>,
  endingOf: () => Omit<Ending, 'detectors'>,
  checksum: Checksum,
): AsyncGenerator<Uint8Array> {
  let detectors = 0;
  for await (const { description, snapshotBytes, pieces } of saved) {
    const [first, ...furtherPortions] = portionsOf(description, PORTION_ITEMS);
    const written: Written = { ...description, ...first, snapshotBytes, more: furtherPortions.length };
    yield encodeJson(DESCRIPTION, written, checksum);
    for (const portion of furtherPortions) yield encodeJson(MORE, portion, checksum);
    yield* pieces;
    detectors++;
  }
  yield encodeJson(ENDING, { ...endingOf(), detectors }, checksum);
}

/** The bytes of a set, in pieces. */
export function encodeSet(...set: Parameters<typeof piecesOfSet>): AsyncGenerator<Uint8Array> {
  return joined(piecesOfSet(...set));
}

function broken(path: string, problem: string | Phrase): FirstseenError {
  return new FirstseenError('E_SNAPSHOT', phrase`${shownPath(path)} is not a complete set of snapshots: ${problem}`, {
    remedy: phrase`restore the data folder from a copy; without a copy, begin with another ${optionName('folder')}: all keys are distinct again`,
  });
}

/** The error for a detector of a set that cannot be read. Errors that are not of its bytes stay as they are. */
export function unreadable(path: string, name: string, error: unknown): unknown {
  if (!(error instanceof FirstseenError) || error.code !== 'E_SNAPSHOT') return error;
  return broken(path, phrase`the detector ${shownValue(name)} cannot be read (${error.data.problem})`);
}

/** A detector in a set. */
export interface InSet extends Description {
  /** Reads its snapshot: in pieces, if it is large. */
  read(): Promise<Uint8Array | AsyncIterable<Uint8Array>>;
  /** The bytes of its snapshot in the file. */
  readonly source: SnapshotSource;
}

/** A set that is open for reading. */
export interface SnapshotSet extends Ending {
  entries: readonly InSet[];
  close(): Promise<void>;
}

/** A snapshot in a set. */
interface Place {
  reader: BlockReader;
  path: string;
  from: number;
  bytes: number;
  onProgress: (() => void) | undefined;
}

async function* piecesOf({ reader, from, bytes, onProgress }: Place): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    yield reader.read(Math.min(PIECE_BYTES, bytes - at), from + at);
    onProgress?.();
  }
}

async function readSnapshot(place: Place): ReturnType<InSet['read']> {
  const { reader, from, bytes } = place;
  return bytes <= MAX_WHOLE_BYTES ? reader.read(bytes, from) : piecesOf(place);
}

function sourceOf({ reader, path, from, bytes, onProgress }: Place): SnapshotSource {
  return {
    bytes,
    readAt: async (target, position) => {
      onProgress?.();
      const readBytes = await reader.readInto(target, from + position);
      if (readBytes < target.length) throw broken(path, 'it was truncated while it was read');
    },
  };
}

/** Reads a block of a set, and its JSON. */
async function readJson(reader: BlockReader, path: string, at: number): Promise<Block & { value: unknown }> {
  const block = await reader.block(at);
  if (block === undefined) throw broken(path, `it has no block at byte ${at}`);
  return { ...block, value: JSON.parse(block.records.toString()) };
}

/** The options for reading a set. */
interface SetReading {
  /** Of what other detectors have, neither requests nor claims are kept; all by default. */
  isWanted?: (number: number) => boolean;
  /** Called for each part of a snapshot. */
  onProgress?: (() => void) | undefined;
}

async function readEntries(reader: BlockReader, path: string, reading: SetReading): Promise<SnapshotSet> {
  const { isWanted = () => true, onProgress } = reading;
  const entries: InSet[] = [];
  for (let at = 0; ; ) {
    const block = await readJson(reader, path, at);
    const { value } = block;
    if (block.number === ENDING) {
      const ending = value as Ending;
      if (ending.detectors !== entries.length)
        throw broken(path, `it has only ${entries.length} of ${ending.detectors} detectors`);
      return { ...ending, entries, close: () => reader.close() };
    }
    const { more = 0, ...description } = value as Written;
    let { next } = block;
    if (!isWanted(description.number)) Object.assign(description, { requests: [], held: [] } satisfies Portion);
    for (let i = 0; i < more; i++) {
      const portion = await readJson(reader, path, next);
      next = portion.next;
      if (!isWanted(description.number)) continue;
      const { requests, held } = portion.value as Portion;
      for (const request of requests) description.requests.push(request);
      for (const claim of held) description.held.push(claim);
    }
    const [from, bytes] = [next, description.snapshotBytes];
    const place = { reader, path, from, bytes, onProgress };
    entries.push({ ...description, source: sourceOf(place), read: () => readSnapshot(place) });
    at = from + bytes;
  }
}

/** Opens a set. @throws FirstseenError E_SNAPSHOT when it is not complete */
export async function openSet(path: string, checksum: Checksum, reading: SetReading = {}): Promise<SnapshotSet> {
  const reader = await BlockReader.open(path, checksum);
  try {
    return await readEntries(reader, path, reading);
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** A detector of a set that is open for reading. */
export interface OpenDetector {
  detector: InSet;
  close(): Promise<void>;
}

/** Opens a set for one detector; undefined if the set does not have it. @throws as `openSet` */
export async function openInSet(path: string, number: number, checksum: Checksum): Promise<OpenDetector | undefined> {
  const set = await openSet(path, checksum, { isWanted: (one) => one === number });
  const detector = set.entries.find((entry) => entry.number === number);
  if (detector) return { detector, close: () => set.close() };
  await set.close();
  return undefined;
}

/**
 * Reads a set through, and compares the checksums of all snapshots. It needs little memory.
 * @throws FirstseenError E_SNAPSHOT unless each byte is the one that was saved
 */
export async function verifySet(path: string, onProgress?: () => void): Promise<void> {
  const kernel = await checksumKernel(undefined);
  const decoded = new DecodedSettings();
  const set = await openSet(path, checksumIn(kernel), { isWanted: () => false, onProgress });
  try {
    for (const { name, source } of set.entries) {
      await verifySnapshot(source, { kernel, decoded }).catch((error) => {
        throw unreadable(path, name, error);
      });
    }
  } finally {
    await set.close();
  }
}

export interface NewSet {
  folder: string;
  sequence: number;
  /** The file in which the set is written before it gets its name. */
  part: string;
  snapshot: AsyncIterable<Uint8Array>;
  /** Called for each part that was written or read again. */
  onProgress?: (() => void) | undefined;
}

/** Writes a set, reads it again, and then renames it. @throws FirstseenError E_STATE_FILE or E_SNAPSHOT; then nothing is renamed */
export async function writeSet({ folder, sequence, part, snapshot, onProgress }: NewSet): Promise<void> {
  const path = pathOf(folder, 'snapshot', sequence);
  const verify = () => verifySet(part, onProgress);
  await replaceSnapshot({ path, part, snapshot, verify, check: () => undefined, onProgress });
}
