// From what a caller asks of range motifs to the numbers of narang-2011, and where all of it lies in memory.

import { checkedSeed } from '../detectors/settings.js';
import { checkedWhole, checkedWord } from './contract.js';

/**
 * When a record that has too few votes opens a set. `threshold`: whenever no set has t votes (narang-2011, section 6.1).
 * `tied`: only where several sets have the most votes; a single winner takes the record with any number of votes (section 4 read
 * to the letter). `confirmed`, ours: only where records that were left out before agree with it in t hashes; all others that
 * have too few votes are left out.
 */
export const motifOpenings = ['threshold', 'tied', 'confirmed'] as const;
export type MotifOpening = (typeof motifOpenings)[number];

/** The set of a record that was left out. */
export { MOTIFS_NO_SET as NO_SET } from '../kernel/abi.js';

export interface MotifOptions {
  /** Length of every record: 1 to 65,536 bytes. */
  recordBytes: number;
  /** The paper's r: at most so many sets, 1 to 15; 4 by default. One set is approximate redundancy removal. */
  sets?: number;
  /** The paper's k: hash functions and arrays, 1 to 255; 32 by default. */
  hashes?: number;
  /** The paper's l': bits that a hash function reads, 1 to 30, at most those of a record; 20 by default. */
  addressBits?: number;
  /** The paper's t: votes that a record needs, 1 to k; ceil(k / 2) by default. */
  threshold?: number;
  /** `threshold` by default. */
  opening?: MotifOpening;
  /** 0 to 2^64 - 1; 0 by default. */
  seed?: number | bigint;
  /** The paper's D: records among which an exact repeat goes where its first went, 1 to 1,048,576; 4,096 by default. */
  batchRecords?: number;
}

export type MotifSettings = Readonly<Required<Omit<MotifOptions, 'seed'>> & { seed: bigint }>;

const ranges = {
  recordBytes: 65_536,
  sets: 15,
  hashes: 255,
  addressBits: 30,
  batchRecords: 2 ** 20,
} as const;

/** @throws FirstseenError E_PARAMETER naming what is outside its range. */
export function resolveMotifSettings(options: MotifOptions): MotifSettings {
  const recordBytes = checkedWhole('recordBytes', options.recordBytes, 1, ranges.recordBytes);
  const hashes = checkedWhole('hashes', options.hashes ?? 32, 1, ranges.hashes);
  const recordBits = 8 * recordBytes;
  return {
    recordBytes,
    hashes,
    opening: checkedWord('opening', options.opening ?? 'threshold', motifOpenings),
    sets: checkedWhole('sets', options.sets ?? 4, 1, ranges.sets),
    addressBits: checkedWhole(
      'addressBits',
      options.addressBits ?? Math.min(20, recordBits),
      1,
      Math.min(ranges.addressBits, recordBits),
    ),
    threshold: checkedWhole('threshold', options.threshold ?? Math.ceil(hashes / 2), 1, hashes),
    seed: checkedSeed(options.seed ?? 0),
    batchRecords: checkedWhole('batchRecords', options.batchRecords ?? 4096, 1, ranges.batchRecords),
  };
}

/** Binary logarithm of the bits of an entry: a Bloom bit and r bits of membership, rounded up to 2, 4, 8 or 16. */
export function entryBitsLog({ sets }: Pick<MotifSettings, 'sets'>): number {
  return Math.max(1, Math.ceil(Math.log2(sets + 1)));
}

/** Bytes of one array, whole words. */
export function arrayBytes(settings: Pick<MotifSettings, 'sets' | 'addressBits'>): number {
  return Math.ceil(2 ** (settings.addressBits + entryBitsLog(settings)) / 64) * 8;
}

/** Bytes of the k arrays: what the settings cost in memory. */
export function motifMemoryBytes(settings: Pick<MotifSettings, 'sets' | 'addressBits' | 'hashes'>): number {
  return settings.hashes * arrayBytes(settings);
}
