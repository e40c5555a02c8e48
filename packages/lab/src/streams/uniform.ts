import { uniformStream, universeOf } from 'firstseen/internal';
import type { StreamSpec } from '../contract.js';
import { UNIFORM_UNIVERSE_PARAMETER } from '../kernel/abi.js';
import {
  eitherSetting,
  lengthOf,
  lookedUpStream,
  MAX_ELEMENTS,
  numberSetting,
  type ResolvedStream,
  type StreamKind,
  wholeSetting,
} from './contract.js';

function universeElementsOf(spec: StreamSpec, lengthElements: number): number {
  if (eitherSetting(spec, ['distinctShare', 'universeElements']) === 'universeElements') {
    return wholeSetting(spec, 'universeElements', { least: 1, most: MAX_ELEMENTS });
  }
  const share = numberSetting(spec, 'distinctShare', { above: 0, most: MAX_SHARE });
  return Math.round(universeOf(lengthElements, share * lengthElements));
}

/** A stream without repeats would require an infinite universe. */
const MAX_SHARE = 0.999;

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const lengthElements = lengthOf(spec);
  const universeElements = universeElementsOf(spec, lengthElements);
  const model = uniformStream(lengthElements, universeElements);
  return lookedUpStream({
    kernelName: 'uniform',
    parameters: [[UNIFORM_UNIVERSE_PARAMETER, universeElements]],
    model,
    universeElements,
  });
}

export const uniform: StreamKind = {
  name: 'uniform',
  title: 'uniform draws',
  rule: 'Every element is drawn uniformly from a universe of U elements.',
  settings: [
    {
      name: 'distinctShare',
      description: 'share d of distinct elements; determines U by U (1 - (1 - 1/U)^N) = dN',
    },
    { name: 'universeElements', description: 'U; alternative to distinctShare' },
  ],
  resolve,
};
