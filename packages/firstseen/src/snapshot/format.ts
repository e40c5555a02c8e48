// What the numbers in the header of a snapshot mean for a detector (docs/FORMAT.md).
//
// The registers contain everything that changes outside the cells: the count of elements, which is the entire state of the
// random number generator, the count of duplicates, and what the family keeps there itself.

import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { FirstseenError, invalidOption, phrase, shownValue } from '../base/errors.js';
import { type DetectorFamily, layoutNames, type ParameterValue } from '../detectors/contract.js';
import type { Partitions } from '../detectors/partitions.js';
import { familyNumbered } from '../detectors/registry.js';
import { cellsBytesOf, type DetectorSettings, ownParameters, resolveOfFamily } from '../detectors/settings.js';
import { fingerprintForms, fingerprintNames } from '../fingerprint/fingerprint.js';
import { SECRET_BYTES } from '../kernel/abi.js';
import { isKeyScheme, type KeyScheme } from '../records/keyscheme.js';
import {
  brokenSnapshot,
  encodeFrame,
  type Frame,
  impossibleSettings,
  MAX_KEY_SCHEME_BYTES,
  type NewFrame,
  USE_WRITER,
} from './frame.js';

/** The number that a snapshot of range motifs has instead of a family. */
export const MOTIFS_FAMILY = 0xffff;

export interface SnapshotHeader {
  version: number;
  settings: DetectorSettings;
  registers: BigUint64Array;
  /** The host's own data, such as its position in the input. Opaque here. */
  note: Uint8Array;
  storedCellsBytes: number;
  /** 0 without a witness. */
  storedWitnessBytes: number;
}

/** A parameter as a number. A word is stored as its index in the family's list. */
function encodeValue(family: DetectorFamily, letter: string, value: ParameterValue): number {
  if (typeof value === 'number') return value;
  return family.parameters.find((parameter) => parameter.letter === letter)?.words?.indexOf(value) ?? Number.NaN;
}

function decodeValue(family: DetectorFamily, letter: string, value: number): ParameterValue {
  const parameter = family.parameters.find((candidate) => candidate.letter === letter);
  if (!parameter) throw brokenSnapshot(`family ${family.name} has no parameter "${letter}"`);
  if (!parameter.words) return value;
  const word = parameter.words[value];
  if (word === undefined) throw brokenSnapshot(`parameter ${letter} has the unknown word number ${value}`);
  return word;
}

function encodeKeyScheme(scheme: KeyScheme | undefined): Uint8Array {
  if (!scheme) return new Uint8Array(0);
  const { format, keys, equality } = scheme;
  const bytes = new TextEncoder().encode(JSON.stringify({ format, keys, equality }));
  if (bytes.length <= MAX_KEY_SCHEME_BYTES) return bytes;
  const expected = `names of at most ${MAX_KEY_SCHEME_BYTES} bytes in all`;
  throw invalidOption({ option: 'keys', given: keys, givenText: formatCounted(bytes.length, 'byte'), expected });
}

/** @throws FirstseenError E_SNAPSHOT for a scheme that this version does not know. */
function decodeKeyScheme(bytes: Uint8Array): KeyScheme | undefined {
  if (bytes.length === 0) return undefined;
  const text = new TextDecoder().decode(bytes);
  try {
    const { format, keys, equality } = JSON.parse(text);
    const scheme = { format, keys, ...defined({ equality }) };
    if (isKeyScheme(scheme)) return scheme;
  } catch {
    // It is not JSON, or not an object, and so no scheme.
  }
  const problem = phrase`this version of firstseen does not know the key scheme ${shownValue(text)} of the snapshot`;
  throw new FirstseenError('E_SNAPSHOT', problem, { remedy: USE_WRITER });
}

function secretBytes({ secret }: DetectorSettings): Uint8Array | undefined {
  if (!secret) return undefined;
  const bytes = new Uint8Array(SECRET_BYTES);
  secret.copyTo(bytes, 0);
  return bytes;
}

/** The header. Its checksum, the cells and their checksum follow it. */
export function encodeHeader(header: Omit<SnapshotHeader, 'version'>): Uint8Array {
  const { settings, registers, note, storedCellsBytes } = header;
  const { family, layout, fingerprint, seed, memoryBytes, witnessBytes, partitions } = settings;
  const frame: NewFrame = {
    ...{ family: family.id, layout: layoutNames.indexOf(layout), fingerprint: fingerprintForms[fingerprint].id },
    ...{ seed, memoryBytes, registers, note, cellsBytes: cellsBytesOf(settings), storedCellsBytes },
    parameters: Object.entries(ownParameters(settings)).map(
      ([letter, value]) => [letter, encodeValue(family, letter, value)] as const,
    ),
    ...(witnessBytes > 0 ? { second: { bytes: witnessBytes, storedBytes: header.storedWitnessBytes } } : {}),
    ...defined({ secret: secretBytes(settings), partitions }),
    keyScheme: encodeKeyScheme(settings.keyScheme),
  };
  return encodeFrame(frame);
}

