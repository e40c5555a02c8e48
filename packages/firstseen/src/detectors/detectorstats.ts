// What a detector reports about itself.

import { defined } from '../base/defined.js';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import type { DetectorName } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import type { LayoutName, ParameterValue } from './contract.js';
import type { PartitionsStats } from './partitions.js';
import type { Overload } from './ratewatch.js';
import type { DetectorSettings } from './settings.js';
import { type WitnessStats, witnessStats } from './witness.js';

/** The description of a detector for logs. `stats()` has more. */
export type DetectorDescription = Pick<
  DetectorStats,
  'algorithm' | 'layout' | 'fingerprint' | 'memoryBytes' | 'observed' | 'duplicates'
> & {
  /** True if the detector has a secret. The secret itself is never shown. */
  keyed: boolean;
};

/** The settings of a detector, and its counts so far. */
export interface DetectorStats {
  /** The name of the family. */
  algorithm: DetectorName;
  /** The arrangement of the cells in memory. */
  layout: LayoutName;
  /** The hash function from a key to 64 bits. */
  fingerprint: FingerprintName;
  /** The seed of all randomness, as text of decimal digits: JSON has no numbers of 64 bits. */
  seed: string;
  /** Parameters by the papers' letters, including derived ones. */
  parameters: Record<string, ParameterValue>;
  /** Elements observed or added. */
  observed: number;
  /** Observed elements that were reported duplicate. */
  duplicates: number;
  /** Fraction of ones, or of occupied entries. Each call counts over the whole memory. */
  load: number;
  /** Bytes asked for. */
  memoryBytes: number;
  /** Bytes of the cells: the bytes asked for, rounded down, unless the family counts memory in another way. */
  cellsBytes: number;
  /** Elements that a window had no room for: they passed, and their repeats may pass. Only of `pocketwindow`. */
  unstored?: number;
  /**
   * Generations that left a window in time before their time, because there were more elements than the memory was planned for: repeats of
   * their elements may pass. Only of `apbf` and `pocketwindow`, whose promise about losses holds whatever comes.
   */
  shortened?: number;
  /** Error rates measured on the stream, if there is a witness. */
  witness?: WitnessStats;
  /** The stats of the partitions, if there are several. */
  partitions?: PartitionsStats;
  /** The overload, with `onOverload`, once the detector is past what it was planned for. */
  overload?: Overload;
}

/** The result of `statsWithoutLoad`: all but what is counted over the whole memory. */
export type StatsWithoutLoad = Omit<DetectorStats, 'load' | 'partitions'>;

/** The counts of what a detector has done. */
export interface DetectorCounts {
  observed: number;
  duplicates: number;
  unstored: number | undefined;
  shortened: number | undefined;
}

/** Settings as JSON: what `create` takes, without the functions of the family and the secret. */
function plainSettings(settings: DetectorSettings): object {
  const { family, layout, fingerprint, secret, memoryBytes, seed, parameters, partitions, witnessBytes } = settings;
  return {
    ...{ algorithm: family.name, layout, fingerprint, keyed: secret !== undefined, memoryBytes, seed: String(seed) },
    ...{ parameters: { ...parameters.values }, partitions: partitions?.count ?? 1, witnessBytes },
    ...defined({ keyScheme: settings.keyScheme }),
  };
}

/** Gives settings the method by which JSON.stringify takes them. It is not enumerable, as a method of a class. */
export function settingsWithJson(settings: DetectorSettings): DetectorSettings {
  // A pool has thousands of detectors with the same settings.
  if (Object.hasOwn(settings, 'toJSON')) return settings;
  return Object.defineProperty(settings, 'toJSON', { value: () => plainSettings(settings), configurable: true });
}

/** A short description for logs. */
export function describe(settings: DetectorSettings, { observed, duplicates }: DetectorCounts): DetectorDescription {
  const { family, layout, fingerprint, secret, memoryBytes } = settings;
  const keyed = secret !== undefined;
  return { algorithm: family.name, layout, fingerprint, keyed, memoryBytes, observed, duplicates };
}

/** The stats that need no pass over the memory. */
export function statsOf(
  settings: DetectorSettings,
  kernel: Kernel,
  { observed, duplicates, unstored, shortened }: DetectorCounts,
): StatsWithoutLoad {
  return {
    algorithm: settings.family.name,
    layout: settings.layout,
    fingerprint: settings.fingerprint,
    seed: String(settings.seed),
    parameters: { ...settings.parameters.values },
    observed,
    duplicates,
    memoryBytes: settings.memoryBytes,
    cellsBytes: kernel.cellsBytes,
    ...defined({ unstored, shortened }),
    ...(settings.witnessBytes > 0 ? { witness: witnessStats(kernel, { observed, reported: duplicates }) } : {}),
  };
}
