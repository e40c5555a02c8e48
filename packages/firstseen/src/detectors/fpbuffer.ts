import { FPBUFFER_GUESS_RATE_PARAMETER } from '../kernel/abi.js';
import { DEFAULT_FPR_OF_PAPERS } from '../options/detector.js';
import { bufferMisses, bufferParameters, resolveBuffer } from './buffers.js';
import { type DetectorFamily, type FamilyDescription, rateParameter } from './contract.js';

export const fpbufferDescription: FamilyDescription = {
  title: 'FPBuffering: buffering that guesses',
  source: 'deng-2006, section 5.2',
  rule: 'As buffer, but an element that is not found is reported duplicate with probability q. It enters the buffer either way.',
  falsePositives: {
    kind: 'bounded',
    bound: 'q + C / 2^64; q + C / 2^32 with entries32',
    source: 'deng-2006, section 5.2',
  },
  falseNegatives: bufferMisses,
};

export const fpbuffer: DetectorFamily = {
  name: 'fpbuffer',
  id: 9,
  layouts: ['classic'],
  layout: 'classic',
  parameters: [
    ...bufferParameters,
    {
      letter: 'q',
      name: 'guessRate',
      description: 'probability that an element not found is reported duplicate; by default the target rate, or 0.01',
    },
  ],
  resolve(request) {
    const { values, kernel, ...rest } = resolveBuffer(request);
    const q = rateParameter(request, 'q', request.fpr ?? DEFAULT_FPR_OF_PAPERS);
    return { ...rest, values: { ...values, q }, kernel: [...kernel, [FPBUFFER_GUESS_RATE_PARAMETER, q]] };
  },
};
