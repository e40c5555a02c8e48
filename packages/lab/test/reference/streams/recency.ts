import { chance, fromAllBits } from '../../../../firstseen/test/reference/random.js';
import type { Numbers, NumbersRequest } from './twin.js';

export function recency({ parameters, draw }: NumbersRequest): Numbers {
  const [window, share] = parameters as [number, number];
  const numbers: bigint[] = [];
  let next = 0n;
  return (index) => {
    const isNew = index === 0 || chance(draw(index, 0), share, 1);
    const back = 1 + fromAllBits(draw(index, 1), Math.min(window, index));
    const number = isNew ? next++ : (numbers[index - back] as bigint);
    numbers.push(number);
    return number;
  };
}
