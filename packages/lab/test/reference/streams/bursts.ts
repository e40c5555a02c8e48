import { chance, fromAllBits } from '../../../../firstseen/test/reference/random.js';
import type { Numbers, NumbersRequest } from './twin.js';

export function bursts({ parameters, draw }: NumbersRequest): Numbers {
  const [count, share] = parameters as [number, number];
  const active = Array.from({ length: count }, (_, i) => BigInt(i));
  let next = BigInt(count);
  return (index) => {
    const drawn = fromAllBits(draw(index, 0), count);
    const number = active[drawn] as bigint;
    if (chance(draw(index, 1), share, 1)) active[drawn] = next++;
    return number;
  };
}
