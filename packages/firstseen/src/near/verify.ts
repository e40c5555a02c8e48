// The options of verified near-duplicates: whether a band that was seen is confirmed by sketches, and how exactly.

import { checkBoolean, checkWhole } from '../base/check.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { LEAST_SKETCH_BYTES, MOST_SKETCH_BYTES, SKETCH_STEP_BYTES } from '../detectors/sketches.js';
import { agreeing, sets } from '../options/near.js';
import * as rows from '../options/verify.js';
import type { LshFamily } from './contract.js';

/** The options of verified near-duplicates. */
export interface VerifyOptions {
  /** Whether each band that was seen is confirmed by a sketch of the earlier document; `minhash` only. False by default. */
  verify?: boolean | undefined;
  /** With `verify`, bytes of the sketch of a document, a multiple of 8; 256 by default. */
  sketchBytes?: number | undefined;
  /** With `verify`, by how many standard errors the estimate must exceed `similarity`; 0 by default. */
  confidence?: number | undefined;
}

export interface VerifySettings {
  /** Whether a band that was seen is confirmed by the sketch of the earlier document. */
  verify: boolean;
  /** Bytes of a sketch; 0 without `verify`. */
  sketchBytes: number;
  /** By how many standard errors the estimate must exceed the threshold. */
  confidence: number;
}

const MOST_CONFIDENCE = 10;

/** The options of tables that are detectors. */
const bandOptions = ['algorithm', 'parameters', 'layout', 'fpr', 'windowSlack', 'refresh', 'distinctDocuments'];
/** Those of decisions by the number of bands. Their defaults say what a table of sketches does. */
const bandRules = [agreeing, sets];

function refused(option: string, given: unknown, reason: ReturnType<typeof phrase>): FirstseenError {
  return new FirstseenError('E_PARAMETER', reason, {
    option,
    given,
    remedy: phrase`leave ${optionName(option)} or ${optionName('verify')} out`,
  });
}

function checkNoBandOptions(options: VerifyOptions): void {
  const all: Readonly<Record<string, unknown>> = { ...options };
  const idle = [...bandOptions, ...bandRules.filter((row) => all[row.name] !== row.default).map(({ name }) => name)];
  const option = idle.find((name) => all[name] !== undefined);
  if (option === undefined) return;
  const reason = phrase`${optionName(option)} was given with ${optionName('verify')}, whose table has no such option`;
  throw refused(option, all[option], reason);
}

function checkConfidence(confidence: number): number {
  if (typeof confidence === 'number' && confidence >= 0 && confidence <= MOST_CONFIDENCE) return confidence;
  const expected = `a number of standard errors from 0 to ${MOST_CONFIDENCE}`;
  throw invalidOption({ option: 'confidence', given: confidence, expected });
}

function checkSketchBytes(bytes: number): number {
  const groups = checkWhole('sketchBytes', bytes, { least: LEAST_SKETCH_BYTES, most: MOST_SKETCH_BYTES });
  if (groups % SKETCH_STEP_BYTES === 0) return bytes;
  throw invalidOption({ option: 'sketchBytes', given: bytes, expected: `a multiple of ${SKETCH_STEP_BYTES}` });
}

/** @throws FirstseenError E_PARAMETER for a family without sketches, and for options that have no effect. */
export function resolveVerify(options: VerifyOptions, lsh: LshFamily): VerifySettings {
  const { verify: asked, sketchBytes, confidence } = options;
  const verify = checkBoolean('verify', asked ?? rows.verify.default);
  if (!verify) {
    const [option, given] = Object.entries({ sketchBytes, confidence }).find(([, value]) => value !== undefined) ?? [];
    if (option === undefined) return { verify, sketchBytes: 0, confidence: 0 };
    throw new FirstseenError('E_PARAMETER', phrase`${optionName(option)} requires ${optionName('verify')}`, {
      option,
      given,
      remedy: phrase`give ${optionName('verify')}, or leave ${optionName(option)} out`,
    });
  }
  if (!lsh.hasSketches) {
    throw refused('lsh', lsh.name, phrase`${optionName('verify')} was given, but ${lsh.name} has no sketches`);
  }
  checkNoBandOptions(options);
  return {
    verify,
    sketchBytes: checkSketchBytes(sketchBytes ?? rows.sketchBytes.default),
    confidence: checkConfidence(confidence ?? rows.confidence.default),
  };
}
