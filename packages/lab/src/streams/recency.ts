import { curveStream } from 'firstseen/internal';
import type { StreamSpec } from '../contract.js';
import { RECENCY_NEW_SHARE_PARAMETER, RECENCY_WINDOW_PARAMETER } from '../kernel/abi.js';
import {
  lengthOf,
  numberSetting,
  type ResolvedStream,
  type StreamKind,
  universeTruthBytes,
  wholeSetting,
} from './contract.js';
import { descentPoints } from './descent.js';

/** The size of one position in the ring. */
const RING_BYTES = 8;
const MAX_WINDOW_ELEMENTS = 2 ** 28;

/** An upper bound for the number of new elements: the mean plus eight standard deviations. */
function maxDistinct(lengthElements: number, share: number): number {
  return Math.min(lengthElements, Math.ceil(share * lengthElements + 8 * Math.sqrt(lengthElements)) + 1);
}

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const lengthElements = lengthOf(spec);
  const share = numberSetting(spec, 'distinctShare', { above: 0, most: 1 });
  const windowElements = wholeSetting(spec, 'windowElements', { least: 1, most: MAX_WINDOW_ELEMENTS });
  const description = `repeats of the last ${windowElements.toLocaleString('en-US')} positions`;
  return {
    description,
    lengthElements,
    kernelName: 'recency',
    parameters: [
      [RECENCY_WINDOW_PARAMETER, windowElements],
      [RECENCY_NEW_SHARE_PARAMETER, share],
    ],
    tablesBytes: windowElements * RING_BYTES,
    truthBytes: (isByGap) => (isByGap ? universeTruthBytes(maxDistinct(lengthElements, share), true) : 0),
    model: async () => curveStream({ description, lengthElements, points: descentPoints(windowElements, share) }),
  };
}

export const recency: StreamKind = {
  name: 'recency',
  title: 'repeats of recent elements',
  rule: 'Every element is new with probability d; otherwise it repeats one of the last W positions, each equally likely.',
  settings: [
    { name: 'distinctShare', description: 'd, the probability that an element is new' },
    { name: 'windowElements', description: 'W' },
  ],
  resolve,
};
