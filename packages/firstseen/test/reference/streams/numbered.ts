import { fromAllBits } from '../random.js';
import type { Numbers, NumbersRequest } from './twin.js';

/**
 * A table of numbers would give other draws with the same distribution. As in the kernel, a draw below n is an old
 * number.
 */
export function numbered({ parameters, draw }: NumbersRequest): Numbers {
  const [universe] = parameters as [number];
  let seen = 0;
  return (index) => {
    const drawn = fromAllBits(draw(index, 0), universe);
    return BigInt(drawn < seen ? drawn : seen++);
  };
}
