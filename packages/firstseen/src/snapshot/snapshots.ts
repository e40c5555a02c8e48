// Saves detectors as snapshots and loads them.

import { type BytesSource, isBytes, isBytesSource, isDetached, typeText } from '../base/bytes.js';
import { attachedBytes } from '../base/check.js';
import { formatCount, formatCounted } from '../base/count.js';
import { tell } from '../base/diagnostics.js';
import { FirstseenError, invalidOption } from '../base/errors.js';
import { runInTurns, type Steps } from '../base/steps.js';
import { joinBytes } from '../base/utf8.js';
import { refuseOther } from '../detectors/checkdetector.js';
import { Detector, familyOf, isDetector, kernelOf } from '../detectors/detector.js';
import type { HostOptions } from '../detectors/host.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { Kernel } from '../kernel/kernel.js';
import { checksumIn, checksumInSteps, checksumKernel, headerChecksum } from './checksum.js';
import { type DecodedSettings, encodeHeader, headerOf, type SnapshotHeader } from './format.js';
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
  type SnapshotLengths,
} from './frame.js';
import { type LoadedPart, readInside, type SnapshotSource } from './parts.js';
import { allRegisters, isPossible, takeRegisters } from './registers.js';

export const emptyNote = new Uint8Array(0);

/** Bytes of a header that a stream gives before memory is allocated for more of it. */
const PIECE_BYTES = 2 ** 20;

/** Bytes of a region up to its last word that is not zero. */
export function usedPart(kernel: Kernel, region: Uint8Array): Uint8Array {
  return region.subarray(0, kernel.exports.usedBytes(region.byteOffset, region.length) >>> 0);
}

/** The parts of a snapshot, as it is now. */
export interface SnapshotParts {
  /** The header and what follows it, each without its checksum. Some are views of the memory of the kernel. */
  parts: Uint8Array[];
  kernel: Kernel;
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
  /** @internal */
  snapshotParts(note: Uint8Array): SnapshotParts;
  /**
   * Numbers, at least one of which changes with each element.
   * @internal
   */
  registers(): BigUint64Array;
}

/** A detector, a detector of near-duplicates or passages, or range motifs. */
export type Savable = Detector | Snapshotable;

