// Snapshots of many detectors with the same settings, at once. Their headers differ in a few ranges, so one header is encoded and checked
// for all of them: to encode and to resolve the settings takes several times as long as the rest of a small snapshot.

import { type Detector, kernelOf } from '../detectors/detector.js';
import { cellsBytesOf, type DetectorSettings } from '../detectors/settings.js';
import { REGISTER_COUNT } from '../kernel/abi.js';
import { checksumIn } from './checksum.js';
import { encodeHeader } from './format.js';
import { CHECKSUM_BYTES, type Checksum, checkHeader, type HeaderRange, variableRanges } from './frame.js';
import { emptyNote, headerIn, type ReadHeader, usedPart } from './snapshots.js';

/** The header of the snapshots of detectors that have these settings and no partitions. */
export class SharedHeader {
  readonly #settings: DetectorSettings;
  /** A header in which everything that differs is zero. */
  readonly #header: Uint8Array;
  readonly #ranges: ReturnType<typeof variableRanges>;

  constructor(settings: DetectorSettings) {
    this.#settings = settings;
    const registers = new BigUint64Array(REGISTER_COUNT);
    this.#header = encodeHeader({ settings, registers, note: emptyNote, storedCellsBytes: 0, storedWitnessBytes: 0 });
    this.#ranges = variableRanges(this.#header);
  }

  /** The snapshot of a detector with the settings, without a note: the bytes of `save`. */
  snapshot(detector: Detector): Uint8Array {
    const kernel = kernelOf(detector);
    const checksum = checksumIn(kernel);
    const regions = [usedPart(kernel, kernel.cells)];
    if (this.#settings.witnessBytes > 0) regions.push(usedPart(kernel, kernel.witness));
    const lengths = [this.#header.length, ...regions.map(({ length }) => length)];
    const snapshot = new Uint8Array(lengths.reduce((sum, length) => sum + length + CHECKSUM_BYTES, 0));
    const view = new DataView(snapshot.buffer);
    const { registers, storedCellsBytes, storedSecondBytes } = this.#ranges;
    snapshot.set(this.#header);
    // The memory of a kernel has the order of bytes that a snapshot has.
    snapshot.set(
      new Uint8Array(kernel.bytes.buffer, kernel.registers.byteOffset, registers[1] - registers[0]),
      registers[0],
    );
    view.setBigUint64(storedCellsBytes[0], BigInt(lengths[1] ?? 0), true);
    if (regions.length > 1) view.setBigUint64(storedSecondBytes[0], BigInt(lengths[2] ?? 0), true);
    let at = this.#header.length;
    view.setBigUint64(at, checksum(snapshot.subarray(0, at)), true);
    for (const region of regions) {
      at += CHECKSUM_BYTES;
      snapshot.set(region, at);
      at += region.length;
      view.setBigUint64(at, checksum(region), true);
    }
    return snapshot;
  }

  /**
   * The header of a snapshot in memory, which may have other settings and a note.
   * @throws FirstseenError E_SNAPSHOT
   */
  read(snapshot: Uint8Array, checksum: Checksum): ReadHeader {
    return this.#readOwn(snapshot, checksum) ?? headerIn(snapshot, checksum);
  }

  /** The header of a snapshot that has these settings, and no note; undefined if it has not, or is not whole. */
  #readOwn(snapshot: Uint8Array, checksum: Checksum): ReadHeader | undefined {
    const headerBytes = this.#header.length + CHECKSUM_BYTES;
    if (snapshot.length < headerBytes || !this.#isLike(snapshot)) return undefined;
    const { witnessBytes } = this.#settings;
    // A copy, aligned for the registers, and because the snapshot may be shared.
    const header = snapshot.slice(0, headerBytes);
    const view = new DataView(header.buffer);
    const { registers, storedCellsBytes: cellsAt, storedSecondBytes: secondAt } = this.#ranges;
    const storedCellsBytes = Number(view.getBigUint64(cellsAt[0], true));
    const storedWitnessBytes = witnessBytes > 0 ? Number(view.getBigUint64(secondAt[0], true)) : 0;
    const cellsEndBytes = headerBytes + storedCellsBytes + CHECKSUM_BYTES;
    const isPart = (storedBytes: number, bytes: number) => storedBytes <= bytes && storedBytes % 8 === 0;
    if (!isPart(storedCellsBytes, cellsBytesOf(this.#settings)) || !isPart(storedWitnessBytes, witnessBytes))
      return undefined;
    if (snapshot.length !== cellsEndBytes + (witnessBytes > 0 ? storedWitnessBytes + CHECKSUM_BYTES : 0))
      return undefined;
    checkHeader(header.subarray(0, this.#header.length), header.subarray(this.#header.length), checksum);
    return {
      version: view.getUint16(8, true),
      settings: this.#settings,
      registers: new BigUint64Array(header.slice(...registers).buffer),
      note: emptyNote,
      ...{ storedCellsBytes, storedWitnessBytes, headerBytes, cellsEndBytes },
    };
  }

  /** Tells if a snapshot begins as the header does, except for what differs. */
  #isLike(snapshot: Uint8Array): boolean {
    const { registers, storedCellsBytes, storedSecondBytes } = this.#ranges;
    const ends: readonly HeaderRange[] = [storedCellsBytes, registers, storedSecondBytes];
    let at = 0;
    for (const [start, end] of [...ends, [this.#header.length, 0] as const]) {
      for (; at < start; at++) if (snapshot[at] !== this.#header[at]) return false;
      at = end;
    }
    return true;
  }
}
