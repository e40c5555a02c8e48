import type { Numbers, NumbersRequest } from './twin.js';

export function adversarial({ parameters }: NumbersRequest): Numbers {
  const [gap, occurrences] = parameters as [number, number];
  return (index) => BigInt(Math.floor(index / (gap * occurrences)) * gap + (index % gap));
}
