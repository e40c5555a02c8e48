import { NUMBERED_UNIVERSE_PARAMETER } from '../../kernel/abi.js';
import type { KernelParameter } from '../../kernel/kernel.js';
import type { StreamSpec } from '../contract.js';
import { type ResolvedStream, type StreamKind, universeTruthBytes } from './contract.js';
import { uniform } from './uniform.js';

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const drawn = await uniform.resolve(spec);
  const [[, universeElements]] = drawn.parameters as readonly [KernelParameter];
  return {
    ...drawn,
    kernelName: 'numbered',
    parameters: [[NUMBERED_UNIVERSE_PARAMETER, universeElements]],
    truthBytes: (isByGap) => (isByGap ? universeTruthBytes(Math.min(universeElements, drawn.lengthElements), true) : 0),
  };
}

export const numbered: StreamKind = {
  name: 'numbered',
  title: 'uniform draws, numbered as they first occur',
  rule: 'Every element is one of a universe of U, each as likely; its number is how many others occurred before it first did.',
  settings: uniform.settings,
  resolve,
};
