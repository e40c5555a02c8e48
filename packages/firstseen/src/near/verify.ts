// The options of verified near-duplicates: whether a band that was seen is confirmed by sketches, and how exactly.

import { checkBoolean, checkWhole } from '../base/check.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { checkWindow } from '../detectors/settings.js';
import { MAX_SKETCH_BYTES, MIN_SKETCH_BYTES, SKETCH_STEP_BYTES } from '../detectors/sketches.js';
import { agreeing, sets } from '../options/near.js';
import * as rows from '../options/verify.js';
import type { LshFamily } from './contract.js';

/** The options of verified near-duplicates. */
export interface VerifyOptions {
  /**
   * True if each band that was seen is confirmed by a sketch of the earlier document; `minhash` only. True by default, unless an
   * option is given that a table of sketches does not have.
   */
  verify?: boolean | undefined;
  /** Bytes of the sketch of a document, a multiple of 8; 512 by default. */
  sketchBytes?: number | undefined;
  /** By how many standard errors the estimate must exceed `similarity`; 0 by default. */
  confidence?: number | undefined;
}

export interface VerifySettings {
  /** True if a band that was seen is confirmed by the sketch of the earlier document. */
  verify: boolean;
  /** Bytes of a slot for sketches; 0 without `verify`. */
  sketchBytes: number;
  /** The most slots of this size that a document has. */
  sketchSlots: number;
  /** By how many standard errors the estimate must exceed the threshold. */
  confidence: number;
}

/** The options that decide with others whether hits are verified. */
interface WindowAndBands {
  window?: number | string | undefined;
  bands?: string | undefined;
  similarity?: number | undefined;
}

const MAX_CONFIDENCE = 10;
/** The most slots of a document without a window. */
const SKETCH_SLOTS = 3;

/** The options of tables that are detectors. */
const bandOptions = ['algorithm', 'parameters', 'layout', 'fpr', 'windowSlack', 'refresh', 'distinctDocuments'];
/** Those of decisions by the number of bands. Their defaults say what a table of sketches does. */
const bandRules = [agreeing, sets];

/** The first option that a table of sketches does not have. */
function bandOptionOf(options: VerifyOptions): [string, unknown] | undefined {
  const all: Readonly<Record<string, unknown>> = { ...options };
  const idle = [...bandOptions, ...bandRules.filter((row) => all[row.name] !== row.default).map(({ name }) => name)];
  return Object.entries(all).find(([name, value]) => value !== undefined && idle.includes(name));
}

function checkNoBandOptions(options: VerifyOptions): void {
  const [option, value] = bandOptionOf(options) ?? [];
  if (option === undefined) return;
  const remedy = phrase`leave ${optionName(option)} out, or see ${optionName('verify')}`;
  const reason = 'documents are verified, and a table of sketches has no such option';
  throw unfitOption(option, reason, { code: 'E_PARAMETER', given: value, remedy });
}

/** The options that only verified documents have, with their values. */
function sketchOptionOf({ sketchBytes, confidence }: VerifyOptions): [string, unknown] | undefined {
  return Object.entries({ sketchBytes, confidence }).find(([, value]) => value !== undefined);
}

function checkSketches(options: VerifyOptions, lsh: LshFamily): void {
  if (lsh.hasSketches) return;
  const [option] = sketchOptionOf(options) ?? ['verify'];
  throw new FirstseenError('E_PARAMETER', phrase`documents of ${lsh.name} have no sketches`, {
    option: 'lsh',
    given: lsh.name,
    remedy: phrase`choose ${optionName('lsh')} minhash, or leave ${optionName(option)} out`,
  });
}

/** Tells if a band that was seen is verified. Bands that are given without a similarity say by themselves what is near. */
export function verifies(options: VerifyOptions & WindowAndBands, lsh: LshFamily): boolean {
  const { verify, window, bands, similarity } = options;
  if (verify !== undefined) return checkBoolean('verify', verify);
  if (sketchOptionOf(options) !== undefined) return true;
  const isDuration = window !== undefined && !('elements' in checkWindow(window));
  const areBandsAlone = bands !== undefined && similarity === undefined;
  return lsh.hasSketches && bandOptionOf(options) === undefined && !isDuration && !areBandsAlone;
}

function checkConfidence(confidence: number): number {
  if (typeof confidence === 'number' && confidence >= 0 && confidence <= MAX_CONFIDENCE) return confidence;
  const expected = `a number of standard errors from 0 to ${MAX_CONFIDENCE}`;
  throw invalidOption({ option: 'confidence', given: confidence, expected });
}

function checkSketchBytes(bytes: number): number {
  const groups = checkWhole('sketchBytes', bytes, { least: MIN_SKETCH_BYTES, most: MAX_SKETCH_BYTES });
  if (groups % SKETCH_STEP_BYTES === 0) return bytes;
  throw invalidOption({ option: 'sketchBytes', given: bytes, expected: `a multiple of ${SKETCH_STEP_BYTES}` });
}

/**
 * Returns the most slots of a document. With a window, a document has one, so that the ring has as many documents as slots. Slots that are
 * smaller than by default are for remembering more documents, so a document has one of them too.
 */
function maxSlotsFor(sketchBytes: number, window: number | string | undefined): number {
  return window === undefined && sketchBytes >= rows.sketchBytes.default ? SKETCH_SLOTS : 1;
}

/**
 * The slots are those that a snapshot has, if its settings are resolved.
 * @throws FirstseenError E_PARAMETER for a family without sketches, and for options that have no effect.
 */
export function resolveVerify(
  options: VerifyOptions & WindowAndBands,
  lsh: LshFamily,
  savedSlots?: number,
): VerifySettings {
  const { sketchBytes: sketchBytesOption, confidence, window } = options;
  const verify = verifies(options, lsh);
  if (!verify) {
    const [option, value] = sketchOptionOf(options) ?? [];
    if (option === undefined) return { verify, sketchBytes: 0, sketchSlots: 0, confidence: 0 };
    throw new FirstseenError(
      'E_PARAMETER',
      phrase`${optionName(option)} has no effect on documents that are not verified`,
      {
        option,
        given: value,
        remedy: phrase`leave ${optionName(option)} or ${optionName('verify')} out`,
      },
    );
  }
  checkSketches(options, lsh);
  checkNoBandOptions(options);
  const sketchBytes = checkSketchBytes(sketchBytesOption ?? rows.sketchBytes.default);
  return {
    verify,
    sketchBytes,
    sketchSlots: savedSlots ?? maxSlotsFor(sketchBytes, window),
    confidence: checkConfidence(confidence ?? rows.confidence.default),
  };
}
