// The families of locality-sensitive hashes, one row each.

import { checkWord } from '../check.js';
import { bits } from './bits.js';
import type { LshFamily } from './contract.js';
import { minhash } from './minhash.js';
import { simhash } from './simhash.js';

export const lshFamilies: readonly LshFamily[] = [minhash, simhash, bits];

export const defaultLshFamily: LshFamily = minhash;

export const lshNames: readonly string[] = lshFamilies.map(({ name }) => name);

/** @throws FirstseenError E_PARAMETER that lists the names. */
export function lshFamilyNamed(name: string): LshFamily {
  const known = checkWord('lsh', name, lshNames);
  return lshFamilies.find((family) => family.name === known) as LshFamily;
}
