// The kinds of fingerprint: how the bytes of a key become the 64 bits that a detector sees.

import { FINGERPRINT_IDENTITY, FINGERPRINT_RABIN, FINGERPRINT_SIPHASH, FINGERPRINT_XXH64 } from '../kernel/abi.js';

/** The properties of a hash function that a detector has to know. */
export interface FingerprintForm {
  /** The number in the kernel and in snapshots. It is never reused for another kind. */
  readonly id: number;
  /** True if the seed changes the fingerprint. */
  readonly isSeeded: boolean;
  /** True if it requires a secret. A secret requires such a kind. */
  readonly isKeyed: boolean;
}

/** Every hash function from a key to 64 bits, by its name. What people read of them is apart (kinds.ts), so that a bundle of `create` has none of it. */
export const fingerprintForms = {
  xxh64: { id: FINGERPRINT_XXH64, isSeeded: true, isKeyed: false },
  rabin: { id: FINGERPRINT_RABIN, isSeeded: false, isKeyed: false },
  identity: { id: FINGERPRINT_IDENTITY, isSeeded: false, isKeyed: false },
  siphash: { id: FINGERPRINT_SIPHASH, isSeeded: false, isKeyed: true },
} as const satisfies Record<string, FingerprintForm>;

/** The name of a hash function from a key to 64 bits. */
export type FingerprintName = keyof typeof fingerprintForms;

export const fingerprintNames = Object.keys(fingerprintForms) as FingerprintName[];
