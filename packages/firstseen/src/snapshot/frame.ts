// The bytes of snapshots (docs/FORMAT.md). No other module knows them. Everything is little-endian.
//
//   0  8  magic                        40  u32  registers
//   8  u16  version                    44  u32  bytes of the note
//  10  u16  family                     48  u64  bytes of the cells
//  12  u8  layout                      56  u64  stored bytes of the cells; the rest is zero
//  13  u8  fingerprint                 64  parameters: name (16 bytes, filled with NUL), f64
//  14  u16  bytes of the key scheme        registers: u64 each
//  16  u32  flags: 1 secret,               note, filled with NUL to a multiple of 8
//           2 second part,                 secret: 16 bytes, if flagged
//           4 partitions, 8 key scheme,    u64 u64  bytes of the second part, in memory and stored, if flagged
//           16 integers apart              u32 u32 u32  partitions, the first held, the number held, u32 zero, if flagged
//  20  u32  parameters                     key scheme, filled with NUL to a multiple of 8, if flagged
//  24  u64  seed                           u64  checksum of all before
//  32  u64  requested memory               cells stored
//                                          u64  checksum of the cells stored
//                                          second part stored, and its checksum, if flagged; of a detector, the witness

import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { FirstseenError, type Phrase, phrase } from '../base/errors.js';
import { SECRET_BYTES } from '../kernel/abi.js';

const MAGIC = Uint8Array.of(0x89, 0x31, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a);
const FORMAT_VERSION = 1;
export const FIXED_HEADER_BYTES = 64;
export const CHECKSUM_BYTES = 8;
/** The maximum size of a header without its note. A larger length counts as corrupt. */
const MAX_HEADER_BYTES = 2 ** 24;
/** The longest note. A larger length counts as corrupt. As text, it is shorter than the longest text of every engine. */
export const MAX_NOTE_BYTES = 2 ** 28;
/** The longest key scheme. */
export const MAX_KEY_SCHEME_BYTES = 2 ** 16 - 1;

const NAME_BYTES = 16;
const PARAMETER_BYTES = NAME_BYTES + 8;
const REGISTER_BYTES = 8;
const SECOND_LENGTHS_BYTES = 16;
const PARTITIONS_BYTES = 16;

/** The snapshot contains the secret. Whoever reads it can craft input for its detector. */
const SECRET_FLAG = 1;
/** A second part follows the cells. */
const SECOND_FLAG = 2;
/** The detector has partitions, or is some of the partitions of one. */
const PARTITIONS_FLAG = 4;
/** The snapshot says how keys are made from records. */
const KEY_SCHEME_FLAG = 8;
const KNOWN_FLAGS = SECRET_FLAG | SECOND_FLAG | PARTITIONS_FLAG | KEY_SCHEME_FLAG;

/** The contents of a header, as numbers and bytes. */
export interface Frame {
  version: number;
  family: number;
  layout: number;
  fingerprint: number;
  seed: bigint;
  memoryBytes: number;
  parameters: readonly (readonly [name: string, value: number])[];
  registers: BigUint64Array;
  /** The host's own data, such as its position in the input. */
  note: Uint8Array;
  cellsBytes: number;
  storedCellsBytes: number;
  secret?: Uint8Array;
  second?: { bytes: number; storedBytes: number };
  partitions?: { count: number; first: number; held: number };
  /** Empty without a key scheme. */
  keyScheme: Uint8Array;
}

/** The contents from which a header is written, which is of the current version. */
export type NewFrame = Omit<Frame, 'version'>;

/** Lengths of the parts of a snapshot, from its first 64 bytes. */
export interface SnapshotLengths {
  /** The header with its checksum. The cells follow. */
  headerBytes: number;
  storedCellsBytes: number;
  /** The end of the cells with their checksum. A second part may follow. */
  cellsEndBytes: number;
}

export const USE_WRITER = 'use the version of firstseen that wrote it';

export type Checksum = (bytes: Uint8Array) => bigint;

