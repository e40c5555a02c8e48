// Saves detectors as snapshots and loads them.

import { type BytesSource, bytesIn, isBytes, isBytesSource, isDetached, typeText } from '../base/bytes.js';
import { checkAttached, detachedError } from '../base/check.js';
import { formatCount, formatCounted } from '../base/count.js';
import { tell } from '../base/diagnostics.js';
import { FirstseenError, invalidOption } from '../base/errors.js';
import { joinBytes } from '../base/utf8.js';
import { refuseOther } from '../detectors/checkdetector.js';
import { Detector, isDetector, kernelOf } from '../detectors/detector.js';
import type { HostOptions } from '../detectors/host.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { Kernel } from '../kernel/kernel.js';
import { checksumIn, headerChecksum } from './checksum.js';
import { encodeHeader, headerOf, type SnapshotHeader } from './format.js';
import {
  brokenSnapshot,
  CHECKSUM_BYTES,
  type Checksum,
  checkNoteBytes,
  checkPart,
  decodeFrame,
  encodeTrailer,
  FIXED_HEADER_BYTES,
  type Frame,
  noteTooLong,
  readLengths,
} from './frame.js';

export const emptyNote = new Uint8Array(0);

/** Bytes of a header that a stream gives before memory is allocated for more of it. */
const PIECE_BYTES = 2 ** 20;

/** Bytes of a region up to its last word that is not zero. */
export function usedPart(kernel: Kernel, region: Uint8Array): Uint8Array {
  return region.subarray(0, kernel.exports.usedBytes(region.byteOffset, region.length) >>> 0);
}

/** An object that is not a detector, but has snapshots too. */
export interface Snapshotable {
  /** The note of the snapshot from which it was loaded; empty for a new one. */
  readonly note: Uint8Array;
  /**
   * The module of its kernel, as `Kernel.module`.
   * @internal
   */
  readonly kernelModule: WebAssembly.Module | undefined;
  /**
   * The parts of a snapshot, some of which are views of its memory.
   * @internal
   */
  snapshotParts(note: Uint8Array, checksum: Checksum): Uint8Array[];
  /**
   * Numbers, at least one of which changes with each element.
   * @internal
   */
  registers(): BigUint64Array;
}

/** A detector, a detector of near-duplicates, or range motifs. */
export type Savable = Detector | Snapshotable;

/** @throws FirstseenError E_PARAMETER unless the value has snapshots. */
export function checkSavable(value: unknown): void {
  if (typeof value === 'object' && value !== null) {
    if (isDetector(value) || typeof (value as Partial<Snapshotable>).snapshotParts === 'function') return;
    refuseOther('saved', value);
  }
  const remedy = 'pass what create, createNear, createMotifs or a function that loads resolves to';
  const expected = 'a detector, a detector of near-duplicates, or range motifs';
  throw invalidOption({ option: 'saved', given: value, expected, remedy });
}

/**
 * A copy of a note, which its program may change at once.
 * @throws FirstseenError E_PARAMETER unless it is bytes, and not too many.
 */
export function copyNote(note: Uint8Array): Uint8Array {
  if (isBytes(note) && !isDetached(note)) {
    checkNoteBytes(note.length);
    return new Uint8Array(note);
  }
  const givenText = isBytes(note) ? 'a detached Uint8Array' : `of type ${typeof note}`;
  throw invalidOption({ option: 'note', given: note, givenText, expected: 'a Uint8Array' });
}

function partsOf(saved: Savable, note: Uint8Array, checksum: Checksum): Uint8Array[] {
  return isDetector(saved) ? partsOfDetector(saved, note, checksum) : saved.snapshotParts(note, checksum);
}

/** @throws FirstseenError E_PARAMETER when it is longer than a text can be. */
function jsonOf(note: object): string {
  try {
    return JSON.stringify(note);
  } catch (error) {
    if (error instanceof RangeError) throw noteTooLong();
    throw error;
  }
}

/**
 * The JSON of a note.
 * @throws FirstseenError E_PARAMETER when it is too long.
 */
export function encodeJsonNote(note: object): Uint8Array {
  const bytes = new TextEncoder().encode(jsonOf(note));
  checkNoteBytes(bytes.length);
  return bytes;
}

/** @param settings those of the detector, or others that the snapshot is to have */
export function partsOfDetector(
  detector: Detector,
  note: Uint8Array,
  checksum: Checksum,
  settings: DetectorSettings = detector.settings,
): Uint8Array[] {
  const kernel = kernelOf(detector);
  const regions = [usedPart(kernel, kernel.cells)];
  if (settings.witnessBytes > 0) regions.push(usedPart(kernel, kernel.witness));
  const [storedCellsBytes = 0, storedWitnessBytes = 0] = regions.map((part) => part.length);
  const header = { settings, registers: detector.registers(), note, storedCellsBytes, storedWitnessBytes };
  const trailed = regions.flatMap((part) => [part, encodeTrailer(part, checksumIn(kernel))]);
  return [encodeHeader(header, checksum), ...trailed];
}

