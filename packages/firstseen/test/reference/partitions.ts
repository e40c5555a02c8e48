// The twin of a detector of partitions: a twin for each partition, and the rule that gives an element to one of them.

import {
  cellsBytesOfPartition,
  type DetectorSettings,
  memoryBytesOfPartition,
  ownParameters,
  resolveSettings,
} from '../../src/detectors/settings.js';
import { fromAllBits, Generator } from './random.js';
import type { Answer, Twin, TwinRow } from './twin.js';

/** The hash that selects the partition in layouts without cache lines. */
const PARTITION_HASH = 0xffff;

/**
 * Settings of the twin of one partition. In the blocked layout that twin has the cache lines of all partitions, and sees elements of
 * its own cache lines only: the cache lines of a partition are those of a detector without partitions.
 */
function settingsOfTwin(settings: DetectorSettings, count: number): DetectorSettings {
  const { family, layout, seed } = settings;
  const ownBytes = memoryBytesOfPartition(settings);
  const memory = layout === 'blocked' ? count * cellsBytesOfPartition(settings) : ownBytes;
  const whole = resolveSettings({
    algorithm: family.name,
    layout,
    seed,
    memory,
    parameters: ownParameters(settings),
  });
  return layout === 'blocked' && settings.partitions ? { ...whole, partitions: settings.partitions } : whole;
}

/** The partition of an element. */
export function partitionOf({ layout, seed, partitions }: DetectorSettings, fingerprint: bigint): number {
  const hash = new Generator(seed).hash(fingerprint, layout === 'blocked' ? 0 : PARTITION_HASH);
  return fromAllBits(hash, partitions?.count ?? 1);
}

export class PartitionedTwin implements Twin {
  readonly #twins: Twin[];
  readonly #settings: DetectorSettings;
  readonly #isBlocked: boolean;

  constructor(row: TwinRow, settings: DetectorSettings) {
    const count = settings.partitions?.count ?? 1;
    this.#twins = Array.from({ length: count }, () => row.create(settingsOfTwin(settings, count)));
    this.#settings = settings;
    this.#isBlocked = settings.layout === 'blocked';
  }

  #twinOf(fingerprint: bigint): Twin {
    return this.#twins[partitionOf(this.#settings, fingerprint)] as Twin;
  }

  observe(fingerprint: bigint): Answer {
    return this.#twinOf(fingerprint).observe(fingerprint);
  }

  test(fingerprint: bigint): Answer {
    return this.#twinOf(fingerprint).test(fingerprint);
  }

  load(): number {
    const sum = this.#twins.reduce((total, twin) => total + twin.load(), 0);
    return this.#isBlocked ? sum : sum / this.#twins.length;
  }
}

/** The row of a family for detectors of partitions. */
export function partitionedRow(row: TwinRow): TwinRow {
  return { ...row, create: (settings) => new PartitionedTwin(row, settings) };
}
