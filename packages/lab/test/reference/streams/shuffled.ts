import { fromAllBits } from '../../../../firstseen/test/reference/random.js';
import type { Draw, Numbers, NumbersRequest } from './twin.js';

/** The permutation of the guaranteed copies, as a table. */
function permutationOf(distinct: number, draw: Draw): bigint[] {
  const bits = Math.max(1, Math.ceil(Math.log2(distinct)));
  const size = 2n ** BigInt(bits);
  const half = 2n ** BigInt(Math.ceil(bits / 2));
  const next = (from: bigint) =>
    [2, 3, 4].reduce((value, lane) => {
      const key = draw(0, lane);
      const mixed = ((value ^ (key / 2n ** 32n)) * (key % 2n === 0n ? key + 1n : key)) % size;
      return mixed ^ (mixed / half);
    }, from);
  return Array.from({ length: distinct }, (_, copy) => {
    let value = next(BigInt(copy));
    while (value >= distinct) value = next(value);
    return value;
  });
}

export function shuffled({ parameters, draw }: NumbersRequest): Numbers {
  const [length, distinct] = parameters as [number, number];
  const copies = permutationOf(distinct, draw);
  return (index) => {
    const isPlaced = fromAllBits(draw(index, 0), length - index) < copies.length;
    return isPlaced ? (copies.shift() as bigint) : BigInt(fromAllBits(draw(index, 1), distinct));
  };
}
