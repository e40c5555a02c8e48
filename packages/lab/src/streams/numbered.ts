import type { KernelParameter } from 'firstseen/internal';
import type { StreamSpec } from '../contract.js';
import { NUMBERED_UNIVERSE_PARAMETER } from '../kernel/abi.js';
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
  title: 'uniform draws, numbered in the order of first occurrence',
  rule: 'Every element is drawn uniformly from a universe of U elements, and numbered in the order of first occurrence.',
  settings: uniform.settings,
  resolve,
};
