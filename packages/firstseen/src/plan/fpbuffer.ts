import { DEFAULT_FPR_OF_PAPERS } from '../options/detector.js';
import { bufferCandidates, bufferCourse } from './buffers.js';
import { type FamilyPlan, numberOf } from './contract.js';

/** A little less than the target, because equal fingerprints add to the rate. */
const PARTS_OF_TARGET = [0.99, 0.1, 0.001];

export const fpbuffer: FamilyPlan = {
  name: 'fpbuffer',
  candidates: ({ fpr = DEFAULT_FPR_OF_PAPERS }) =>
    PARTS_OF_TARGET.flatMap((part) => bufferCandidates({ q: Number((fpr * part).toPrecision(3)) })),
  course: (settings, grid) => bufferCourse(settings, grid, { guesses: numberOf(settings, 'q') }),
};
