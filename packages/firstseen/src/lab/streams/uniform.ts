import { UNIFORM_UNIVERSE_PARAMETER } from '../../kernel/abi.js';
import { uniformStream, universeOf } from '../../plan/stream.js';
import type { StreamSpec } from '../contract.js';
import {
  eitherSetting,
  lengthOf,
  lookedUpStream,
  MOST_ELEMENTS,
  numberSetting,
  type ResolvedStream,
  type StreamKind,
  wholeSetting,
} from './contract.js';

function universeElementsOf(spec: StreamSpec, lengthElements: number): number {
  if (eitherSetting(spec, ['distinctShare', 'universeElements']) === 'universeElements') {
    return wholeSetting(spec, 'universeElements', { least: 1, most: MOST_ELEMENTS });
  }
  const share = numberSetting(spec, 'distinctShare', { least: 0, most: MOST_SHARE });
  return Math.round(universeOf(lengthElements, share * lengthElements));
}

/** Draws without any repeat would need a universe without end. */
const MOST_SHARE = 0.999;

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
  rule: 'Every element is one of a universe of U, each as likely.',
  settings: [
    {
      name: 'distinctShare',
      description: 'share d of distinct elements, from which U follows: U (1 - (1 - 1/U)^N) = dN',
    },
    { name: 'universeElements', description: 'U, instead' },
  ],
  resolve,
};
