// Saves detectors as snapshots and loads them.

import { checkBytes, checkOptions, type OptionNames } from '../check.js';
import { formatCount, formatCounted } from '../count.js';
import { defined } from '../defined.js';
import { Detector } from '../detectors/detector.js';
import type { HostOptions } from '../detectors/host.js';
import { cellsBytesOf, type DetectorSettings } from '../detectors/settings.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../errors.js';
import { WORKSPACE_OFFSET } from '../kernel/abi.js';
import { Kernel } from '../kernel/kernel.js';
import { formatBytes } from '../memory.js';
import {
  checkKeyScheme,
  type KeyScheme,
  type KeySchemeOptions,
  keySchemeOf,
  keySchemeOptionNames,
} from '../records/keyscheme.js';
import { encodeHeader, headerOf, type SnapshotHeader } from './format.js';
import {
  brokenSnapshot,
  CHECKSUM_BYTES,
  type Checksum,
  checkPart,
  decodeFrame,
  encodeTrailer,
  FIXED_HEADER_BYTES,
  type Frame,
  MOST_HEADER_BYTES,
  readLengths,
} from './frame.js';

export const emptyNote = new Uint8Array(0);

/** Computes checksums. Bytes outside the kernel's memory are copied behind its cells first. */
export function checksumIn(kernel: Kernel): Checksum {
  const target = WORKSPACE_OFFSET;
  const run = kernel.exports.checksum;
  const view = new DataView(kernel.bytes.buffer);
  return (bytes) => {
    const isInside = bytes.buffer === kernel.bytes.buffer;
    if (!isInside) kernel.bytes.set(bytes, kernel.regionOffset);
    run(isInside ? bytes.byteOffset : kernel.regionOffset, bytes.length, target);
    return view.getBigUint64(target, true);
  };
}

/** Room for all parts whose checksum is not computed where they are: headers, and the batches of range motifs. */
const CHECKSUM_REGION_BYTES = 2 * MOST_HEADER_BYTES;

/** The checksum function of a kernel without cells, for headers. */
async function headerChecksum(): Promise<Checksum> {
  return checksumIn(await Kernel.create({ cellsBytes: 0, regionBytes: CHECKSUM_REGION_BYTES }));
}

/** Bytes of a region up to its last word that is not zero. */
export function usedPart(kernel: Kernel, region: Uint8Array): Uint8Array {
  return region.subarray(0, kernel.exports.usedBytes(region.byteOffset, region.length) >>> 0);
}

/** What has snapshots besides detectors. */
export interface Snapshotable {
  /** The note of the snapshot from which it was loaded; empty for a new one. */
  readonly note: Uint8Array;
  /**
   * The parts of a snapshot, some of which are views of its memory.
   * @internal
   */
  snapshotParts(note: Uint8Array, checksum: Checksum): Uint8Array[];
  /**
   * Numbers of which one changes with each element.
   * @internal
   */
  slots(): BigUint64Array;
}

/** A detector, a detector of near-duplicates, or range motifs. */
export type Savable = Detector | Snapshotable;

/** @throws FirstseenError E_PARAMETER unless the value has snapshots. */
export function checkSavable(value: unknown): void {
  const { snapshotParts } = (value ?? {}) as Partial<Snapshotable>;
  if (value instanceof Detector || typeof snapshotParts === 'function') return;
  const remedy = 'pass what create, createNear, createMotifs or a function that loads resolves to';
  const expected = 'a detector, a detector of near-duplicates, or range motifs';
  throw invalidOption({ option: 'saved', given: value, expected, remedy });
}

function partsOf(saved: Savable, note: Uint8Array, checksum: Checksum): Uint8Array[] {
  return saved instanceof Detector ? partsOfDetector(saved, note, checksum) : saved.snapshotParts(note, checksum);
}

/** @param settings those of the detector, or others that the snapshot is to have */
export function partsOfDetector(
  detector: Detector,
  note: Uint8Array,
  checksum: Checksum,
  settings: DetectorSettings = detector.settings,
): Uint8Array[] {
  const { kernel } = detector;
  const regions = [usedPart(kernel, kernel.cells)];
  if (settings.witnessBytes > 0) regions.push(usedPart(kernel, kernel.witness));
  const [storedCellsBytes = 0, storedWitnessBytes = 0] = regions.map((part) => part.length);
  const header = { settings, state: detector.slots(), note, storedCellsBytes, storedWitnessBytes };
  const trailed = regions.flatMap((part) => [part, encodeTrailer(part, checksumIn(kernel))]);
  return [encodeHeader(header, checksum), ...trailed];
}

/**
 * A snapshot in consecutive parts. The cells and the witness are views of the detector's memory: write them before the detector
 * observes another element.
 */
