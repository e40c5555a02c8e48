// The families of locality-sensitive hashes, one row each.

import { bits } from './bits.js';
import { checkedWord, type LshFamily } from './contract.js';
import { minhash } from './minhash.js';
import { simhash } from './simhash.js';

export const lshFamilies: readonly LshFamily[] = [minhash, simhash, bits];

export const defaultLshFamily: LshFamily = minhash;

export const lshNames: readonly string[] = lshFamilies.map(({ name }) => name);

/** @throws FirstseenError E_PARAMETER listing the names there are. */
export function lshFamilyNamed(name: string): LshFamily {
  const known = checkedWord('lsh', name, lshNames);
  return lshFamilies.find((family) => family.name === known) as LshFamily;
}
