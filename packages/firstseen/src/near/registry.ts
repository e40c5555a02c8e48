// The families of locality-sensitive hashes, one row each.

import { checkWord } from '../base/check.js';
import type { SignatureName } from '../kernel/abi.js';
import { bits } from './bits.js';
import type { LshFamily } from './contract.js';
import { minhash } from './minhash.js';
import { simhash } from './simhash.js';

/** Every family of locality-sensitive hash functions. */
export const lshFamilies: readonly LshFamily[] = [minhash, simhash, bits];

const defaultLshFamily: LshFamily = minhash;

export const lshNames: readonly SignatureName[] = lshFamilies.map(({ name }) => name);

/** The family of a name, or the default one. @throws FirstseenError E_PARAMETER that lists the names. */
export function lshFamilyNamed(name: string | undefined): LshFamily {
  if (name === undefined) return defaultLshFamily;
  const checkedName = checkWord('lsh', name, lshNames);
  return lshFamilies.find((family) => family.name === checkedName) as LshFamily;
}
