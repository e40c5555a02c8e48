import { fromAllBits } from '../../../../firstseen/test/reference/random.js';
import type { Numbers, NumbersRequest } from './twin.js';

export function drift({ parameters, draw }: NumbersRequest): Numbers {
  const [universe, rate] = parameters as [number, number];
  return (index) => BigInt(Math.floor(index * rate) + fromAllBits(draw(index, 0), universe));
}
