// Separates the partitions of a detector, joins them again, and changes their number.

import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { FirstseenError, invalidOption } from '../base/errors.js';
import { checkDetector } from '../detectors/checkdetector.js';
import { Detector, kernelOf } from '../detectors/detector.js';
import type { HostOptions } from '../detectors/host.js';
import { checkPartitionCount, type Partitions } from '../detectors/partitions.js';
import { cellsBytesOf, type DetectorSettings, ownParameters, resolveSettings } from '../detectors/settings.js';
import {
  CACHE_LINE_BYTES,
  DUPLICATES_REGISTER,
  HOST_CLOCK_REGISTER,
  OBSERVED_REGISTER,
  REGISTER_COUNT,
} from '../kernel/abi.js';
import { allRegisters, takeRegisters } from './registers.js';

/** Registers of every family that are sums over the elements of a partition. */
const SUMS = [OBSERVED_REGISTER, DUPLICATES_REGISTER];

function partitionsOf({ partitions }: DetectorSettings): Partitions {
  return partitions ?? { count: 1, first: 0, held: 1 };
}

function refused(problem: string, remedy: string): FirstseenError {
  return new FirstseenError('E_PARTITION', problem, { remedy });
}

/** Bytes of the cells of all partitions, whether they are held or not. */
function wholeCellsBytes(settings: DetectorSettings): number {
  const { count } = partitionsOf(settings);
  return cellsBytesOf({ ...settings, partitions: { count, first: 0, held: count } });
}

/**
 * Returns the reason why the partitions of a detector cannot be divided or united cache line for cache line; undefined if
 * they can. A family keeps all that it knows about an element in one cache line, so only the rest of its state matters.
 */
function obstacleTo(count: number, settings: DetectorSettings): string | undefined {
  const { family, layout, parameters } = settings;
  const oldCount = partitionsOf(settings).count;
  if (layout !== 'blocked') return `${family.name} in the layout ${layout} has one structure in each partition`;
  if (family.hasWindow && !parameters.isTimed) return `the window of ${family.name} counts the elements of a partition`;
  if (family.hasWindow && count < oldCount) return `the rings of ${family.name} have turned at different times`;
  if (family.hasGenerations && count < oldCount)
    return `the generations of ${family.name} have ended at different times`;
  const { groupBytes = CACHE_LINE_BYTES } = family;
  const unit = groupBytes === CACHE_LINE_BYTES ? 'lines' : `groups of ${groupBytes} bytes`;
  const groups = wholeCellsBytes(settings) / groupBytes;
  if (groups % count !== 0) return `its ${groups} ${unit} are not a multiple of ${count}`;
  return undefined;
}

/** The settings with another number of partitions and the same cache lines. */
function settingsWith(settings: DetectorSettings, count: number): DetectorSettings {
  const { family, layout, seed, fingerprint, secret, witnessBytes, keyScheme } = settings;
  const memory = wholeCellsBytes(settings);
  const parameters = ownParameters(settings);
  const resolved = resolveSettings({ algorithm: family.name, layout, memory, seed, parameters, partitions: count });
  return { ...resolved, fingerprint, witnessBytes, ...defined({ secret, keyScheme }) };
}

/** The registers of each partition of a detector, without those of the whole. */
function registersOf(detector: Detector): BigUint64Array[] {
  const registers = allRegisters(detector);
  if (!detector.settings.partitions) return [registers];
  return Array.from({ length: registers.length / REGISTER_COUNT - 1 }, (_, i) =>
    registers.slice((i + 1) * REGISTER_COUNT, (i + 2) * REGISTER_COUNT),
  );
}

/** Part `index` of `parts` nearly equal parts of a count. */
function shareOf(count: bigint, index: number, parts: number): bigint {
  const upTo = (i: number) => (count * BigInt(i)) / BigInt(parts);
  return upTo(index + 1) - upTo(index);
}

/** The registers of part `index` of `parts` of a partition. The elements of each part are not known, so they count evenly. */
function dividedRegisters(
  registers: BigUint64Array,
  { family }: DetectorSettings,
  index: number,
  parts: number,
): BigUint64Array {
  const partRegisters = registers.slice();
  for (const register of [...SUMS, ...(family.sumSlots ?? [])])
    partRegisters[register] = shareOf(registers[register] as bigint, index, parts);
  return partRegisters;
}