/**
 * A snapshot in consecutive parts. The cells and the witness are views of the detector's memory: write them before the detector
 * observes another element.
 */
export async function snapshotParts(saved: Savable, note: Uint8Array = emptyNote): Promise<Uint8Array[]> {
  const kept = copyNote(note);
  return partsOf(saved, kept, await headerChecksum(saved.kernelModule));
}

/** Reads `target.length` bytes at `position` of a snapshot into `target`. Positions ascend, and none is read twice. */
export type ReadAt = (target: Uint8Array, position: number) => Promise<void>;

export interface SnapshotSource {
  /** Undefined if it is not known before the end. */
  bytes: number | undefined;
  readAt: ReadAt;
}

export interface RestoreOptions extends HostOptions {
  /** Skips the witness of the snapshot. The detector continues without one. */
  leavesWitness?: boolean;
}

/** A header, and the offsets of the parts after it. */
export interface ReadHeader extends SnapshotHeader {
  headerBytes: number;
  cellsEndBytes: number;
}

/** A frame, and the offsets of the parts after it. */
interface ReadFrame {
  frame: Frame;
  headerBytes: number;
  cellsEndBytes: number;
}

/**
 * The first `length` bytes of a source. Some of them were already read. A stream may lie about their number, so it is read in
 * pieces.
 */
async function readBytes({ bytes, readAt }: SnapshotSource, first: Uint8Array, length: number): Promise<Uint8Array> {
  const pieceBytes = bytes === undefined ? PIECE_BYTES : length;
  const pieces = [first];
  for (let at = first.length; at < length; ) {
    const piece = new Uint8Array(Math.min(pieceBytes, length - at));
    await readAt(piece, at);
    pieces.push(piece);
    at += piece.length;
  }
  return joinBytes(pieces);
}

/** Reads the frame of a header with a kernel of this module, and checks the lengths in it. */
export async function readFrame(source: SnapshotSource, module?: WebAssembly.Module): Promise<ReadFrame> {
  const fixed = new Uint8Array(Math.min(FIXED_HEADER_BYTES, source.bytes ?? FIXED_HEADER_BYTES));
  await source.readAt(fixed, 0);
  const { headerBytes, cellsEndBytes } = readLengths(fixed, source.bytes);
  const bytes = await readBytes(source, fixed, headerBytes);
  return frameOf(bytes, { headerBytes, cellsEndBytes, bytes: source.bytes }, await headerChecksum(module));
}

interface FrameLengths extends Pick<ReadFrame, 'headerBytes' | 'cellsEndBytes'> {
  /** Of the whole snapshot; undefined if they are not known before its end. */
  bytes: number | undefined;
}

function frameOf(
  header: Uint8Array,
  { headerBytes, cellsEndBytes, bytes }: FrameLengths,
  checksum: Checksum,
): ReadFrame {
  const frame = decodeFrame(header, checksum);
  checkEnd(frame, cellsEndBytes, bytes);
  return { frame, headerBytes, cellsEndBytes };
}

/** Reads and checks a header without the cells, with a kernel of this module. */
export async function readHeader(source: SnapshotSource, module?: WebAssembly.Module): Promise<ReadHeader> {
  return readHeaderOf(await readFrame(source, module));
}

function readHeaderOf({ frame, headerBytes, cellsEndBytes }: ReadFrame): ReadHeader {
  return { ...headerOf(frame), headerBytes, cellsEndBytes };
}

/** The header of a snapshot in memory, at once. @throws FirstseenError E_SNAPSHOT */
export function headerIn(snapshot: Uint8Array, checksum: Checksum): ReadHeader {
  const { headerBytes, cellsEndBytes } = readLengths(snapshot.subarray(0, FIXED_HEADER_BYTES), snapshot.length);
  const header = snapshot.slice(0, headerBytes);
  return readHeaderOf(frameOf(header, { headerBytes, cellsEndBytes, bytes: snapshot.length }, checksum));
}

/** Checks the length of the second part, which only the whole header contains, against the bytes of the snapshot. */
function checkEnd({ second }: Frame, cellsEndBytes: number, bytes: number | undefined): void {
  if (!second || bytes === undefined) return;
  const totalBytes = cellsEndBytes + second.storedBytes + CHECKSUM_BYTES;
  if (totalBytes !== bytes)
    throw brokenSnapshot(`it should have ${formatCounted(totalBytes, 'byte')}, but has ${formatCount(bytes)}`);
}

/** Reads the part at `position` and its checksum, which follows it. */
export async function readPart(
  { readAt }: SnapshotSource,
  { what, part, position }: LoadedPart,
  checksum: Checksum,
): Promise<void> {
  await readAt(part, position);
  const trailer = new Uint8Array(CHECKSUM_BYTES);
  await readAt(trailer, position + part.length);
  checkPart(what, part, trailer, checksum);
}

