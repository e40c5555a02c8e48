// A second implementation of the kernel's spill (assembly/spill), in BigInt: entries, their partitions, the kept records and counts.

import { referenceSiphash } from './siphash.js';
import { referenceXxh64 } from './xxh64.js';

const SECOND_HASH = 0x452821e638d01377n;
const RECENT_BITS = 13n;
const NUMBER_BITS = 40n;

export interface SpillEntry {
  first: bigint;
  second: bigint;
}

function second(seedOrSecret: bigint): bigint {
  return seedOrSecret ^ SECOND_HASH;
}

/** The two hashes of a key, under a secret or a seed. */
function hashesOf(key: Uint8Array, seed: bigint, secret?: Uint8Array): [bigint, bigint] {
  if (!secret) return [referenceXxh64(key, seed), referenceXxh64(key, second(seed))];
  const other = secret.slice();
  const view = new DataView(other.buffer);
  for (const at of [0, 8]) view.setBigUint64(at, second(view.getBigUint64(at, true)), true);
  return [referenceSiphash(key, secret), referenceSiphash(key, other)];
}

export interface ScatterOptions {
  partitionBits: number;
  seed: bigint;
  secret?: Uint8Array;
  /** Whether a key among the recent entries makes no entry. */
  skipsRecent?: boolean;
}

/** The entries of each partition, in order. */
export function referenceScatter(
  keys: readonly Uint8Array[],
  { partitionBits, seed, secret, skipsRecent = true }: ScatterOptions,
): SpillEntry[][] {
  const partitions: SpillEntry[][] = Array.from({ length: 2 ** partitionBits }, () => []);
  const recent = new Map<bigint, string>();
  for (const [i, key] of keys.entries()) {
    const [first, top] = hashesOf(key, seed, secret);
    // 24 bits after those of the partition, above the number of the key.
    const middle = (top >> (64n - BigInt(partitionBits) - 24n)) & 0xffffffn;
    const partition = Number(top >> (64n - BigInt(partitionBits)));
    const identity = `${partition}/${middle}/${first}`;
    const address = top >> (64n - RECENT_BITS);
    if (skipsRecent && recent.get(address) === identity) continue;
    recent.set(address, identity);
    partitions[partition]?.push({ first, second: (middle << NUMBER_BITS) | BigInt(i + 1) });
  }
  return partitions;
}

/** The numbers of the first entries of their value, of one partition. */
export function referenceSettle(entries: readonly SpillEntry[]): number[] {
  const seen = new Set<string>();
  const numbers: number[] = [];
  for (const { first, second: word } of entries) {
    const identity = `${word >> NUMBER_BITS}/${first}`;
    if (!seen.has(identity)) numbers.push(Number(BigInt.asUintN(Number(NUMBER_BITS), word)));
    seen.add(identity);
  }
  return numbers;
}

/** The number of the kept entry of each key of one partition, with the number of its entries. */
export function referenceTally(entries: readonly SpillEntry[], keepsLast: boolean): Map<number, number> {
  const kept = new Map<string, { number: number; count: number }>();
  for (const { first, second: word } of entries) {
    const identity = `${word >> NUMBER_BITS}/${first}`;
    const number = Number(BigInt.asUintN(Number(NUMBER_BITS), word));
    const before = kept.get(identity);
    kept.set(identity, { number: before && !keepsLast ? before.number : number, count: (before?.count ?? 0) + 1 });
  }
  return new Map([...kept.values()].map(({ number, count }) => [number, count]));
}

/** The rank of a text (assembly/spill/ranks.ts). */
export function referenceRank(text: string): Uint8Array {
  if (text === '') return new Uint8Array();
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return Uint8Array.of(2, ...new TextEncoder().encode(text));
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  if (digits === '') return Uint8Array.of(1, 1);
  const limit = 10n ** 12n;
  const given = BigInt(power);
  const written = given > limit ? limit : given < -limit ? -limit : given;
  const exponent = written + BigInt(whole.length - (all.length - digits.length));
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, exponent + 2n ** 62n);
  const rest = [...bytes, ...new TextEncoder().encode(digits.replace(/0+$/, ''))];
  return sign === '-' ? Uint8Array.of(1, 0, ...rest.map((byte) => byte ^ 0xff), 0xff) : Uint8Array.of(1, 2, ...rest);
}

/** The number of the entry with the best rank of each key of one partition. `ranks` are those of the entries. */
export function referenceBest(
  entries: readonly SpillEntry[],
  ranks: readonly Uint8Array[],
  isLeast: boolean,
): number[] {
  const best = new Map<string, number>();
  for (const [i, { first, second: word }] of entries.entries()) {
    const identity = `${word >> NUMBER_BITS}/${first}`;
    const before = best.get(identity);
    const [rank, other] = [ranks[i], ranks[before ?? i]] as [Uint8Array, Uint8Array];
    const order = Buffer.compare(rank, other);
    const isBetter =
      rank.length === 0 || other.length === 0 ? rank.length > other.length : isLeast ? order < 0 : order > 0;
    if (before === undefined || isBetter) best.set(identity, i);
  }
  const numberOf = (i: number) => Number(BigInt.asUintN(Number(NUMBER_BITS), (entries[i] as SpillEntry).second));
  return [...best.values()].map(numberOf).sort((one, other) => one - other);
}