function sumsOf(sets: readonly BigUint64Array[]): BigUint64Array {
  const sums = new BigUint64Array(REGISTER_COUNT);
  for (const register of SUMS)
    for (const registers of sets) sums[register] = (sums[register] as bigint) + (registers[register] as bigint);
  return sums;
}

/** The time that the host set for all partitions; that of a detector without partitions is set for all parts of it. */
function hostClockOf(detector: Detector): bigint {
  const { settings, clockMilliseconds } = detector;
  return settings.partitions
    ? (kernelOf(detector).registers[HOST_CLOCK_REGISTER] as bigint)
    : BigInt(clockMilliseconds);
}

/** The registers of a detector with these partitions. */
function registersFor(settings: DetectorSettings, sets: readonly BigUint64Array[], hostClock: bigint): BigUint64Array {
  if (!settings.partitions) {
    const [only] = sets as [BigUint64Array];
    return only;
  }
  const totals = sumsOf(sets);
  totals[HOST_CLOCK_REGISTER] = hostClock;
  return BigUint64Array.from([totals, ...sets].flatMap((registers) => [...registers]));
}

/**
 * Returns the options that detectors that are made from this one have in common with it besides settings: the module of
 * the kernel, and the clock.
 */
function hostOf({ kernelModule, clock }: Detector): HostOptions {
  return defined({ module: kernelModule, now: clock?.now });
}

/**
 * A detector with such contents, in a kernel of the same module as that of `source`.
 * @param contents what the detector has, once its memory is there, so that both are of the same time
 */
async function detectorOf(
  source: Detector,
  settings: DetectorSettings,
  contents: () => { cells: Uint8Array; registers: BigUint64Array },
): Promise<Detector> {
  const detector = await Detector.ofSettings(settings, hostOf(source));
  const { cells, registers } = contents();
  kernelOf(detector).cells.set(cells);
  if (!takeRegisters(detector, registers)) throw new Error('the registers are not those of the settings');
  return detector;
}

/** The registers of `count` partitions from those of the detector. */
function registersOfPartitions(count: number, detector: Detector): BigUint64Array[] {
  const { settings } = detector;
  const sets = registersOf(detector);
  const parts = count / partitionsOf(settings).count;
  if (parts >= 1) {
    return sets.flatMap((registers) =>
      Array.from({ length: parts }, (_, i) => dividedRegisters(registers, settings, i, parts)),
    );
  }
  return Array.from({ length: count }, (_, i) => sumsOf(sets.slice(i / parts, (i + 1) / parts)));
}

/**
 * The detector with another number of partitions, and the same cache lines. Counts are divided evenly. The witness begins again.
 * @throws FirstseenError E_PARTITION when the family cannot be divided or united cache line for cache line; E_PARAMETER unless the number is a
 * power of two up to 4096.
 */
export async function repartition(detector: Detector, count: number): Promise<Detector> {
  const { settings } = checkDetector('detector', detector);
  const range = partitionsOf(settings);
  if (checkPartitionCount(count) === range.count) return detector;
  if (range.held < range.count) throw refused('the detector does not hold all partitions', 'merge them first');
  const obstacle = obstacleTo(count, settings);
  if (obstacle) {
    const problem = `a detector of ${formatCounted(range.count, 'partition')} cannot have ${count}: ${obstacle}`;
    throw refused(problem, `start a new detector with ${count} partitions`);
  }
  const newSettings = settingsWith(settings, count);
  return detectorOf(detector, newSettings, () => ({
    cells: kernelOf(detector).cells,
    registers: registersFor(newSettings, registersOfPartitions(count, detector), hostClockOf(detector)),
  }));
}

/**
 * The detector in `parts` pieces of contiguous partitions, in their order; each piece is a detector of its own, for the elements of
 * its partitions. A detector with fewer partitions is divided first, as by `repartition`. The pieces have no witness. Each
 * iteration makes one piece, so that there need not be memory for all.
 * @throws FirstseenError E_PARTITION when the detector cannot be divided so; E_PARAMETER as `repartition` does.
 */