/**
 * @param decoded gives the settings if others of the same were decoded before
 * @throws FirstseenError E_SNAPSHOT when the frame is not that of a detector, or contradicts itself.
 */
export function headerOf(frame: Frame, decoded?: DecodedSettings): SnapshotHeader {
  const { registers, note, cellsBytes, storedCellsBytes } = frame;
  const settings = decoded ? decoded.of(frame) : decodeSettings(frame);
  if (cellsBytes !== cellsBytesOf(settings) || storedCellsBytes > cellsBytes || storedCellsBytes % 8 !== 0) {
    throw brokenSnapshot(
      `it should have ${storedCellsBytes} of ${cellsBytes} bytes of cells, which its memory does not have`,
    );
  }
  const storedWitnessBytes = storedWitnessBytesOf(frame, settings);
  return { version: frame.version, settings, registers, note, storedCellsBytes, storedWitnessBytes };
}

/** The stored bytes of a witness, checked against its memory. */
function storedWitnessBytesOf({ second }: Frame, { witnessBytes }: DetectorSettings): number {
  const stored = second?.storedBytes ?? 0;
  if (witnessBytes === 0) return 0;
  if (stored <= witnessBytes && stored % 8 === 0) return stored;
  throw brokenSnapshot(`it should have ${stored} of ${witnessBytes} bytes of a witness`);
}

function decodeSettings(frame: Frame): DetectorSettings {
  const { memoryBytes: memory, seed, secret, second, partitions: storedPartitions } = frame;
  const family = familyNumbered(frame.family);
  const layout = layoutNames[frame.layout];
  const fingerprint = fingerprintNames.find((name) => fingerprintForms[name].id === frame.fingerprint);
  if (frame.family === MOTIFS_FAMILY) {
    const problem = 'this is a snapshot of range motifs, not of a detector';
    throw new FirstseenError('E_SNAPSHOT', problem, { remedy: 'load it with loadMotifs' });
  }
  if (!family || !layout || !fingerprint) {
    const numbers = `family ${frame.family}, layout ${frame.layout} or fingerprint ${frame.fingerprint}`;
    throw new FirstseenError('E_SNAPSHOT', `this version of firstseen does not know ${numbers} of the snapshot`, {
      remedy: USE_WRITER,
    });
  }
  const parameters = decodeParameters(frame, family);
  const partitions = checkPartitions(storedPartitions);
  const keyScheme = decodeKeyScheme(frame.keyScheme);
  const options = { memory, layout, fingerprint, seed, parameters };
  const otherSettings = {
    ...defined({ secret, partitions: partitions?.count }),
    ...(second ? { witness: { memory: second.bytes } } : {}),
  };
  try {
    // Of the partitions, only some may be held.
    const settings = resolveOfFamily(family, { ...options, ...otherSettings });
    return { ...settings, ...defined({ partitions, keyScheme }) };
  } catch (cause) {
    throw impossibleSettings(cause);
  }
}

/** The part of a frame that decides its settings, as text. */
function settingsText(frame: Frame): string {
  const { family, layout, fingerprint, seed, memoryBytes, parameters, secret, second, partitions, keyScheme } = frame;
  const texts = [seed, secret, keyScheme, ...parameters.flat()].map(String);
  return JSON.stringify([family, layout, fingerprint, memoryBytes, second?.bytes, partitions, ...texts]);
}

/** Settings that are remembered. */
const MAX_DECODED = 256;

/**
 * The settings of headers that were decoded. Many small detectors have the same, and to resolve them takes longer than to read a small
 * snapshot.
 */
export class DecodedSettings {
  readonly #settings = new Map<string, DetectorSettings>();

  /** Returns the settings of a frame. @throws FirstseenError as `headerOf` */
  of(frame: Frame): DetectorSettings {
    const text = settingsText(frame);
    const before = this.#settings.get(text);
    if (before) return before;
    const settings = decodeSettings(frame);
    if (this.#settings.size === MAX_DECODED) this.#settings.clear();
    this.#settings.set(text, settings);
    return settings;
  }
}

function checkPartitions(partitions: Partitions | undefined): Partitions | undefined {
  if (!partitions) return undefined;
  const { count, first, held } = partitions;
  if (count > 1 && held > 0 && first + held <= count) return { count, first, held };
  throw brokenSnapshot(`it should hold ${held} of ${count} partitions, from ${first} on`);
}

function decodeParameters({ parameters }: Frame, family: DetectorFamily): Record<string, ParameterValue> {
  return Object.fromEntries(parameters.map(([letter, value]) => [letter, decodeValue(family, letter, value)]));
}
