import type { StreamModel } from 'firstseen/plan';
import type { StreamSpec } from '../contract.js';
import { BURSTS_ACTIVE_PARAMETER, BURSTS_LAST_SHARE_PARAMETER } from '../kernel/abi.js';
import { lengthOf, numberSetting, type ResolvedStream, type StreamKind, wholeSetting } from './contract.js';

/** Bytes of an active element. */
const ACTIVE_BYTES = 16;
const MAX_ACTIVE_ELEMENTS = 2 ** 27;

/** With chance d, an element is the first of its burst. Otherwise its gap is geometric with mean A. */
function burstStream(lengthElements: number, activeElements: number, share: number): StreamModel {
  const rate = Math.log1p(-1 / Math.max(1 + 1e-9, activeElements));
  return {
    description: `bursts of ${Number((1 / share).toPrecision(4))} elements on average, ${activeElements.toLocaleString('en-US')} at a time`,
    lengthElements,
    fresh: (gap) => share + (1 - share) * Math.exp(rate * gap),
    distinctIn: (span) => share * span + ((1 - share) * Math.expm1(rate * span)) / rate,
  };
}

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const lengthElements = lengthOf(spec);
  const share = numberSetting(spec, 'distinctShare', { above: 0, most: 1 });
  const activeElements = wholeSetting(spec, 'activeElements', { least: 1, most: MAX_ACTIVE_ELEMENTS });
  const model = burstStream(lengthElements, activeElements, share);
  return {
    description: model.description,
    lengthElements,
    kernelName: 'bursts',
    parameters: [
      [BURSTS_ACTIVE_PARAMETER, activeElements],
      [BURSTS_LAST_SHARE_PARAMETER, share],
    ],
    tablesBytes: activeElements * ACTIVE_BYTES,
    truthBytes: () => 0,
    model: async () => model,
  };
}

export const bursts: StreamKind = {
  name: 'bursts',
  title: 'bursts',
  rule: 'A elements are active and drawn uniformly. With probability d, a draw is the last of its element, and a new element replaces it.',
  settings: [
    { name: 'distinctShare', description: 'd; the sizes of bursts have a geometric distribution with mean 1/d' },
    { name: 'activeElements', description: 'A, the mean gap' },
  ],
  resolve,
};
