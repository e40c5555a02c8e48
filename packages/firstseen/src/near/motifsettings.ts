// Resolves the options of range motifs to the numbers of narang-2011, and computes the memory that they need.

import { checkOptions, checkSeed, checkWhole, checkWord, type OptionNames } from '../base/check.js';
import { type AllGiven, defined } from '../base/defined.js';
import * as rows from '../options/motifs.js';
import { ownNamesOf } from '../options/own.js';
import type { MotifParameters } from './motifbounds.js';
import { chosenParameters, usualParameters } from './motifchoice.js';

/**
 * The rules by which a record with too few votes opens a set. `threshold`: whenever no set has t votes (narang-2011,
 * section 6.1). `tied`: only if several sets have the most votes; a single winner takes the record with any number of
 * votes (section 4, literally). `confirmed`, ours: only if earlier records that were left out agree with it in t
 * hashes; other records with too few votes are left out.
 */
export const motifOpenings = rows.opening.words;
/** The rule by which a record with too few votes opens a set: `threshold`, `tied` or `confirmed` (docs/MOTIFS.md). */
export type MotifOpening = (typeof motifOpenings)[number];

/** The set of a record that was left out. */
export { MOTIFS_NO_SET as NO_SET } from '../kernel/abi.js';

/** The options of range motifs. Only `recordBytes` is mandatory. */
export interface MotifOptions {
  /** Length of every record: 1 to 65,536 bytes. */
  recordBytes: number;
  /** The paper's r: the maximum number of sets, 1 to 15; 4 by default. One set is approximate redundancy removal. */
  sets?: number | undefined;
  /**
   * The share of bits in which a record is expected to differ from the centre of its set; 0.02 by default, or the largest that works for
   * short records. The parameters `hashes`, `addressBits` and `threshold` that are not given are chosen from it, so that a record is
   * recognized by a single earlier record of its set in 999 cases of 1,000. Without `flips`, they are chosen only under the rule
   * `confirmed` and if none of them is given.
   */
  flips?: number | undefined;
  /** The paper's k: hash functions and arrays, 1 to 255; chosen from `flips`, or 32. */
  hashes?: number | undefined;
  /** The paper's l': bits that a hash function reads, 1 to 30 and at most those of a record; 20 by default. */
  addressBits?: number | undefined;
  /** The paper's t: votes that a record needs, 1 to k; chosen from `flips`, or ceil(k / 2). */
  threshold?: number | undefined;
  /** `confirmed` by default; with one set, `threshold`. */
  opening?: MotifOpening | undefined;
  /** 0 to 2^64 - 1; 0 by default. */
  seed?: number | bigint | undefined;
  /** The paper's D: records of a batch, within which an exact repeat joins the set of its first, 1 to 1,048,576; 4,096 by default. */
  batchRecords?: number | undefined;
}

/** Everything that decides the answers of range motifs. */
export type MotifSettings = Readonly<
  AllGiven<Omit<MotifOptions, 'seed' | 'flips'>> & {
    /** The seed of all randomness. */
    seed: bigint;
  }
>;

const ranges = {
  recordBytes: 65_536,
  sets: 15,
  hashes: 255,
  addressBits: 30,
  batchRecords: 2 ** 20,
} as const;

/** With rules and parameters of which none are chosen. */
const DEFAULT_HASHES = 32;

const motifOptionNames: OptionNames<MotifOptions> = /* @__PURE__ */ ownNamesOf(rows.motifOptions);

/** Redundancy removal has one set, which every record joins. */
function openingOf({ opening, sets }: MotifOptions): MotifOpening {
  const usual = sets === 1 ? 'threshold' : 'confirmed';
  return checkWord('opening', opening ?? usual, motifOpenings);
}

/** Returns those of hashes, addressBits and threshold that are given, checked. */
function givenParameters(options: MotifOptions, recordBytes: number): Partial<MotifParameters> {
  const { hashes, addressBits, threshold } = options;
  const checked = (name: keyof MotifParameters, value: number | undefined, most: number) =>
    value === undefined ? undefined : checkWhole(name, value, { least: 1, most });
  return defined({
    hashes: checked('hashes', hashes, ranges.hashes),
    addressBits: checked('addressBits', addressBits, Math.min(ranges.addressBits, 8 * recordBytes)),
    threshold: checked('threshold', threshold, hashes ?? ranges.hashes),
  });
}

/** The parameters that are given or chosen, without those that have a default of their own. */
function parametersOf(options: MotifOptions, recordBytes: number, opening: MotifOpening): Partial<MotifParameters> {
  const parameters = givenParameters(options, recordBytes);
  if (options.flips !== undefined) return chosenParameters(options.flips, { recordBytes, ...parameters });
  if (opening !== 'confirmed' || Object.keys(parameters).length > 0) return parameters;
  return usualParameters({ recordBytes }) ?? parameters;
}

/** @throws FirstseenError E_PARAMETER. */
export function resolveMotifSettings(options: MotifOptions): MotifSettings {
  checkOptions(options, motifOptionNames);
  const recordBytes = checkWhole('recordBytes', options.recordBytes, { least: 1, most: ranges.recordBytes });
  const opening = openingOf(options);
  const parameters = parametersOf(options, recordBytes, opening);
  const { hashes = DEFAULT_HASHES } = parameters;
  const { addressBits = Math.min(rows.addressBits.default, 8 * recordBytes), threshold = Math.ceil(hashes / 2) } =
    parameters;
  return {
    recordBytes,
    hashes,
    opening,
    sets: checkWhole('sets', options.sets ?? rows.motifSets.default, { least: 1, most: ranges.sets }),
    addressBits,
    threshold: checkWhole('threshold', threshold, { least: 1, most: hashes }),
    seed: checkSeed('seed', options.seed ?? rows.motifSeed.default),
    batchRecords: checkWhole('batchRecords', options.batchRecords ?? rows.batchRecords.default, {
      least: 1,
      most: ranges.batchRecords,
    }),
  };
}

/** Binary logarithm of the bits of an entry: a Bloom bit and r membership bits, rounded up to 2, 4, 8 or 16. */
export function entryBitsLog({ sets }: Pick<MotifSettings, 'sets'>): number {
  return Math.max(1, Math.ceil(Math.log2(sets + 1)));
}

/** Bytes of one array, in whole words. */
export function arrayBytes(settings: Pick<MotifSettings, 'sets' | 'addressBits'>): number {
  return Math.ceil(2 ** (settings.addressBits + entryBitsLog(settings)) / 64) * 8;
}

/** Bytes of the k arrays. */
export function motifMemoryBytes(settings: Pick<MotifSettings, 'sets' | 'addressBits' | 'hashes'>): number {
  return settings.hashes * arrayBytes(settings);
}
