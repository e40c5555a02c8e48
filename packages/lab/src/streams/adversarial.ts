import { formatCounted, gapListStream } from 'firstseen/internal';
import type { StreamSpec } from '../contract.js';
import { ADVERSARIAL_GAP_PARAMETER, ADVERSARIAL_OCCURRENCES_PARAMETER } from '../kernel/abi.js';
import { lengthOf, MAX_ELEMENTS, type ResolvedStream, type StreamKind, wholeSetting } from './contract.js';

const MAX_OCCURRENCES = 2 ** 20;
const DEFAULT_OCCURRENCES = 2;

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const lengthElements = lengthOf(spec);
  const gapElements = wholeSetting(spec, 'gapElements', { least: 1, most: MAX_ELEMENTS });
  const range = { least: 1, most: MAX_OCCURRENCES };
  const occurrences = wholeSetting(spec, 'occurrences', range, DEFAULT_OCCURRENCES);
  const gapsElements = [gapElements];
  const model = gapListStream({ lengthElements, gapsElements, duplicateShare: 1 - 1 / occurrences });
  const description = `${formatCounted(gapElements, 'new element')}, ${formatCounted(occurrences, 'time')} each, and so on`;
  return {
    description,
    lengthElements,
    kernelName: 'adversarial',
    parameters: [
      [ADVERSARIAL_GAP_PARAMETER, gapElements],
      [ADVERSARIAL_OCCURRENCES_PARAMETER, occurrences],
    ],
    tablesBytes: 0,
    truthBytes: () => 0,
    model: async () => ({ ...model, description }),
  };
}

export const adversarial: StreamKind = {
  name: 'adversarial',
  title: 'rounds at one gap',
  rule: 'G new elements occur R times in the same order, then the next G. Every duplicate has gap G.',
  settings: [
    { name: 'gapElements', description: 'G' },
    { name: 'occurrences', description: `R, ${DEFAULT_OCCURRENCES} by default` },
  ],
  resolve,
};
