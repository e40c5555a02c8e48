import { DEFAULT_FPR } from '../options/detector.js';
import { bufferCandidates, bufferCourse } from './buffers.js';
import { type FamilyPlan, numberOf } from './contract.js';

/** Guesses where no rate is asked for: as the detector's own default. */
/** A little under the target, which chance meetings of fingerprints come on top of. */
const PARTS_OF_TARGET = [0.99, 0.1, 0.001];

export const fpbuffer: FamilyPlan = {
  name: 'fpbuffer',
  candidates: ({ fpr = DEFAULT_FPR.ofPapers }) =>
    PARTS_OF_TARGET.flatMap((part) => bufferCandidates({ q: Number((fpr * part).toPrecision(3)) })),
  course: (settings, grid) => bufferCourse(settings, grid, { guesses: numberOf(settings, 'q') }),
};
