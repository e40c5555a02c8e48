// The Stable Bloom Filter with Max 1, K 2, P 4 whose victims are drawn only from the lower half of its cells. This is
// deng-2006's algorithm if victims in 2^32 cells are drawn with 31 random bits. It gives the rates printed for 512 MB.
// It is not a family, because it has no other use.

import { type Grid, stableCourse } from 'firstseen/internal';

/** Its algorithm name in a run. No family has this name. */
export const LOWER_HALF_NAME = 'sbf-lower-half';

const SHAPE = { K: 2, P: 4, Max: 1, victimShare: 1 / 2 };
const WORD = 2 ** 32;
const GOLDEN = 0x9e3779b1;

/** The finaliser of MurmurHash3 (Appleby 2011). */
function mix32(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The model of the filter. */
export function lowerHalfCourse(memoryBytes: number, grid: Grid): ReturnType<typeof stableCourse> {
  return stableCourse({ ...SHAPE, m: memoryBytes * 8 }, 1, grid);
}

export interface LowerHalfFilter {
  /** Returns verdicts on `count` fingerprints, which must be random. */
  observe(fingerprints: BigUint64Array<ArrayBuffer>, verdicts: Uint8Array, count: number): void;
  /** The share of the cells that are set. */
  countLoad(): number;
  stateBytes: number;
}

/** A filter with one bit for each cell. The two halves of a fingerprint choose its two cells. */
export function lowerHalfFilter(memoryBytes: number, seed: number): LowerHalfFilter {
  const cells = new Uint8Array(memoryBytes);
  const count = memoryBytes * 8;
  const key = mix32(seed + 1);
  let observedElements = 0;
  const isSet = (cell: number) => ((cells[Math.floor(cell / 8)] as number) >>> (cell % 8)) & 1;
  const set = (cell: number) => {
    const at = Math.floor(cell / 8);
    cells[at] = (cells[at] as number) | (1 << (cell % 8));
  };
  const clear = (cell: number) => {
    const at = Math.floor(cell / 8);
    cells[at] = (cells[at] as number) & ~(1 << (cell % 8));
  };
  return {
    stateBytes: memoryBytes,
    observe(fingerprints, verdicts, batch) {
      const halves = new Uint32Array(fingerprints.buffer, fingerprints.byteOffset, 2 * batch);
      for (let i = 0; i < batch; i++) {
        const first = Math.floor(((halves[2 * i] as number) / WORD) * count);
        const second = Math.floor(((halves[2 * i + 1] as number) / WORD) * count);
        verdicts[i] = isSet(first) & isSet(second);
        const draw = mix32(Math.imul(observedElements++, GOLDEN) ^ key);
        const victim = Math.floor((draw / WORD) * count * SHAPE.victimShare);
        for (let v = 0; v < SHAPE.P; v++) clear(victim + v);
        set(first);
        set(second);
      }
    },
    countLoad() {
      let ones = 0;
      for (let byte of cells) for (; byte !== 0; byte &= byte - 1) ones++;
      return ones / count;
    },
  };
}
