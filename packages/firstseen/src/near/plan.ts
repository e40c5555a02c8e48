// What a memory does for verified near-duplicates, predicted for several sizes of sketches: how many documents are remembered, and which
// documents are dropped.

import { checkCount, checkNumber, checkOptions, type OptionNames } from '../base/check.js';
import { FirstseenError } from '../base/errors.js';
import { slotBytesOf } from '../detectors/sketches.js';
import { SKETCH_HASH_BITS, SKETCH_HEADER_BYTES } from '../kernel/abi.js';
import { DEFAULT_SHINGLES } from '../options/verify.js';
import { chanceAt } from './bands.js';
import { type NearOptions, type NearSettings, resolveNear } from './settings.js';
import { fingerprintBits, maxFingerprints, maxHashes, type SlotRequest, slotsFor } from './sketchsizes.js';

/** The options of the detector that decide what is predicted, and what is known of the documents. */
export interface NearPlanOptions
  extends Pick<NearOptions, 'similarity' | 'hashes' | 'bands' | 'memory' | 'sketchBytes' | 'confidence'> {
  /** Different shingles of a document; 300 by default. */
  shingles?: number | undefined;
  /** Expected number of different documents, for which a size of sketches is recommended: larger ones remember fewer documents. */
  distinctDocuments?: number | undefined;
  /** The similarities at which the chance to be dropped is told: from 0.1 below the threshold to 0.1 above it by default. */
  at?: readonly number[] | undefined;
}

/** The chance that a document is dropped, at a similarity to an earlier document that is remembered. */
export interface DropChance {
  /** The Jaccard similarity. */
  similarity: number;
  /** From 0 to 1. */
  chance: number;
}

/** The plan for sketches of one size. */
export interface SketchPlan {
  /** Bytes of a sketch. */
  sketchBytes: number;
  /** Bytes of a document: its sketch and its bands. */
  documentBytes: number;
  /** The last documents that were added, which the memory remembers. */
  rememberedDocuments: number;
  /** The standard error of the estimate at the threshold. */
  standardError: number;
  /** The chances to be dropped, in the order of the similarities that were asked for. */
  dropped: readonly DropChance[];
  /** The share of what is dropped that is similar enough, if all similarities are equally common. */
  precision: number;
  /** The share of what is similar enough that is dropped, if all similarities are equally common, and documents come in any order. */
  recall: number;
}

/** The plan for a memory, with sketches of several sizes. */
export interface NearPlan {
  /** The threshold. */
  similarity: number;
  /** The number of bands of a document. */
  bands: number;
  /** Rows of a signature in each band. */
  rowsPerBand: number;
  /** Bytes of the table. */
  memoryBytes: number;
  /** The standard errors by which an estimate must exceed the threshold. */
  confidence: number;
  /** Different shingles of a document. */
  shingles: number;
  /** Expected number of different documents, if it was given. */
  distinctDocuments?: number;
  /** The chance that a document at the threshold has a band in common with the earlier one. */
  found: number;
  /** From the smallest sketch to the largest. */
  sketches: readonly SketchPlan[];
  /** The one with the highest harmonic mean of precision and recall, if `distinctDocuments` is given. */
  recommended?: SketchPlan;
}

const planOptionNames: OptionNames<NearPlanOptions> = {
  similarity: true,
  hashes: true,
  bands: true,
  memory: true,
  sketchBytes: true,
  confidence: true,
  shingles: true,
  distinctDocuments: true,
  at: true,
};

/** The sizes that are compared unless one is given. */
const SKETCH_SIZES = [64, 128, 256, 512, 1024];
/** The distances from the threshold at which the chance to be dropped is shown. */
const TOLD = [-0.1, -0.05, 0, 0.05, 0.1];
/** Steps of the integrals on either side of the threshold. */
const STEPS = 200;
/** Standard deviations of a Poisson distribution beyond which its values are left out. */
const SPREAD = 10;
/** The amount that a similarity which is computed from a number of shingles may lose by rounding. */
const ROUNDING = 1e-12;

/** Shingles that two documents of as many each have in common. */
const sharedAt = (similarity: number, shingles: number) => (2 * shingles * similarity) / (1 + similarity);

/** The chance that a shingle which only the new document has equals a fingerprint of the earlier one; undefined if it has an odd sketch. */
function equalByChance(shingles: number, sizes: SlotRequest): number | undefined {
  if (shingles > maxFingerprints(sizes)) return undefined;
  const bits = fingerprintBits(shingles, sizes);
  return bits === SKETCH_HASH_BITS ? 0 : shingles / 2 ** bits;
}

/** The standard error of an estimate by fingerprints, for two documents of as many shingles each of which some are in common. */
function fingerprintError(common: number, shingles: number, chance: number): number {
  const all = 2 * shingles - common;
  return ((1 + common / all) * Math.sqrt((shingles - common + 1) * chance)) / all;
}

