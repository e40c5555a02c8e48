import { fromAllBits } from '../../../../firstseen/test/reference/random.js';
import type { Numbers, NumbersRequest } from './twin.js';

const CLASS_BYTES = 24;

export function mixed({ parameters, tables, draw }: NumbersRequest): Numbers {
  const [count] = parameters as [number];
  const classes = Array.from({ length: count }, (_, i) => {
    const [limit, first, elements] = [0, 8, 16].map((at) => tables.getBigUint64(i * CLASS_BYTES + at, true));
    return { limit: limit as bigint, first: first as bigint, elements: Number(elements) };
  });
  return (index) => {
    const selected = classes.find(({ limit }) => draw(index, 0) <= limit) ?? classes.at(-1);
    if (!selected) throw new Error('no classes');
    return selected.first + BigInt(fromAllBits(draw(index, 1), selected.elements));
  };
}
