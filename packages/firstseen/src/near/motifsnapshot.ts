// Snapshots of range motifs (docs/FORMAT.md): the arrays, and what is known of the records of the current batch.

import { FirstseenError } from '../base/errors.js';
import { MOTIFS_DIGEST_BYTES } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { checksumIn } from '../snapshot/checksum.js';
import { MOTIFS_FAMILY } from '../snapshot/format.js';
import { brokenSnapshot, encodeFrame, type Frame, impossibleSettings } from '../snapshot/frame.js';
import { checkMemory } from '../snapshot/load.js';
import { readPart, type SnapshotSource } from '../snapshot/parts.js';
import { readFrame, type SnapshotParts, usedPart } from '../snapshot/snapshots.js';
import { type MotifSettings, motifMemoryBytes, motifOpenings, NO_SET, resolveMotifSettings } from './motifsettings.js';

/** The contents of a snapshot in addition to the memory. */
export interface MotifContents {
  settings: MotifSettings;
  /** The numbers of records and of repeats, then the size of each set, and the number of records without a set. */
  registers: BigUint64Array;
  note: Uint8Array;
}

/** Views of the memory that a snapshot has. */
export interface MotifMemory {
  kernel: Kernel;
  arrays: Uint8Array;
  /** Of the records of the current batch. */
  digests: Uint8Array;
  /** One byte for each of these records. */
  sets: Uint8Array;
}

export interface MotifHeader extends MotifContents {
  storedArraysBytes: number;
  headerBytes: number;
  cellsEndBytes: number;
}

const numberNames = ['recordBytes', 'sets', 'hashes', 'addressBits', 'threshold', 'batchRecords'] as const;
const OPENING = 'opening';

function parametersOf(settings: MotifSettings): [string, number][] {
  const numbers = numberNames.map((name): [string, number] => [name, settings[name]]);
  return [...numbers, [OPENING, motifOpenings.indexOf(settings.opening)]];
}

/** The second part of a snapshot: digests, then sets. */
function batchBytes({ digests, sets }: Pick<MotifMemory, 'digests' | 'sets'>): Uint8Array {
  const bytes = new Uint8Array(digests.length + sets.length);
  bytes.set(digests);
  bytes.set(sets, digests.length);
  return bytes;
}

/** The parts of a snapshot. */
export function motifParts(
  { settings, registers, note }: MotifContents,
  { kernel, arrays, ...batch }: MotifMemory,
): SnapshotParts {
  const stored = usedPart(kernel, arrays);
  const second = batchBytes(batch);
  const header = {
    ...{ family: MOTIFS_FAMILY, layout: 0, fingerprint: 0 },
    ...{ keyScheme: new Uint8Array(0), hasIntegersApart: false },
    ...{ seed: settings.seed, memoryBytes: arrays.length, parameters: parametersOf(settings), registers, note },
    ...{ cellsBytes: arrays.length, storedCellsBytes: stored.length },
    second: { bytes: second.length, storedBytes: second.length },
  };
  return { kernel, parts: [encodeFrame(header), stored, second] };
}

function settingsOf({ parameters, seed }: Frame): MotifSettings {
  const { opening = -1, ...numbers } = Object.fromEntries(parameters);
  try {
    return resolveMotifSettings({ recordBytes: 0, ...numbers, seed, opening: motifOpenings[opening] ?? ('' as never) });
  } catch (cause) {
    throw impossibleSettings(cause);
  }
}

/** Tells if the counts are those of a stream. */
function isPossible(registers: BigUint64Array, { sets }: MotifSettings): boolean {
  const [records = 0n, repeats = 0n, ...sizes] = registers;
  if (sizes.length !== sets + 1 || records > BigInt(Number.MAX_SAFE_INTEGER) || repeats > records) return false;
  return sizes.reduce((sum, size) => sum + size, 0n) === records;
}

/** @throws FirstseenError E_SNAPSHOT unless it is the header of range motifs; E_MEMORY when their arrays are larger. */
export async function readMotifHeader(
  source: SnapshotSource,
  maxBytes: number,
  module?: WebAssembly.Module,
): Promise<MotifHeader> {
  const { frame, headerBytes, cellsEndBytes } = await readFrame(source, module);
  const { family, registers, note, cellsBytes, storedCellsBytes, second } = frame;
  if (family !== MOTIFS_FAMILY) {
    throw new FirstseenError('E_SNAPSHOT', 'this is not a snapshot of range motifs', {
      remedy: 'load the snapshot of a detector with load',
    });
  }
  const settings = settingsOf(frame);
  if (!isPossible(registers, settings)) throw brokenSnapshot('its counts contradict each other');
  const inBatch = Number(registers[0]) % settings.batchRecords;
  const isSized = cellsBytes === motifMemoryBytes(settings) && storedCellsBytes <= cellsBytes;
  if (!isSized || second?.storedBytes !== second?.bytes || second?.bytes !== inBatch * (MOTIFS_DIGEST_BYTES + 1)) {
    throw brokenSnapshot('its parts have other lengths than its settings require');
  }
  checkMemory(cellsBytes, maxBytes);
  return { settings, registers, note, storedArraysBytes: storedCellsBytes, headerBytes, cellsEndBytes };
}

/** Reads the parts after the header into the memory. @throws FirstseenError E_SNAPSHOT when they are not intact. */
export async function readMotifParts(
  source: SnapshotSource,
  { storedArraysBytes, headerBytes, cellsEndBytes, settings }: MotifHeader,
  { kernel, arrays, digests, sets }: MotifMemory,
): Promise<void> {
  const checksum = checksumIn(kernel);
  await readPart(
    source,
    { what: 'cells', part: arrays.subarray(0, storedArraysBytes), position: headerBytes },
    checksum,
  );
  const batch = new Uint8Array(digests.length + sets.length);
  await readPart(source, { what: 'batch', part: batch, position: cellsEndBytes }, checksum);
  digests.set(batch.subarray(0, digests.length));
  sets.set(batch.subarray(digests.length));
  if (sets.some((set) => set >= settings.sets && set !== NO_SET)) throw brokenSnapshot('it has a set that cannot be');
}
