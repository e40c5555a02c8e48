import { fromAllBits } from '../../../../firstseen/test/reference/random.js';
import type { Numbers, NumbersRequest } from './twin.js';

export function uniform({ parameters, draw }: NumbersRequest): Numbers {
  const [universe] = parameters as [number];
  return (index) => BigInt(fromAllBits(draw(index, 0), universe));
}