/** The hashes that an odd sketch takes of a document. */
interface OddSketch {
  bits: number;
  /** Each hash is one of 2 to this power of the shingles. */
  level: number;
  hashes: number;
}

function oddSketch(shingles: number, sketchBytes: number): OddSketch {
  const bits = 8 * (sketchBytes - SKETCH_HEADER_BYTES);
  const level = Math.max(0, Math.ceil(Math.log2(shingles / maxHashes(sketchBytes))));
  return { bits, level, hashes: shingles / 2 ** level };
}

/**
 * The standard error of the estimate for two documents of as many shingles each (docs/NEAR.md): of fingerprints, if all of the earlier
 * document fit its sketch, or of odd sketches (Mitzenmacher, Pagh and Pham 2014).
 */
export function standardErrorAt(similarity: number, shingles: number, sizes: SlotRequest): number {
  const chance = equalByChance(shingles, sizes);
  if (chance !== undefined) return fingerprintError(sharedAt(similarity, shingles), shingles, chance);
  const { bits, level, hashes } = oddSketch(shingles, sizes.sketchBytes);
  const both = (2 * hashes) / (1 + similarity);
  const different = both * (1 - similarity);
  const equalBits = Math.exp((-2 * different) / bits);
  const bitVariance = (bits / 4) * (1 / equalBits ** 2 - 1) - different;
  return ((1 + similarity) * Math.sqrt(bitVariance + different * (1 - 2 ** -level))) / (2 * both);
}

/** The chance that a normal value is at most x standard deviations above its mean (Abramowitz and Stegun 1964, 26.2.17). */
function normalBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const powers = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = powers.reduceRight((partial, factor) => (partial + factor) * t, 0);
  const above = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * sum;
  return x < 0 ? above : 1 - above;
}

interface ReachRequest {
  shingles: number;
  /** The chance that a shingle of the new document alone counts as common. */
  chance: number;
}

/**
 * The chance that an estimate by fingerprints reaches the threshold. The number of shingles that count as common by chance has a Poisson
 * distribution, whose values are summed up.
 */
function fingerprintsReach(at: number, settings: NearSettings, { shingles, chance }: ReachRequest): number {
  const { similarity, confidence } = settings;
  const shared = sharedAt(at, shingles);
  const mean = (shingles - shared) * chance;
  let sum = 0;
  let probability = Math.exp(-mean);
  for (let equal = 0; equal <= mean + SPREAD * (1 + Math.sqrt(mean)); equal++) {
    const common = Math.min(shingles, shared + Math.round((equal - mean) / (1 - chance)));
    const standardError = fingerprintError(common, shingles, chance);
    if (common / (2 * shingles - common) + ROUNDING >= similarity + confidence * standardError) sum += probability;
    probability *= mean / (equal + 1);
  }
  return sum;
}

/** The most bits of two odd sketches that differ if the estimate reaches the threshold, as assembly/near/sketches/sketch.ts estimates it. */
function maxDiffering({ similarity, confidence }: NearSettings, { bits, level, hashes }: OddSketch): number {
  const both = 2 * hashes;
  let most = -1;
  for (let [differing, different] = [0, 0]; 2 * differing < bits; differing++) {
    const estimate = (both - different) / (both + different);
    const ofBits = Math.max(0, (bits / 4) * ((1 - (2 * differing) / bits) ** -2 - 1) - different);
    const ofSample = different * (1 - 2 ** -level);
    const standardError = (Math.sqrt(ofBits + ofSample) * (1 + estimate)) / (both + different);
    if (different < both && estimate + ROUNDING >= similarity + confidence * standardError) most = differing;
    different += bits / (bits - 2 * differing - 1);
  }
  return most;
}

/**
 * The chance that an estimate by odd sketches reaches the threshold. The bits that differ are those that an odd number of different hashes
 * inverts. They are taken as normal. If all shingles are hashed, they are as even as the number of different hashes is.
 */
function bitsReach(settings: NearSettings, shingles: number): (at: number) => number {
  const sketch = oddSketch(shingles, settings.sketchBytes);
  const { bits, level, hashes } = sketch;
  const most = maxDiffering(settings, sketch);
  const step = level === 0 ? 2 : 1;
  const edge = Math.floor(most / step) * step + step / 2;
  return (at) => {
    const different = (2 * hashes * (1 - at)) / (1 + at);
    const [one, two] = [(1 - 2 / bits) ** different, (1 - 4 / bits) ** different];
    const ofBits = (bits / 4) * (1 - two) + (bits ** 2 / 4) * (two - one ** 2);
    const variance = ofBits + one ** 2 * different * (1 - 2 ** -level);
    const distance = edge - (bits / 2) * (1 - one);
    return variance > 0 ? normalBelow(distance / Math.sqrt(variance)) : Number(distance >= 0);
  };
}