/** @throws FirstseenError E_PARAMETER unless the value has snapshots. */
export function checkSavable(value: unknown): void {
  if (typeof value === 'object' && value !== null) {
    if (isDetector(value) || typeof (value as Partial<Snapshotable>).snapshotParts === 'function') return;
    refuseOther('saved', value);
  }
  const remedy = 'pass what create, createNear, createPassages, createMotifs or a function that loads resolves to';
  const expected = 'a detector, a detector of near-duplicates or passages, or range motifs';
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

export function partsOf(saved: Savable, note: Uint8Array): SnapshotParts {
  return isDetector(saved) ? partsOfDetector(saved, note) : saved.snapshotParts(note);
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
  settings: DetectorSettings = detector.settings,
): SnapshotParts {
  const kernel = kernelOf(detector);
  const regions = [usedPart(kernel, kernel.cells)];
  if (settings.witnessBytes > 0) regions.push(usedPart(kernel, kernel.witness));
  const [storedCellsBytes = 0, storedWitnessBytes = 0] = regions.map((part) => part.length);
  const header = { settings, registers: allRegisters(detector), note, storedCellsBytes, storedWitnessBytes };
  return { kernel, parts: [encodeHeader(header), ...regions] };
}

/** Adds its checksum to each part. Those in the memory of the kernel are not copied; `checksum` computes the others. */
function trailed({ parts, kernel }: SnapshotParts, checksum: Checksum): Uint8Array[] {
  const inPlace = checksumIn(kernel);
  const checksumOf = (part: Uint8Array) => (part.buffer === kernel.bytes.buffer ? inPlace(part) : checksum(part));
  return parts.flatMap((part) => [part, encodeTrailer(checksumOf(part))]);
}

/** Numbers, at least one of which changes with each element. */
export function registersOf(saved: Savable): BigUint64Array {
  return saved instanceof Detector ? allRegisters(saved) : saved.registers();
}

/** @throws FirstseenError E_USAGE when a detector was used since it had these registers. */
export function checkUnchanged(saved: Savable, registers: BigUint64Array): void {
  const now = registersOf(saved);
  if (registers.every((value, i) => value === now[i])) return;
  throw new FirstseenError('E_USAGE', 'the detector was used before its snapshot was whole', {
    remedy: 'wait for the end of the snapshot, or use save',
  });
}

/**
 * A snapshot in consecutive parts. The cells and the witness are views of the detector's memory: write them before the detector
 * observes another element.
 * @throws FirstseenError E_USAGE when it was used before the parts were there.
 */
export async function snapshotParts(saved: Savable, note: Uint8Array = emptyNote): Promise<Uint8Array[]> {
  const parts = partsOf(saved, copyNote(note));
  const registers = registersOf(saved).slice();
  const checksum = await headerChecksum(saved.kernelModule);
  checkUnchanged(saved, registers);
  return trailed(parts, checksum);
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
export interface ReadFrame {
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
  return readFrameWith(source, await headerChecksum(module));
}

/** Reads a frame as `readFrame` does, with a function that computes checksums. */
export async function readFrameWith(source: SnapshotSource, checksum: Checksum): Promise<ReadFrame> {
  const fixed = new Uint8Array(Math.min(FIXED_HEADER_BYTES, source.bytes ?? FIXED_HEADER_BYTES));
  await source.readAt(fixed, 0);
  const { headerBytes, cellsEndBytes } = readLengths(fixed, source.bytes);
  const bytes = await readBytes(source, fixed, headerBytes);
  return frameOf(bytes, { headerBytes, cellsEndBytes, bytes: source.bytes }, checksum);
}

interface FrameLengths extends Pick<ReadFrame, 'headerBytes' | 'cellsEndBytes'> {
  /** The length of the whole snapshot; undefined if it is not known before its end. */
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

function readHeaderOf({ frame, headerBytes, cellsEndBytes }: ReadFrame, decoded?: DecodedSettings): ReadHeader {
  return { ...headerOf(frame, decoded), headerBytes, cellsEndBytes };
}

/** The header of a snapshot in memory, at once. @param decoded as for `headerOf` @throws FirstseenError E_SNAPSHOT */
export function headerIn(snapshot: Uint8Array, checksum: Checksum, decoded?: DecodedSettings): ReadHeader {
  const { headerBytes, cellsEndBytes } = readLengths(snapshot.subarray(0, FIXED_HEADER_BYTES), snapshot.length);
  const header = snapshot.slice(0, headerBytes);
  return readHeaderOf(frameOf(header, { headerBytes, cellsEndBytes, bytes: snapshot.length }, checksum), decoded);
}

/** Checks the length of the second part, which only the whole header contains, against the bytes of the snapshot. */
function checkEnd({ second }: Frame, cellsEndBytes: number, bytes: number | undefined): void {
  if (!second || bytes === undefined) return;
  const totalBytes = cellsEndBytes + second.storedBytes + CHECKSUM_BYTES;
  if (totalBytes !== bytes)
    throw brokenSnapshot(`it should have ${formatCounted(totalBytes, 'byte')}, but has ${formatCount(bytes)}`);
}

/** The saved detector, with its witness unless that is skipped. It gives the same answers as the saved one would have given. */
export async function readDetector(
  source: SnapshotSource,
  header: ReadHeader,
  host: RestoreOptions = {},
): Promise<Detector> {
  const settings = host.leavesWitness ? { ...header.settings, witnessBytes: 0 } : header.settings;
  const detector = await Detector.ofSettings(settings, host, header.note);
  for (const part of beginLoading(detector, header)) await readInside(source, part, kernelOf(detector));
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

/** Gives a detector the registers of a snapshot. Returns the parts to read, in order. */
function beginLoading(detector: Detector, header: ReadHeader): LoadedPart[] {
  const { registers } = header;
  if (!takeRegisters(detector, registers)) {
    const problem = `it has ${registers.length} registers, but a detector has ${allRegisters(detector).length}`;
    throw brokenSnapshot(problem);
  }
  const { cells, witness } = kernelOf(detector);
  const cellsPart = { what: 'cells', part: cells.subarray(0, header.storedCellsBytes), position: header.headerBytes };
  if (detector.settings.witnessBytes === 0) return [cellsPart];
  const part = witness.subarray(0, header.storedWitnessBytes);
  return [cellsPart, { what: 'witness', part, position: header.cellsEndBytes }];
}

/** @throws FirstseenError E_SNAPSHOT when the parts contradict each other. */
function endLoading(detector: Detector): void {
  if (detector.settings.witnessBytes > 0) familyOf(detector).startWitness();
  if (!isPossible(detector)) throw brokenSnapshot('its counts and its cells contradict each other');
}

const noChecksum = new Uint8Array(CHECKSUM_BYTES);

/** Writes the checksums of the parts of a snapshot, which have these lengths, after them. */
function* sealInSteps(snapshot: Uint8Array, lengths: readonly number[], kernel: Kernel): Steps<void> {
  let start = 0;
  for (const length of lengths) {
    const end = start + length;
    const checksum = yield* checksumInSteps(kernel, snapshot.subarray(start, end));
    snapshot.set(encodeTrailer(checksum), end);
    start = end + CHECKSUM_BYTES;
  }
}

/**
 * Copies a detector and a note at once, before later calls of the program change them. The function that it returns computes the
 * checksums of the copy, in short steps, and gives the snapshot.
 * @param subject the detector that the event names
 */
export function copyNow(savable: Savable, note: Uint8Array, subject: object = savable): () => Promise<Uint8Array> {
  const { parts } = partsOf(savable, note);
  const lengths = parts.map(({ length }) => length);
  const snapshot = joinBytes(parts.flatMap((part) => [part, noChecksum]));
  const { kernelModule } = savable;
  return async () => {
    await runInTurns(sealInSteps(snapshot, lengths, await checksumKernel(kernelModule)));
    tell('save', () => ({ detector: subject, snapshotBytes: snapshot.length }));
    return snapshot;
  };
}

/**
 * The snapshot of a detector as one array of bytes: settings, counters, generator and cells, with a note. All are of the moment of
 * the call: the snapshot has nothing that the detector observes before the promise resolves. The cells are copied during the call. Only
 * the checksums are computed later, a few milliseconds at a time.
 * @param note bytes of the program, at most 256 MiB, such as its position in its input; the loaded detector has them as `note`
 * @throws FirstseenError E_PARAMETER when the note is longer, or not bytes.
 */
export async function save(saved: Savable, note?: Uint8Array): Promise<Uint8Array> {
  checkSavable(saved);
  return copyNow(saved, copyNote(note ?? emptyNote))();
}

/** The bytes of a snapshot in memory. @throws FirstseenError E_SNAPSHOT when it is something else, or its buffer is detached. */
export function bytesOfSnapshot(snapshot: BytesSource): Uint8Array {
  if (!isBytesSource(snapshot)) {
    throw new FirstseenError('E_SNAPSHOT', `a snapshot has the type ${typeText(snapshot)}`, {
      given: snapshot,
      expected: 'a Uint8Array, another view of a buffer, or a buffer',
      remedy: 'pass what save resolves to; of a Blob or a Response, pass the result of its arrayBuffer',
    });
  }
  return attachedBytes(snapshot, 'the snapshot', 'E_SNAPSHOT');
}

/** A part of a snapshot that was copied. */
interface Copy {
  position: number;
  bytes: Uint8Array;
}

/** The lengths of the parts of a snapshot; undefined for what is none, which is refused when its header is read. */
function lengthsOf(bytes: Uint8Array): SnapshotLengths | undefined {
  try {
    return readLengths(bytes.subarray(0, FIXED_HEADER_BYTES), bytes.length);
  } catch {
    return undefined;
  }
}

/** Copies of what says how the rest of a snapshot is to be read: its header, and the checksums of its parts. */
function copiesOf(bytes: Uint8Array): Copy[] {
  const lengths = lengthsOf(bytes);
  if (!lengths) return [];
  const { headerBytes, cellsEndBytes } = lengths;
  const copy = (position: number, length: number) => ({
    position,
    bytes: new Uint8Array(bytes.subarray(position, position + length)),
  });
  const trailers = [cellsEndBytes, bytes.length].map((end) => copy(end - CHECKSUM_BYTES, CHECKSUM_BYTES));
  return [copy(0, headerBytes), ...trailers];
}

/**
 * A snapshot in memory as a source. The parts that may be large are not copied. If the program changes them before they are read, their
 * checksums, which are those of the call, say so.
 * @throws FirstseenError E_SNAPSHOT when it is not bytes.
 */
export function snapshotSource(snapshot: BytesSource): SnapshotSource {
  const bytes = bytesOfSnapshot(snapshot);
  const length = bytes.length;
  const copies = copiesOf(bytes);
  return {
    bytes: length,
    readAt: async (target, position) => {
      const end = position + target.length;
      const copy = copies.find((piece) => position >= piece.position && end <= piece.position + piece.bytes.length);
      if (copy) target.set(copy.bytes.subarray(position - copy.position, end - copy.position));
      else if (bytes.length < length) throw brokenSnapshot('its array was transferred or resized while it was read');
      else target.set(bytes.subarray(position, end));
    },
  };
}