/** The error for a note that no reader takes. @param noteBytes undefined if there are too many to count */
export function noteTooLong(noteBytes?: number): FirstseenError {
  const given = noteBytes === undefined ? 'more text than can be written' : formatCounted(noteBytes, 'byte');
  const problem = phrase`the note of the snapshot has ${given}, but must have at most ${formatCounted(MAX_NOTE_BYTES, 'byte')}`;
  return new FirstseenError('E_PARAMETER', problem, {
    option: 'note',
    ...defined({ given: noteBytes }),
    expected: `at most ${formatCounted(MAX_NOTE_BYTES, 'byte')}`,
    remedy: 'keep large data elsewhere, and its name in the note',
  });
}

/** @throws FirstseenError E_PARAMETER when a note is longer than readers take. */
export function checkNoteBytes(noteBytes: number): void {
  if (noteBytes > MAX_NOTE_BYTES) throw noteTooLong(noteBytes);
}

/** The remedy for a snapshot that is read from a file. */
export const BROKEN_REMEDY = 'restore it from a copy, or start without it';

export function brokenSnapshot(what: string | Phrase): FirstseenError {
  return new FirstseenError('E_SNAPSHOT', phrase`this is not a complete, intact snapshot: ${what}`, {
    remedy: BROKEN_REMEDY,
  });
}