/** The chance that a document is dropped, at a similarity: a band is in common, and the estimate reaches the threshold. */
function chanceOfDrop(settings: NearSettings, shingles: number): (at: number) => number {
  const { lsh, agreeing } = settings;
  const chance = equalByChance(shingles, settings);
  const reaches =
    chance === undefined
      ? bitsReach(settings, shingles)
      : (at: number) => fingerprintsReach(at, settings, { shingles, chance });
  return (at) => chanceAt(at, settings, lsh, agreeing) * reaches(at);
}

/** The mean of a function between two values. */
function meanBetween(from: number, to: number, of: (value: number) => number): number {
  let sum = 0;
  for (let i = 0; i < STEPS; i++) sum += of(from + ((i + 0.5) * (to - from)) / STEPS);
  return sum / STEPS;
}

/** The similarities around a threshold. */
function around(similarity: number): number[] {
  return TOLD.map((distance) => Number((similarity + distance).toFixed(4))).filter((at) => at > 0 && at <= 1);
}

/** @throws FirstseenError E_PARAMETER for what is no similarity. */
function checkedAt(similarity: number): number {
  checkNumber('at', similarity, { above: 0, most: 1 });
  return similarity;
}

/** The known properties of the documents. */
type Documents = Pick<NearPlanOptions, 'distinctDocuments'> & { shingles: number; at: readonly number[] };

function sketchPlan(settings: NearSettings, { shingles, distinctDocuments, at }: Documents): SketchPlan {
  const { similarity, sketchBytes, table } = settings;
  const slots = slotsFor(shingles, settings);
  const rememberedDocuments = Math.floor(Number(table.parameters.values.n) / slots);
  const chance = chanceOfDrop(settings, shingles);
  const right = (1 - similarity) * meanBetween(similarity, 1, chance);
  const wrong = similarity * meanBetween(0, similarity, chance);
  const remembered = distinctDocuments === undefined ? 1 : Math.min(1, rememberedDocuments / distinctDocuments);
  return {
    sketchBytes,
    documentBytes: slots * slotBytesOf(settings),
    rememberedDocuments,
    standardError: standardErrorAt(similarity, shingles, settings),
    dropped: at.map((similarity) => ({ similarity, chance: chance(similarity) })),
    precision: right / (right + wrong),
    recall: (right / (1 - similarity)) * remembered,
  };
}

const accuracyOf = ({ precision, recall }: SketchPlan) => (2 * precision * recall) / (precision + recall);

const bestOf = (sketches: readonly SketchPlan[]) =>
  sketches.reduce((best, one) => (accuracyOf(one) > accuracyOf(best) ? one : best));

/** The settings with each size of sketches that the memory has room for. */
function settingsOf({ sketchBytes, ...options }: NearOptions): NearSettings[] {
  if (sketchBytes !== undefined) return [resolveNear({ ...options, verify: true, sketchBytes })];
  const [least = 0, ...larger] = SKETCH_SIZES;
  const largerSettings = larger.flatMap((size) => {
    try {
      return [resolveNear({ ...options, verify: true, sketchBytes: size })];
    } catch (error) {
      if (error instanceof FirstseenError && error.code === 'E_MEMORY') return [];
      throw error;
    }
  });
  return [resolveNear({ ...options, verify: true, sketchBytes: least }), ...largerSettings];
}

/**
 * Predicts what a memory does for verified near-duplicates of `minhash`, with sketches of several sizes (docs/NEAR.md). The prediction is
 * for documents of equal length. If not all of `distinctDocuments` are remembered, a document is as likely to be similar to one of them as
 * to another.
 * @throws FirstseenError as `createNear`, and E_PARAMETER for a number of shingles or documents below 1.
 */
export function planNear(options: NearPlanOptions = {}): NearPlan {
  const {
    shingles: shinglesOption,
    distinctDocuments: expected,
    at: similarities,
    ...nearOptions
  } = checkOptions(options, planOptionNames);
  const shingles = checkCount('shingles', shinglesOption ?? DEFAULT_SHINGLES);
  const distinctDocuments = expected === undefined ? undefined : checkCount('distinctDocuments', expected);
  const settings = settingsOf(nearOptions);
  const [first] = settings as [NearSettings];
  const at = similarities?.map(checkedAt) ?? around(first.similarity);
  const sketches = settings.map((one) => sketchPlan(one, { shingles, distinctDocuments, at }));
  return {
    similarity: first.similarity,
    bands: first.bands,
    rowsPerBand: first.rowsPerBand,
    memoryBytes: first.table.memoryBytes,
    confidence: first.confidence,
    shingles,
    found: chanceAt(first.similarity, first, first.lsh, first.agreeing),
    sketches,
    ...(distinctDocuments === undefined ? {} : { distinctDocuments, recommended: bestOf(sketches) }),
  };
}
