// Random choices of a report, which are the same in each run over the same inputs.

/** A hash of a whole number of at most 53 bits, from 0 to 2^32 - 1: the finalizer of MurmurHash3 over both halves. */
export function hashOf(value: number): number {
  const high = Math.floor(value / 2 ** 32);
  return mixed(mixed((value ^ 0x9e3779b9) >>> 0) ^ high);
}

function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A whole number from 0 to `end` - 1, which follows from `step`. */
export function drawnBelow(end: number, step: number): number {
  return Math.floor((hashOf(step) / 2 ** 32) * end);
}
