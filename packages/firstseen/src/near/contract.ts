// What a family of locality-sensitive hashes says of itself: what it holds for similar, how likely a row of two signatures
// agrees at a similarity, and what its kernel needs. Signatures, bands, tables and decisions are the same for all of them.

import { FirstseenError } from '../errors.js';
import type { SignatureName } from '../kernel/abi.js';
import type { Shingle } from './shingle.js';

export interface LshRequest {
  /** Hash functions of a signature, one row each. */
  hashes: number;
  variant: string;
  /** Bytes of every document, for a family that compares documents of one length. */
  documentBytes: number;
}

export interface LshFamily {
  /** Also the base name of its files and the prefix of its kernel's exports, `<name>Configure` and `<name>Sign`. */
  name: SignatureName;
  title: string;
  source: string;
  /** The measure of similarity, from 0 to 1. */
  measure: string;
  /** Bytes of a row in a signature. */
  rowBytes: 1 | 4;
  /** Signatures are filled up to a multiple of so many rows. */
  rowGroup: number;
  /** Bytes of its tables for each row. */
  tableBytesPerRow: number;
  defaultHashes: number;
  /** Other ways to the same signature; the first is the default. */
  variants: readonly string[];
  /** The shingles used when none are asked for; none for a family that takes the bytes as they are. */
  defaultShingle: Shingle | undefined;
  /** Probability that a row of two signatures agrees, at a similarity. */
  agreement(similarity: number): number;
  /** The similarity at which rows agree with a probability: the inverse of `agreement`. */
  similarity(agreement: number): number;
  /** What its kernel is configured with, before the place of its tables. */
  kernel(request: LshRequest): number[];
}

/** @throws FirstseenError E_PARAMETER when the number is not whole or out of range. */
export function checkedWhole(what: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new FirstseenError(
    'E_PARAMETER',
    `${what} is ${JSON.stringify(value)}, but must be a whole number from ${least} to ${most}`,
  );
}

/** @throws FirstseenError E_PARAMETER when the word is not one of the list. */
export function checkedWord<Word extends string>(what: string, value: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new FirstseenError(
    'E_PARAMETER',
    `${what} is ${JSON.stringify(value)}, but must be one of ${words.join(', ')}`,
  );
}