/** The error of settings that cannot be resolved. */
export function impossibleSettings(cause: unknown): FirstseenError {
  const reason = cause instanceof FirstseenError ? cause.phrase : String(cause);
  return brokenSnapshot(phrase`its settings are impossible: ${reason}`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function paddedBytes(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** The offsets of the parts of a header, from its first 64 bytes. */
function offsetsOf(view: DataView) {
  const flags = view.getUint32(16, true);
  const bytesIf = (flag: number, bytes: number) => (flags & flag ? bytes : 0);
  const registers = FIXED_HEADER_BYTES + view.getUint32(20, true) * PARAMETER_BYTES;
  const note = registers + view.getUint32(40, true) * REGISTER_BYTES;
  const secret = note + paddedBytes(view.getUint32(44, true));
  const second = secret + bytesIf(SECRET_FLAG, SECRET_BYTES);
  const partitions = second + bytesIf(SECOND_FLAG, SECOND_LENGTHS_BYTES);
  const keyScheme = partitions + bytesIf(PARTITIONS_FLAG, PARTITIONS_BYTES);
  const end = keyScheme + paddedBytes(view.getUint16(14, true));
  return { flags, registers, note, secret, second, partitions, keyScheme, end };
}

function flagsFor({ secret, second, partitions, keyScheme }: NewFrame): number {
  return (
    (secret ? SECRET_FLAG : 0) |
    (second ? SECOND_FLAG : 0) |
    (partitions ? PARTITIONS_FLAG : 0) |
    (keyScheme.length > 0 ? KEY_SCHEME_FLAG : 0)
  );
}

function encodeFixed(frame: NewFrame): Uint8Array {
  const fixedHeader = new Uint8Array(FIXED_HEADER_BYTES);
  const view = viewOf(fixedHeader);
  fixedHeader.set(MAGIC);
  view.setUint16(8, FORMAT_VERSION, true);
  view.setUint16(10, frame.family, true);
  view.setUint8(12, frame.layout);
  view.setUint8(13, frame.fingerprint);
  view.setUint16(14, frame.keyScheme.length, true);
  view.setUint32(16, flagsFor(frame), true);
  view.setUint32(20, frame.parameters.length, true);
  view.setBigUint64(24, frame.seed, true);
  view.setBigUint64(32, BigInt(frame.memoryBytes), true);
  view.setUint32(40, frame.registers.length, true);
  view.setUint32(44, frame.note.length, true);
  view.setBigUint64(48, BigInt(frame.cellsBytes), true);
  view.setBigUint64(56, BigInt(frame.storedCellsBytes), true);
  return fixedHeader;
}

/**
 * The header. Its checksum, the cells and their checksum follow it.
 * @throws FirstseenError E_PARAMETER when the note is too long.
 */
export function encodeFrame(frame: NewFrame): Uint8Array {
  checkNoteBytes(frame.note.length);
  const fixedHeader = encodeFixed(frame);
  const offsets = offsetsOf(viewOf(fixedHeader));
  const bytes = new Uint8Array(offsets.end);
  const view = viewOf(bytes);
  bytes.set(fixedHeader);
  for (const [i, [name, value]] of frame.parameters.entries()) {
    const at = FIXED_HEADER_BYTES + i * PARAMETER_BYTES;
    bytes.set(new TextEncoder().encode(name), at);
    view.setFloat64(at + NAME_BYTES, value, true);
  }
  for (const [i, value] of frame.registers.entries())
    view.setBigUint64(offsets.registers + i * REGISTER_BYTES, value, true);
  bytes.set(frame.note, offsets.note);
  if (frame.secret) bytes.set(frame.secret, offsets.secret);
  if (frame.second) {
    view.setBigUint64(offsets.second, BigInt(frame.second.bytes), true);
    view.setBigUint64(offsets.second + 8, BigInt(frame.second.storedBytes), true);
  }
  if (frame.partitions) {
    const { count, first, held } = frame.partitions;
    for (const [i, number] of [count, first, held].entries()) view.setUint32(offsets.partitions + 4 * i, number, true);
  }
  bytes.set(frame.keyScheme, offsets.keyScheme);
  return bytes;
}

/** A part of a header: its first byte, and the byte after it. */
export type HeaderRange = readonly [start: number, end: number];

/** The ranges in which the headers of detectors with the same settings, and without a note, differ. */
export interface VariableRanges {
  storedCellsBytes: HeaderRange;
  registers: HeaderRange;
  /** Empty without a second part. */
  storedSecondBytes: HeaderRange;
}

export function variableRanges(header: Uint8Array): VariableRanges {
  const { registers, note, second, flags } = offsetsOf(viewOf(header));
  const storedSecondBytes = flags & SECOND_FLAG ? ([second + 8, second + 16] as const) : ([second, second] as const);
  return { storedCellsBytes: [56, 64], registers: [registers, note], storedSecondBytes };
}

/** @throws FirstseenError E_SNAPSHOT unless a header has its checksum after it. */
export function checkHeader(header: Uint8Array, trailer: Uint8Array, checksum: Checksum): void {
  if (viewOf(trailer).getBigUint64(0, true) !== checksum(header)) {
    throw brokenSnapshot('the checksum of its header is wrong');
  }
}

/**
 * The lengths in the first 64 bytes, checked against the bytes of the snapshot, if they are known, before anything is allocated.
 * @throws FirstseenError E_SNAPSHOT when the bytes are not a snapshot, not complete, or of another version.
 */
export function readLengths(header: Uint8Array, availableBytes: number | undefined): SnapshotLengths {
  if (header.length < FIXED_HEADER_BYTES)
    throw brokenSnapshot(`it has ${formatCounted(header.length, 'byte')}, fewer than a header`);
  if (MAGIC.some((byte, i) => header[i] !== byte))
    throw brokenSnapshot('it does not begin with the mark of a snapshot');
  const view = viewOf(header);
  const version = view.getUint16(8, true);
  if (version !== FORMAT_VERSION) {
    const problem = `the snapshot has format version ${version}, but this version of firstseen reads ${FORMAT_VERSION}`;
    throw new FirstseenError('E_SNAPSHOT', problem, { remedy: USE_WRITER });
  }
  const { flags, end } = offsetsOf(view);
  if ((flags & ~KNOWN_FLAGS) !== 0) {
    const problem = `the snapshot has the flags ${flags}, but this version of firstseen knows only ${KNOWN_FLAGS}`;
    throw new FirstseenError('E_SNAPSHOT', problem, { remedy: USE_WRITER });
  }
  const headerBytes = end + CHECKSUM_BYTES;
  const noteBytes = view.getUint32(44, true);
  if (noteBytes > MAX_NOTE_BYTES || headerBytes - paddedBytes(noteBytes) > MAX_HEADER_BYTES)
    throw brokenSnapshot(`its header would have ${headerBytes} bytes`);
  const storedCellsBytes = Number(view.getBigUint64(56, true));
  const cellsEndBytes = headerBytes + storedCellsBytes + CHECKSUM_BYTES;
  if (availableBytes === undefined) return { headerBytes, storedCellsBytes, cellsEndBytes };
  const isWhole =
    flags & SECOND_FLAG ? availableBytes >= cellsEndBytes + CHECKSUM_BYTES : availableBytes === cellsEndBytes;
  if (!isWhole) throw brokenSnapshot(`it should have ${cellsEndBytes} bytes, but has ${availableBytes}`);
  return { headerBytes, storedCellsBytes, cellsEndBytes };
}

function decodeParameters(bytes: Uint8Array, view: DataView): [string, number][] {
  return Array.from({ length: view.getUint32(20, true) }, (_, i) => {
    const at = FIXED_HEADER_BYTES + i * PARAMETER_BYTES;
    const name = bytes.subarray(at, at + NAME_BYTES);
    return [new TextDecoder().decode(name.subarray(0, name.indexOf(0))), view.getFloat64(at + NAME_BYTES, true)];
  });
}

/**
 * Decodes a header from exactly its bytes.
 * @throws FirstseenError E_SNAPSHOT when the checksum is wrong.
 */
export function decodeFrame(bytes: Uint8Array, checksum: Checksum): Frame {
  const view = viewOf(bytes);
  const offsets = offsetsOf(view);
  checkHeader(bytes.subarray(0, offsets.end), bytes.subarray(offsets.end), checksum);
  const { flags, note, secret, second, partitions, keyScheme } = offsets;
  const lengthOfScheme = view.getUint16(14, true);
  if (((flags & KEY_SCHEME_FLAG) !== 0) !== lengthOfScheme > 0) {
    throw brokenSnapshot(
      `its flags and a key scheme of ${formatCounted(lengthOfScheme, 'byte')} contradict each other`,
    );
  }
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  const u32 = (at: number) => view.getUint32(at, true);
  return {
    version: view.getUint16(8, true),
    family: view.getUint16(10, true),
    layout: view.getUint8(12),
    fingerprint: view.getUint8(13),
    seed: view.getBigUint64(24, true),
    memoryBytes: u64(32),
    parameters: decodeParameters(bytes, view),
    registers: BigUint64Array.from({ length: u32(40) }, (_, i) =>
      view.getBigUint64(offsets.registers + i * REGISTER_BYTES, true),
    ),
    note: bytes.slice(note, note + u32(44)),
    cellsBytes: u64(48),
    storedCellsBytes: u64(56),
    ...(flags & SECRET_FLAG ? { secret: bytes.subarray(secret, secret + SECRET_BYTES) } : {}),
    ...(flags & SECOND_FLAG ? { second: { bytes: u64(second), storedBytes: u64(second + 8) } } : {}),
    ...(flags & PARTITIONS_FLAG
      ? { partitions: { count: u32(partitions), first: u32(partitions + 4), held: u32(partitions + 8) } }
      : {}),
    keyScheme: bytes.subarray(keyScheme, keyScheme + lengthOfScheme),
  };
}

/** @throws FirstseenError E_SNAPSHOT when a part differs from the saved one. */
export function checkPart(what: string, part: Uint8Array, trailer: Uint8Array, checksum: Checksum): void {
  if (viewOf(trailer).getBigUint64(0, true) !== checksum(part)) {
    throw brokenSnapshot(`the checksum of its ${what} is wrong`);
  }
}

/** The checksum of a part, which follows it. */
export function encodeTrailer(checksum: bigint): Uint8Array {
  const trailer = new Uint8Array(CHECKSUM_BYTES);
  viewOf(trailer).setBigUint64(0, checksum, true);
  return trailer;
}