export async function snapshotParts(saved: Savable, note: Uint8Array = emptyNote): Promise<Uint8Array[]> {
  return partsOf(saved, note, await headerChecksum());
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

/** A header, and the offsets of the parts behind it. */
export interface ReadHeader extends SnapshotHeader {
  headerBytes: number;
  cellsEndBytes: number;
}

/** A frame, and the offsets of the parts behind it. */
interface ReadFrame {
  frame: Frame;
  headerBytes: number;
  cellsEndBytes: number;
}

/** Reads the frame of a header, and checks the lengths in it. */
export async function readFrame(source: SnapshotSource): Promise<ReadFrame> {
  const fixed = new Uint8Array(Math.min(FIXED_HEADER_BYTES, source.bytes ?? FIXED_HEADER_BYTES));
  await source.readAt(fixed, 0);
  const { headerBytes, cellsEndBytes } = readLengths(fixed, source.bytes);
  const bytes = new Uint8Array(headerBytes);
  bytes.set(fixed);
  await source.readAt(bytes.subarray(fixed.length), fixed.length);
  const frame = decodeFrame(bytes, await headerChecksum());
  checkEnd(frame, cellsEndBytes, source.bytes);
  return { frame, headerBytes, cellsEndBytes };
}

/** Reads and checks a header without the cells. */
export async function readHeader(source: SnapshotSource): Promise<ReadHeader> {
  const { frame, headerBytes, cellsEndBytes } = await readFrame(source);
  return { ...headerOf(frame), headerBytes, cellsEndBytes };
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
  { what, part, position }: { what: string; part: Uint8Array; position: number },
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
  const { kernel } = detector;
  if (!detector.takeSlots(header.state)) {
    const problem = `it has ${header.state.length} state slots, but a detector has ${detector.slots().length}`;
    throw brokenSnapshot(problem);
  }
  const checksum = checksumIn(kernel);
  const cells = kernel.cells.subarray(0, header.storedCellsBytes);
  await readPart(source, { what: 'cells', part: cells, position: header.headerBytes }, checksum);
  if (settings.witnessBytes > 0) {
    const witness = kernel.witness.subarray(0, header.storedWitnessBytes);
    await readPart(source, { what: 'witness', part: witness, position: header.cellsEndBytes }, checksum);
    detector.startWitness();
  }
  if (!detector.hasPossibleState()) throw brokenSnapshot('its counts and its cells contradict each other');
  return detector;
}

/**
 * The exact state of a detector as one array of bytes: settings, counters, generator and cells. Elements observed before the
 * promise resolves are contained completely or not at all.
 * @param note bytes of the program, such as its position in its input; the loaded detector has them as `note`
 */
export async function save(saved: Savable, note: Uint8Array = emptyNote): Promise<Uint8Array> {
  checkSavable(saved);
  const checksum = await headerChecksum();
  // Nothing is awaited from here on, so no element is observed between two parts.
  const parts = partsOf(saved, note, checksum);
  const snapshot = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    snapshot.set(part, at);
    at += part.length;
  }
  return snapshot;
}

/** A snapshot in memory as a source. @throws FirstseenError E_SNAPSHOT when it is something else. */
export function snapshotSource(snapshot: Uint8Array): SnapshotSource {
  if (!(snapshot instanceof Uint8Array)) {
    throw new FirstseenError('E_SNAPSHOT', `a snapshot has the type ${typeof snapshot}`, {
      given: snapshot,
      expected: 'a Uint8Array',
      remedy: 'pass a Uint8Array, as save returns it',
    });
  }
  return {
    bytes: snapshot.length,
    readAt: async (target, position) => {
      target.set(snapshot.subarray(position, position + target.length));
    },
  };
}

/** What is asked of a snapshot. */
export interface LoadOptions extends KeySchemeOptions {
  /** The most memory that the detector may take, in bytes or as text such as `64MiB`; all that it asks for by default. */
  maxMemory?: number | string | undefined;
}

/** What is asked of a snapshot, and of the memory that its detector is loaded into. */
export type HostedLoadOptions = LoadOptions & Pick<HostOptions, 'regionBytes'>;

export const loadOptionNames: OptionNames<HostedLoadOptions> = {
  ...keySchemeOptionNames,
  maxMemory: true,
  regionBytes: true,
};

/** Reads and checks a header, and checks that it is what was asked for. @throws FirstseenError as `readHeaderWith` */
export async function readAskedHeader(source: SnapshotSource, options: LoadOptions): Promise<ReadHeader> {
  return readHeaderWith(source, keySchemeOf(options), options.maxMemory);
}

/**
 * As `readAskedHeader`, with a key scheme. The detector of a snapshot that does not say how keys are made goes on with the scheme that
 * was asked for.
 * @throws FirstseenError E_SNAPSHOT; E_STATE_DIFFERS when its keys are made differently; E_MEMORY when it needs more memory.
 */
export async function readHeaderWith(
  source: SnapshotSource,
  asked: KeyScheme | undefined,
  maxMemory: LoadOptions['maxMemory'],
): Promise<ReadHeader> {
  const mostBytes = mostBytesOf(maxMemory);
  const header = await readHeader(source);
  const { settings } = header;
  checkKeyScheme(settings.keyScheme, asked);
  checkMemory(cellsBytesOf(settings) + settings.witnessBytes, mostBytes);
  return { ...header, settings: { ...settings, ...defined({ keyScheme: settings.keyScheme ?? asked }) } };
}

/** @throws FirstseenError E_MEMORY unless it is a size. */
export function mostBytesOf(maxMemory: LoadOptions['maxMemory']): number {
  return maxMemory === undefined ? Number.POSITIVE_INFINITY : checkBytes('maxMemory', maxMemory);
}

/** @throws FirstseenError E_MEMORY when a snapshot needs more bytes. */
export function checkMemory(bytes: number, mostBytes: number): void {
  if (bytes <= mostBytes) return;
  const option = optionName('maxMemory');
  throw new FirstseenError(
    'E_MEMORY',
    phrase`this snapshot takes ${formatBytes(bytes)}, but ${option} is ${formatBytes(mostBytes)}`,
    { option: 'maxMemory', given: mostBytes, expected: `at least ${bytes}`, remedy: phrase`raise ${option}` },
  );
}

/**
 * The detector of a snapshot.
 * @throws FirstseenError E_SNAPSHOT when the bytes are not a complete, intact snapshot of a known version; E_STATE_DIFFERS when
 * keys are made differently than `keys` and `format` say; E_MEMORY when it takes more than `maxMemory`.
 */
export async function load(snapshot: Uint8Array, options: HostedLoadOptions = {}): Promise<Detector> {
  checkOptions(options, loadOptionNames);
  const source = snapshotSource(snapshot);
  return readDetector(source, await readAskedHeader(source, options), options);
}