/** The saved detector, with its witness unless that is skipped. It gives the same answers as the saved one would have given. */
export async function readDetector(
  source: SnapshotSource,
  header: ReadHeader,
  host: RestoreOptions = {},
): Promise<Detector> {
  const settings = host.leavesWitness ? { ...header.settings, witnessBytes: 0 } : header.settings;
  const detector = await Detector.ofSettings(settings, host, header.note);
  const checksum = checksumIn(kernelOf(detector));
  for (const part of beginLoading(detector, header)) await readPart(source, part, checksum);
  endLoading(detector);
  return detector;
}

/** Loads a snapshot in memory into an empty detector of the same settings, at once. @throws FirstseenError E_SNAPSHOT */
export function loadInto(detector: Detector, header: ReadHeader, snapshot: Uint8Array): void {
  const checksum = checksumIn(kernelOf(detector));
  for (const { what, part, position } of beginLoading(detector, header)) {
    const end = position + part.length;
    part.set(snapshot.subarray(position, end));
    checkPart(what, part, snapshot.slice(end, end + CHECKSUM_BYTES), checksum);
  }
  endLoading(detector);
}

/** A part of a snapshot: its name, where it is in the snapshot, and the memory for it. */
interface LoadedPart {
  what: string;
  part: Uint8Array;
  position: number;
}

/** Gives a detector the registers of a snapshot. Returns the parts to read, in order. */
function beginLoading(detector: Detector, header: ReadHeader): LoadedPart[] {
  if (!detector.takeRegisters(header.registers)) {
    const problem = `it has ${header.registers.length} state slots, but a detector has ${detector.registers().length}`;
    throw brokenSnapshot(problem);
  }
  const { cells, witness } = kernelOf(detector);
  const loaded = { what: 'cells', part: cells.subarray(0, header.storedCellsBytes), position: header.headerBytes };
  if (detector.settings.witnessBytes === 0) return [loaded];
  const part = witness.subarray(0, header.storedWitnessBytes);
  return [loaded, { what: 'witness', part, position: header.cellsEndBytes }];
}

/** @throws FirstseenError E_SNAPSHOT when the parts contradict each other. */
function endLoading(detector: Detector): void {
  if (detector.settings.witnessBytes > 0) detector.startWitness();
  if (!detector.isPossible()) throw brokenSnapshot('its counts and its cells contradict each other');
}

/**
 * `save` without its event.
 * @internal
 */
export async function snapshotOf(saved: Savable, note: Uint8Array = emptyNote): Promise<Uint8Array> {
  checkSavable(saved);
  const kept = copyNote(note);
  return snapshotNow(saved, kept, await headerChecksum(saved.kernelModule));
}

/** A snapshot, at once, so that no element is observed between two parts. */
export function snapshotNow(saved: Savable, note: Uint8Array, checksum: Checksum): Uint8Array {
  return joinBytes(partsOf(saved, note, checksum));
}

/**
 * The snapshot of a detector as one array of bytes: settings, counters, generator and cells. Elements observed before the
 * promise resolves are contained completely or not at all.
 * @param note bytes of the program, at most 256 MiB, such as its position in its input; the loaded detector has them as `note`
 * @throws FirstseenError E_PARAMETER when the note is longer, or not bytes.
 */
export async function save(saved: Savable, note?: Uint8Array): Promise<Uint8Array> {
  checkSavable(saved);
  const kept = copyNote(note ?? emptyNote);
  return saveNow(saved, kept, await headerChecksum(saved.kernelModule));
}

/** As `save`, at once. */
export function saveNow(saved: Savable, note: Uint8Array, checksum: Checksum): Uint8Array {
  const snapshot = snapshotNow(saved, note, checksum);
  tell('save', () => ({ detector: saved, snapshotBytes: snapshot.length }));
  return snapshot;
}

/** The bytes of a snapshot in memory. @throws FirstseenError E_SNAPSHOT when it is something else, or its buffer is detached. */
export function bytesOfSnapshot(snapshot: BytesSource): Uint8Array {
  if (!isBytesSource(snapshot)) {
    throw new FirstseenError('E_SNAPSHOT', `a snapshot has the type ${typeText(snapshot)}`, {
      given: snapshot,
      expected: 'a Uint8Array, another view of a buffer, or a buffer',
      remedy:
        'pass what save resolves to; of a Blob or a Response, pass the result of its arrayBuffer; of a stream, use loadFrom',
    });
  }
  let bytes: Uint8Array;
  try {
    bytes = bytesIn(snapshot);
  } catch {
    throw detachedError('the snapshot', 'E_SNAPSHOT');
  }
  checkAttached(bytes, 'the snapshot', 'E_SNAPSHOT');
  return bytes;
}

/** A snapshot in memory as a source. @throws FirstseenError E_SNAPSHOT when it is something else. */
export function snapshotSource(snapshot: BytesSource): SnapshotSource {
  const bytes = bytesOfSnapshot(snapshot);
  return {
    bytes: bytes.length,
    readAt: async (target, position) => {
      target.set(bytes.subarray(position, position + target.length));
    },
  };
}
