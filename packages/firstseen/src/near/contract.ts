// A family of locality-sensitive hashes: its measure of similarity, the probability that a row of two signatures agrees, and
// what its kernel takes. Signatures, bands, tables and decisions are the same for all families.

import type { SignatureName } from '../kernel/abi.js';
import type { Shingle } from './shingle.js';

export interface LshRequest {
  /** Hash functions of a signature, one for each row. */
  hashes: number;
  variant: string;
  /** Bytes of every document, for a family that compares documents of a fixed length. */
  documentBytes: number;
}

/** A way to compute a signature. Each belongs to one family. */
export type LshVariant = 'permutations' | 'one-permutation' | 'hyperplanes' | 'sampling';

export interface LshFamily {
  /** Also the base name of its files and the prefix of its kernel's exports, `<name>Configure` and `<name>Sign`. */
  name: SignatureName;
  title: string;
  source: string;
  /** The measure of similarity, from 0 to 1. */
  measure: string;
  /** Bytes of a row in a signature. */
  rowBytes: 1 | 4;
  /** Signatures are padded to a multiple of this number of rows. */
  rowGroup: number;
  /** Bytes of its tables per row. */
  tableBytesPerRow: number;
  defaultHashes: number;
  /** The ways to compute a signature; the first is the default. */
  variants: readonly LshVariant[];
  /** The default shingles; none for a family that compares bytes. */
  defaultShingle: Shingle | undefined;
  /** True if its kernel makes sketches of documents, so that what it finds can be verified. */
  hasSketches: boolean;
  /** Probability that a row of two signatures agrees at a similarity. */
  agreement(similarity: number): number;
  /** The inverse of `agreement`. */
  similarity(agreement: number): number;
  /** The arguments of its kernel's configure function, before the address of its tables. */
  kernel(request: LshRequest): number[];
}
