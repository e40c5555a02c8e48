// The snapshot format (docs/FORMAT.md). No other module knows its bytes. Everything is little-endian.
//
//   0  8  magic                        40  u32  slots of state
//   8  u16  version                    44  u32  bytes of the note
//  10  u16  family                     48  u64  bytes of the cells
//  12  u8  layout                      56  u64  stored bytes of the cells; the rest is zero
//  13  u8  fingerprint                 64  parameters: name (16 bytes, filled with NUL), f64
//  14  u16  bytes of the key scheme        slots of state: u64 each
//  16  u32  flags: 1 secret, 2 witness,    note, filled with NUL to a multiple of 8
//           4 partitions, 8 key scheme
//  20  u32  parameters                     secret: 16 bytes, if flagged
//  24  u64  seed                           u64 u64  bytes of the witness, in memory and stored, if flagged
//  32  u64  requested memory               u32 u32 u32  partitions, the first held, the number held, u32 zero, if flagged
//                                          key scheme, filled with NUL to a multiple of 8, if flagged
//                                          u64  checksum of all before
//                                          cells stored
//                                          u64  checksum of the cells stored
//                                          witness stored, and its checksum, if flagged
//
// The slots of state contain everything that changes outside the cells: the count of elements, which is the entire state of the
// random number generator, the count of duplicates, and the family's own state.

import { formatCounted } from '../count.js';
import { defined } from '../defined.js';
import { type Family, layoutNames, type ParameterValue } from '../detectors/contract.js';
import type { Partitions } from '../detectors/partitions.js';
import { familyNumbered } from '../detectors/registry.js';
import {
  cellsBytesOf,
  type DetectorOptions,
  type DetectorSettings,
  ownParameters,
  resolveSettings,
} from '../detectors/settings.js';
import { FirstseenError, invalidOption, type Phrase, phrase } from '../errors.js';
import { fingerprintKinds, fingerprintNames } from '../fingerprint/fingerprint.js';
import { SECRET_BYTES } from '../kernel/abi.js';
import { isKeyScheme, type KeyScheme } from '../records/keyscheme.js';

const MAGIC = Uint8Array.of(0x89, 0x31, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a);
const FORMAT_VERSION = 1;
export const FIXED_HEADER_BYTES = 64;
export const CHECKSUM_BYTES = 8;
/** The maximum size of a header. A larger length counts as corrupt. */
export const MOST_HEADER_BYTES = 2 ** 24;

const NAME_BYTES = 16;
const PARAMETER_BYTES = NAME_BYTES + 8;
const STATE_SLOT_BYTES = 8;
const WITNESS_LENGTHS_BYTES = 16;
const PARTITIONS_BYTES = 16;

/** The snapshot contains the secret. Whoever reads it can craft input for its detector. */
const SECRET_FLAG = 1;
/** A witness follows the cells. */
const WITNESS_FLAG = 2;
/** The detector has partitions, or is some of the partitions of one. */
const PARTITIONS_FLAG = 4;
/** The snapshot says how keys are made from records. */
const KEY_SCHEME_FLAG = 8;
const KNOWN_FLAGS = SECRET_FLAG | WITNESS_FLAG | PARTITIONS_FLAG | KEY_SCHEME_FLAG;
const MOST_KEY_SCHEME_BYTES = 2 ** 16 - 1;

export interface SnapshotHeader {
  version: number;
  settings: DetectorSettings;
  state: BigUint64Array;
  /** The host's own data, such as its position in the input. Opaque here. */
  note: Uint8Array;
  storedCellsBytes: number;
  /** 0 without a witness. */
  storedWitnessBytes: number;
}

/** Lengths of the parts of a snapshot, from its first 64 bytes. */
export interface SnapshotLengths {
  /** The header with its checksum. The cells follow. */
  headerBytes: number;
  storedCellsBytes: number;
  /** The end of the cells with their checksum. A witness may follow. */
  cellsEndBytes: number;
}