export async function* split(detector: Detector, parts: number): AsyncGenerator<Detector> {
  checkDetector('detector', detector);
  const source =
    partitionsOf(detector.settings).count < checkPartitionCount(parts) ? await repartition(detector, parts) : detector;
  const { settings } = source;
  const kernel = kernelOf(source);
  const { count, held } = partitionsOf(settings);
  if (held < count || parts === 1)
    throw refused(`the detector holds ${held} of ${count} partitions`, 'split a whole detector');
  const sets = registersOf(source);
  const pieceBytes = kernel.cellsBytes / parts;
  for (let part = 0; part < parts; part++) {
    const size = count / parts;
    const piece = { ...settings, witnessBytes: 0, partitions: { count, first: part * size, held: size } };
    const cells = kernel.cells.subarray(part * pieceBytes, (part + 1) * pieceBytes);
    const registers = registersFor(piece, sets.slice(part * size, (part + 1) * size), hostClockOf(source));
    yield detectorOf(detector, piece, () => ({ cells, registers }));
  }
}

/** Returns the text that all pieces of one detector have in common. */
export function identityOf(settings: DetectorSettings): string {
  const { family, memoryBytes, layout, seed, fingerprint, secret, parameters, partitions } = settings;
  const secretBytes = new Uint8Array(16);
  secret?.copyTo(secretBytes, 0);
  const values = Object.entries(parameters.values).sort();
  return JSON.stringify([
    family.name,
    memoryBytes,
    layout,
    String(seed),
    fingerprint,
    [...secretBytes],
    values,
    partitions?.count,
  ]);
}

/**
 * One detector from the pieces of a split, in any order.
 * @throws FirstseenError E_PARTITION when they are not pieces of one detector, one is missing, or one is there twice.
 */
export async function merge(pieces: readonly Detector[]): Promise<Detector> {
  if (!Array.isArray(pieces)) {
    throw invalidOption({ option: 'pieces', given: pieces, expected: 'a list of detectors, the pieces of one split' });
  }
  for (const piece of pieces) checkDetector('pieces', piece);
  const sortedPieces = [...pieces].sort((a, b) => partitionsOf(a.settings).first - partitionsOf(b.settings).first);
  const [first] = sortedPieces;
  if (!first?.settings.partitions) throw refused('there are no partitions to merge', 'give the pieces of one split');
  const { settings } = first;
  checkWhole(sortedPieces);
  const { count } = partitionsOf(settings);
  const mergedSettings = { ...settings, witnessBytes: 0, partitions: { count, first: 0, held: count } };
  const mergedDetector = await Detector.ofSettings(mergedSettings, hostOf(first));
  let at = 0;
  for (const piece of sortedPieces) {
    const kernel = kernelOf(piece);
    kernelOf(mergedDetector).cells.set(kernel.cells, at);
    at += kernel.cellsBytes;
  }
  const [clock = 0n] = sortedPieces.map(hostClockOf).sort((a, b) => Number(b - a));
  takeRegisters(mergedDetector, registersFor(mergedSettings, sortedPieces.flatMap(registersOf), clock));
  return mergedDetector;
}

/** @throws FirstseenError E_PARTITION unless the pieces are those of one detector, each once. */
function checkWhole(sortedPieces: readonly Detector[]): void {
  const [{ settings }] = sortedPieces as [Detector];
  const { count } = partitionsOf(settings);
  let next = 0;
  for (const piece of sortedPieces) {
    const { first, held } = partitionsOf(piece.settings);
    if (identityOf(piece.settings) !== identityOf(settings)) {
      throw refused('the partitions belong to detectors with different settings', 'give the pieces of one split');
    }
    if (first !== next) {
      const problem = first < next ? `partition ${first} is there twice` : `partition ${next} is missing`;
      throw refused(problem, `give each of the ${count} partitions once`);
    }
    next = first + held;
  }
  if (next < count) throw refused(`partition ${next} is missing`, `give each of the ${count} partitions once`);
}
