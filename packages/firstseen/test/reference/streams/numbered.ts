import { fromAllBits } from '../random.js';
import type { Numbers, NumbersRequest } from './twin.js';

/**
 * Numbering draws with a table would give other numbers with the same distribution: in both cases a draw below n is a
 * seen element.
 */
export function numbered({ parameters, draw }: NumbersRequest): Numbers {
  const [universe] = parameters as [number];
  let seen = 0;
  return (index) => {
    const drawn = fromAllBits(draw(index, 0), universe);
    return BigInt(drawn < seen ? drawn : seen++);
  };
}