const USE_WRITER = 'use the version of firstseen that wrote it';

export type Checksum = (bytes: Uint8Array) => bigint;

export function brokenSnapshot(what: string | Phrase): FirstseenError {
  return new FirstseenError('E_SNAPSHOT', phrase`this is not a complete, intact snapshot: ${what}`, {
    remedy: 'restore it from a copy, or start without it',
  });
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function paddedBytes(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function flagsOf(view: DataView): number {
  return view.getUint32(16, true);
}

function secretBytesOf(view: DataView): number {
  return flagsOf(view) & SECRET_FLAG ? SECRET_BYTES : 0;
}

function witnessLengthsBytes(view: DataView): number {
  return flagsOf(view) & WITNESS_FLAG ? WITNESS_LENGTHS_BYTES : 0;
}

function partitionsLength(view: DataView): number {
  return flagsOf(view) & PARTITIONS_FLAG ? PARTITIONS_BYTES : 0;
}

/** The bytes of the key scheme. Without the flag the field is zero. */
function keySchemeBytes(view: DataView): number {
  return view.getUint16(14, true);
}

/** The offset of the key scheme, in a header whose lengths are known. */
function keySchemeOffset(view: DataView): number {
  return partitionsOffset(view) + partitionsLength(view);
}

/** The offset of the partitions, in a header whose lengths are known. */
function partitionsOffset(view: DataView): number {
  return witnessLengthsOffset(view) + witnessLengthsBytes(view);
}

/** The offset of the lengths of the witness, in a header whose other lengths are known. */
function witnessLengthsOffset(view: DataView): number {
  return secretOffset(view) + secretBytesOf(view);
}

/** The offset of the secret, in a header whose lengths are known. */
function secretOffset(view: DataView): number {
  return (
    FIXED_HEADER_BYTES +
    view.getUint32(20, true) * PARAMETER_BYTES +
    view.getUint32(40, true) * STATE_SLOT_BYTES +
    paddedBytes(view.getUint32(44, true))
  );
}

/** A parameter as a number. A word is stored as its index in the family's list. */
function encodeValue(family: Family, letter: string, value: ParameterValue): number {
  if (typeof value === 'number') return value;
  return family.parameters.find((parameter) => parameter.letter === letter)?.words?.indexOf(value) ?? Number.NaN;
}

function decodeValue(family: Family, letter: string, value: number): ParameterValue {
  const parameter = family.parameters.find((candidate) => candidate.letter === letter);
  if (!parameter) throw brokenSnapshot(`family ${family.name} has no parameter "${letter}"`);
  if (!parameter.words) return value;
  const word = parameter.words[value];
  if (word === undefined) throw brokenSnapshot(`parameter ${letter} has the unknown word number ${value}`);
  return word;
}

/** The header with its checksum. The cells and their checksum follow it. */
export function encodeHeader(header: Omit<SnapshotHeader, 'version'>, checksum: Checksum): Uint8Array {
  const { settings, state, note } = header;
  const own = Object.entries(ownParameters(settings));
  const secretBytes = settings.secret ? SECRET_BYTES : 0;
  const witnessBytes = settings.witnessBytes > 0 ? WITNESS_LENGTHS_BYTES : 0;
  const listBytes = own.length * PARAMETER_BYTES + state.length * STATE_SLOT_BYTES;
  const partBytes = settings.partitions ? PARTITIONS_BYTES : 0;
  const scheme = encodeKeyScheme(settings.keyScheme);
  const textBytes = paddedBytes(note.length) + paddedBytes(scheme.length);
  const bodyBytes = FIXED_HEADER_BYTES + listBytes + textBytes + secretBytes + witnessBytes + partBytes;
  const bytes = new Uint8Array(bodyBytes + CHECKSUM_BYTES);
  const view = viewOf(bytes);
  bytes.set(MAGIC);
  view.setUint16(8, FORMAT_VERSION, true);
  view.setUint16(10, settings.family.id, true);
  view.setUint8(12, layoutNames.indexOf(settings.layout));
  view.setUint8(13, fingerprintKinds[settings.fingerprint].id);
  view.setUint16(14, scheme.length, true);
  view.setUint32(16, flagsFor(settings), true);
  view.setUint32(20, own.length, true);
  view.setBigUint64(24, settings.seed, true);
  view.setBigUint64(32, BigInt(settings.memoryBytes), true);
  view.setUint32(40, state.length, true);
  view.setUint32(44, note.length, true);
  view.setBigUint64(48, BigInt(cellsBytesOf(settings)), true);
  view.setBigUint64(56, BigInt(header.storedCellsBytes), true);
  let at = FIXED_HEADER_BYTES;
  for (const [letter, value] of own) {
    bytes.set(new TextEncoder().encode(letter), at);
    view.setFloat64(at + NAME_BYTES, encodeValue(settings.family, letter, value), true);
    at += PARAMETER_BYTES;
  }
  for (const slot of state) {
    view.setBigUint64(at, slot, true);
    at += STATE_SLOT_BYTES;
  }
  bytes.set(note, at);
  settings.secret?.copyTo(bytes, secretOffset(view));
  if (settings.witnessBytes > 0) {
    view.setBigUint64(witnessLengthsOffset(view), BigInt(settings.witnessBytes), true);
    view.setBigUint64(witnessLengthsOffset(view) + 8, BigInt(header.storedWitnessBytes), true);
  }
  if (settings.partitions) {
    const { count, first, held } = settings.partitions;
    for (const [i, number] of [count, first, held].entries())
      view.setUint32(partitionsOffset(view) + 4 * i, number, true);
  }
  bytes.set(scheme, keySchemeOffset(view));
  view.setBigUint64(bodyBytes, checksum(bytes.subarray(0, bodyBytes)), true);
  return bytes;
}

function flagsFor({ secret, witnessBytes, partitions, keyScheme }: DetectorSettings): number {
  const flags = [
    [secret, SECRET_FLAG],
    [witnessBytes > 0, WITNESS_FLAG],
    [partitions, PARTITIONS_FLAG],
    [keyScheme, KEY_SCHEME_FLAG],
  ] as const;
  return flags.reduce((sum, [isSet, flag]) => (isSet ? sum | flag : sum), 0);
}

function encodeKeyScheme(scheme: KeyScheme | undefined): Uint8Array {
  if (!scheme) return new Uint8Array(0);
  const { format, keys } = scheme;
  const bytes = new TextEncoder().encode(JSON.stringify({ format, keys }));
  if (bytes.length <= MOST_KEY_SCHEME_BYTES) return bytes;
  const expected = `names of at most ${MOST_KEY_SCHEME_BYTES} bytes in all`;
  throw invalidOption({ option: 'keys', given: keys, givenText: formatCounted(bytes.length, 'byte'), expected });
}

/**
 * The lengths in the first 64 bytes, checked against the bytes of the snapshot before anything is allocated.
 * @throws FirstseenError E_SNAPSHOT when the bytes are not a snapshot, not complete, or of another version.
 */
export function readLengths(fixed: Uint8Array, availableBytes: number): SnapshotLengths {
  if (fixed.length < FIXED_HEADER_BYTES)
    throw brokenSnapshot(`it has ${formatCounted(fixed.length, 'byte')}, fewer than a header`);
  if (MAGIC.some((byte, i) => fixed[i] !== byte)) throw brokenSnapshot('it does not begin with the mark of a snapshot');
  const view = viewOf(fixed);
  const version = view.getUint16(8, true);
  if (version !== FORMAT_VERSION) {
    const problem = `the snapshot has format version ${version}, but this version of firstseen reads ${FORMAT_VERSION}`;
    throw new FirstseenError('E_SNAPSHOT', problem, { remedy: USE_WRITER });
  }
  if ((flagsOf(view) & ~KNOWN_FLAGS) !== 0) {
    const problem = `the snapshot has the flags ${flagsOf(view)}, but this version of firstseen knows only ${KNOWN_FLAGS}`;
    throw new FirstseenError('E_SNAPSHOT', problem, { remedy: USE_WRITER });
  }
  const headerBytes = keySchemeOffset(view) + paddedBytes(keySchemeBytes(view)) + CHECKSUM_BYTES;
  if (headerBytes > MOST_HEADER_BYTES) throw brokenSnapshot(`its header would have ${headerBytes} bytes`);
  const storedCellsBytes = Number(view.getBigUint64(56, true));
  const cellsEndBytes = headerBytes + storedCellsBytes + CHECKSUM_BYTES;
  const isWhole =
    witnessLengthsBytes(view) > 0 ? availableBytes >= cellsEndBytes + CHECKSUM_BYTES : availableBytes === cellsEndBytes;
  if (!isWhole) throw brokenSnapshot(`it should have ${cellsEndBytes} bytes, but has ${availableBytes}`);
  return { headerBytes, storedCellsBytes, cellsEndBytes };
}

/**
 * Decodes a header from exactly its bytes.
 * @throws FirstseenError E_SNAPSHOT when the checksum is wrong or the header contradicts itself.
 */
export function decodeHeader(bytes: Uint8Array, checksum: Checksum): SnapshotHeader {
  const view = viewOf(bytes);
  const bodyBytes = bytes.length - CHECKSUM_BYTES;
  if (view.getBigUint64(bodyBytes, true) !== checksum(bytes.subarray(0, bodyBytes))) {
    throw brokenSnapshot('the checksum of its header is wrong');
  }
  const slots = view.getUint32(40, true);
  const stateAt = FIXED_HEADER_BYTES + view.getUint32(20, true) * PARAMETER_BYTES;
  const noteAt = stateAt + slots * STATE_SLOT_BYTES;
  const settings = decodeSettings(bytes, view);
  const storedCellsBytes = Number(view.getBigUint64(56, true));
  const cellsBytes = Number(view.getBigUint64(48, true));
  if (cellsBytes !== cellsBytesOf(settings) || storedCellsBytes > cellsBytes || storedCellsBytes % 8 !== 0) {
    throw brokenSnapshot(
      `it should have ${storedCellsBytes} of ${cellsBytes} bytes of cells, which its memory does not have`,
    );
  }
  return {
    version: view.getUint16(8, true),
    settings,
    state: BigUint64Array.from({ length: slots }, (_, i) => view.getBigUint64(stateAt + i * STATE_SLOT_BYTES, true)),
    note: bytes.slice(noteAt, noteAt + view.getUint32(44, true)),
    storedCellsBytes,
    storedWitnessBytes: storedWitnessBytesOf(view, settings),
  };
}

/** The stored bytes of a witness, checked against its memory. */
function storedWitnessBytesOf(view: DataView, settings: DetectorSettings): number {
  if (settings.witnessBytes === 0) return 0;
  const stored = Number(view.getBigUint64(witnessLengthsOffset(view) + 8, true));
  if (stored <= settings.witnessBytes && stored % 8 === 0) return stored;
  throw brokenSnapshot(`it should have ${stored} of ${settings.witnessBytes} bytes of a witness`);
}

function decodeSettings(bytes: Uint8Array, view: DataView): DetectorSettings {
  const familyId = view.getUint16(10, true);
  const family = familyNumbered(familyId);
  const layout = layoutNames[view.getUint8(12)];
  const fingerprint = fingerprintNames.find((name) => fingerprintKinds[name].id === view.getUint8(13));
  if (!family || !layout || !fingerprint) {
    const numbers = `family ${familyId}, layout ${view.getUint8(12)} or fingerprint ${view.getUint8(13)}`;
    throw new FirstseenError('E_SNAPSHOT', `this version of firstseen does not know ${numbers} of the snapshot`, {
      remedy: USE_WRITER,
    });
  }
  const options = {
    algorithm: family.name,
    memory: Number(view.getBigUint64(32, true)),
    layout,
    fingerprint,
    seed: view.getBigUint64(24, true),
    ...decodeSecret(bytes, view),
    parameters: decodeParameters(bytes, view, family),
    ...decodeWitness(view),
  };
  const partitions = decodePartitions(view);
  const keyScheme = decodeKeyScheme(bytes, view);
  try {
    const settings = resolveSettings({ ...options, ...(partitions ? { partitions: partitions.count } : {}) });
    // Of the partitions only some may be held.
    return { ...settings, ...defined({ partitions, keyScheme }) };
  } catch (cause) {
    const reason = cause instanceof FirstseenError ? cause.phrase : String(cause);
    throw brokenSnapshot(phrase`its settings are impossible: ${reason}`);
  }
}

function decodePartitions(view: DataView): Partitions | undefined {
  if (partitionsLength(view) === 0) return undefined;
  const [count, first, held] = [0, 4, 8].map((at) => view.getUint32(partitionsOffset(view) + at, true)) as [
    number,
    number,
    number,
  ];
  if (count > 1 && held > 0 && first + held <= count) return { count, first, held };
  throw brokenSnapshot(`it should hold ${held} of ${count} partitions, from ${first} on`);
}

/** @throws FirstseenError E_SNAPSHOT for a scheme that this version does not know. */
function decodeKeyScheme(bytes: Uint8Array, view: DataView): KeyScheme | undefined {
  const isFlagged = (flagsOf(view) & KEY_SCHEME_FLAG) !== 0;
  const length = keySchemeBytes(view);
  if (isFlagged !== length > 0)
    throw brokenSnapshot(`its flags and a key scheme of ${length} bytes contradict each other`);
  if (!isFlagged) return undefined;
  const at = keySchemeOffset(view);
  const text = new TextDecoder().decode(bytes.subarray(at, at + length));
  try {
    const { format, keys } = JSON.parse(text) as KeyScheme;
    if (isKeyScheme({ format, keys })) return { format, keys };
  } catch {
    // It is not JSON, or not an object, and so no scheme.
  }
  const problem = phrase`this version of firstseen does not know the key scheme ${JSON.stringify(text)} of the snapshot`;
  throw new FirstseenError('E_SNAPSHOT', problem, { remedy: USE_WRITER });
}

function decodeSecret(bytes: Uint8Array, view: DataView): { secret?: Uint8Array } {
  const at = secretOffset(view);
  return secretBytesOf(view) > 0 ? { secret: bytes.subarray(at, at + SECRET_BYTES) } : {};
}

function decodeWitness(view: DataView): Pick<DetectorOptions, 'witness'> {
  if (witnessLengthsBytes(view) === 0) return {};
  return { witness: { memory: Number(view.getBigUint64(witnessLengthsOffset(view), true)) } };
}

function decodeParameters(bytes: Uint8Array, view: DataView, family: Family): Record<string, ParameterValue> {
  const parameters: Record<string, ParameterValue> = {};
  for (let i = 0; i < view.getUint32(20, true); i++) {
    const at = FIXED_HEADER_BYTES + i * PARAMETER_BYTES;
    const name = bytes.subarray(at, at + NAME_BYTES);
    const letter = new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
    parameters[letter] = decodeValue(family, letter, view.getFloat64(at + NAME_BYTES, true));
  }
  return parameters;
}

/** @throws FirstseenError E_SNAPSHOT when a part differs from the saved one. */
export function checkPart(what: string, part: Uint8Array, trailer: Uint8Array, checksum: Checksum): void {
  if (viewOf(trailer).getBigUint64(0, true) !== checksum(part)) {
    throw brokenSnapshot(`the checksum of its ${what} is wrong`);
  }
}

/** The checksum of a part, which follows it. */
export function encodeTrailer(part: Uint8Array, checksum: Checksum): Uint8Array {
  const trailer = new Uint8Array(CHECKSUM_BYTES);
  viewOf(trailer).setBigUint64(0, checksum(part), true);
  return trailer;
}
