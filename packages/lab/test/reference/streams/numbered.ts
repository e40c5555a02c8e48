import { fromAllBits } from '../../../../firstseen/test/reference/random.js';
import type { Numbers, NumbersRequest } from './twin.js';

/** Draws numbered by a table would be others, of the same distribution: here as there a draw below n is an old number. */
export function numbered({ parameters, draw }: NumbersRequest): Numbers {
  const [universe] = parameters as [number];
  let seen = 0;
  return (index) => {
    const drawn = fromAllBits(draw(index, 0), universe);
    return BigInt(drawn < seen ? drawn : seen++);
  };
}
