// The table from which the kernel draws ranks (assembly/streams/zipf.ts).

import { ZIPF_ALIAS, ZIPF_FIRST_RANK, ZIPF_LENGTH, ZIPF_MIN_CHANCE, ZIPF_SEGMENT_BYTES } from '../kernel/abi.js';

/** A sequence of consecutive ranks. */
export interface Segment {
  first: number;
  length: number;
}

/** A segment has at most its first rank divided by this many ranks. */
const PARTS = 64;

/** Terms of the series after the first. */
const TERMS = 7;
/** Makes a minimum chance smaller than all chances of its segment, regardless of rounding. */
const ROUNDING = 1 - 1e-12;

/** All ranks from 1 to the universe's size, in order. */
export function segmentsOf(universeElements: number): Segment[] {
  const segments: Segment[] = [];
  for (let first = 1; first <= universeElements; ) {
    const length = Math.min(Math.max(1, Math.floor(first / PARTS)), universeElements - first + 1);
    segments.push({ first, length });
    first += length;
  }
  return segments;
}

/** The coefficients of (1 + x)^-exponent from x on. */
export function seriesOf(exponent: number): number[] {
  const series: number[] = [];
  for (let n = 1; n <= TERMS; n++) series.push(((series[n - 2] ?? 1) * (-exponent - n + 1)) / n);
  return series;
}

/** Returns the chance to stay in each column of the alias method (Vose 1991), and its alias. */
function aliasesOf(weights: readonly number[]): { stay: number[]; alias: number[] } {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const stay = weights.map((weight) => (weight / total) * weights.length);
  const alias = weights.map((_, i) => i);
  const small = [...alias.keys()].filter((i) => (stay[i] as number) < 1);
  const large = [...alias.keys()].filter((i) => (stay[i] as number) >= 1);
  while (small.length > 0 && large.length > 0) {
    const low = small.pop() as number;
    const high = large.at(-1) as number;
    alias[low] = high;
    stay[high] = (stay[high] as number) - (1 - (stay[low] as number));
    if ((stay[high] as number) < 1) small.push(large.pop() as number);
  }
  // The remaining columns have a chance of 1 except for rounding.
  for (const column of [...small, ...large]) stay[column] = 1;
  return { stay, alias };
}

/** A chance as a 64-bit fraction. */
function fractionOf(chance: number): bigint {
  const bits = BigInt(Math.floor(chance * 2 ** 53)) << 11n;
  return bits >= 2n ** 64n ? 2n ** 64n - 1n : bits;
}

/** Writes the table of segments. A segment's chance is proportional to its length times its first rank's weight. */
export function fillSegments(tables: Uint8Array<ArrayBuffer>, segments: readonly Segment[], exponent: number): void {
  const view = new DataView(tables.buffer, tables.byteOffset, tables.byteLength);
  const { stay, alias } = aliasesOf(segments.map(({ first, length }) => length * first ** -exponent));
  segments.forEach(({ first, length }, i) => {
    const at = i * ZIPF_SEGMENT_BYTES;
    const least = (1 + (length - 1) / first) ** -exponent;
    view.setBigUint64(at, fractionOf(stay[i] as number), true);
    view.setBigUint64(at + ZIPF_FIRST_RANK, BigInt(first), true);
    view.setBigUint64(at + ZIPF_LENGTH, BigInt(length), true);
    view.setFloat64(at + ZIPF_MIN_CHANCE, length === 1 ? 1 : least * ROUNDING, true);
    view.setUint32(at + ZIPF_ALIAS, alias[i] as number, true);
  });
}
