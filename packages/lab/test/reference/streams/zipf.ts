import type { Numbers, NumbersRequest } from './twin.js';

const SEGMENT_BYTES = 40;
const ATTEMPTS = 32;
const WORD = 2n ** 64n;

export function zipf({ parameters, tables, draw }: NumbersRequest): Numbers {
  const [segments, ...series] = parameters as [number, ...number[]];
  /** (1 + x)^-s by its series, evaluated from the innermost term. */
  const chanceAt = (x: number) => 1 + series.reduceRight((sum, term) => x * (term + sum), 0);
  const attemptOf = (index: number, attempt: number) => {
    const drawn = draw(index, 2 * attempt) * BigInt(segments);
    const column = Number(drawn / WORD) * SEGMENT_BYTES;
    const isOwn = drawn % WORD < tables.getBigUint64(column, true);
    const segment = isOwn ? column : tables.getUint32(column + 32, true) * SEGMENT_BYTES;
    const first = tables.getBigUint64(segment + 8, true);
    const product = draw(index, 2 * attempt + 1) * tables.getBigUint64(segment + 16, true);
    const offset = product / WORD;
    const coin = Number((product % WORD) >> 11n) / 2 ** 53;
    return { number: first + offset - 1n, isTaken: coin < chanceAt(Number(offset) / Number(first)) };
  };
  return (index) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { number, isTaken } = attemptOf(index, attempt);
      if (isTaken) return number;
    }
    throw new Error(`element ${index} was rejected ${ATTEMPTS} times`);
  };
}
