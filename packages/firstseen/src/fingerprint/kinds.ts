// What people read of the kinds of fingerprint.

import { type FingerprintForm, type FingerprintName, fingerprintForms } from './fingerprint.js';

export interface FingerprintKind extends FingerprintForm {
  readonly description: string;
  /** The document that defines the function. */
  readonly source: string;
}

/** Every hash function from a key to 64 bits, by its name. */
export const fingerprintKinds = {
  xxh64: {
    ...fingerprintForms.xxh64,
    description: 'XXH64 of the bytes with the seed; of an integer, of its eight little-endian bytes with another seed',
    source: 'xxHash specification, section "XXH64 algorithm description"',
  },
  rabin: {
    ...fingerprintForms.rabin,
    description:
      'remainder of the bytes modulo an irreducible polynomial of degree 64; an integer with a constant added to its bits',
    source: 'Rabin, Fingerprinting by random polynomials, Harvard TR-15-81, 1981',
  },
  identity: {
    ...fingerprintForms.identity,
    description: 'the key is an integer from 0 to 2^64 - 1 and its own fingerprint; in text it is decimal digits',
    source: 'for keys that are already fingerprints or uniform identifiers',
  },
  siphash: {
    ...fingerprintForms.siphash,
    description:
      'SipHash-2-4 of the bytes under the secret; of an integer, half of the output of 128 bits for its eight bytes',
    source: 'Aumasson and Bernstein, SipHash: a fast short-input PRF, INDOCRYPT 2012',
  },
} as const satisfies Record<FingerprintName, FingerprintKind>;
