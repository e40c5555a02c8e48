// The kinds of fingerprint: how the bytes of a key become the 64 bits that a detector sees.

import { FINGERPRINT_IDENTITY, FINGERPRINT_RABIN, FINGERPRINT_SIPHASH, FINGERPRINT_XXH64 } from '../kernel/abi.js';

export interface FingerprintKind {
  /** The number in the kernel and in snapshots. It is never reused for another kind. */
  readonly id: number;
  readonly description: string;
  /** Where the function is defined. */
  readonly source: string;
  /** Whether the seed changes the fingerprint. */
  readonly isSeeded: boolean;
  /** Whether it requires a secret. A secret requires such a kind. */
  readonly isKeyed: boolean;
}

/** Every hash function from a key to 64 bits, by its name. */
export const fingerprintKinds = {
  xxh64: {
    id: FINGERPRINT_XXH64,
    description: 'XXH64 of the bytes with the seed; of an integer, of its eight little-endian bytes with another seed',
    source: 'xxHash specification, section "XXH64 algorithm description"',
    isSeeded: true,
    isKeyed: false,
  },
  rabin: {
    id: FINGERPRINT_RABIN,
    description:
      'remainder of the bytes modulo an irreducible polynomial of degree 64; an integer with a constant added to its bits',
    source: 'Rabin, Fingerprinting by random polynomials, Harvard TR-15-81, 1981',
    isSeeded: false,
    isKeyed: false,
  },
  identity: {
    id: FINGERPRINT_IDENTITY,
    description: 'the key is an integer from 0 to 2^64 - 1 and its own fingerprint; in text it is decimal digits',
    source: 'for keys that are already fingerprints or uniform identifiers',
    isSeeded: false,
    isKeyed: false,
  },
  siphash: {
    id: FINGERPRINT_SIPHASH,
    description:
      'SipHash-2-4 of the bytes under the secret; of an integer, half of the output of 128 bits for its eight bytes',
    source: 'Aumasson and Bernstein, SipHash: a fast short-input PRF, INDOCRYPT 2012',
    isSeeded: false,
    isKeyed: true,
  },
} as const satisfies Record<string, FingerprintKind>;

/** The name of a hash function from a key to 64 bits. */
export type FingerprintName = keyof typeof fingerprintKinds;

export const fingerprintNames = Object.keys(fingerprintKinds) as FingerprintName[];
