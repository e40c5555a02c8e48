import { bufferCandidates, bufferCourse } from './buffers.js';
import { type FamilyPlan, numberOf } from './contract.js';

/** Guesses where no rate is asked for: as the detector's own default. */
const DEFAULT_RATE = 0.01;
/** A little less than the target, because equal fingerprints add to the rate. */
const PARTS_OF_TARGET = [0.99, 0.1, 0.001];

export const fpbuffer: FamilyPlan = {
  name: 'fpbuffer',
  candidates: ({ fpr = DEFAULT_RATE }) =>
    PARTS_OF_TARGET.flatMap((part) => bufferCandidates({ q: Number((fpr * part).toPrecision(3)) })),
  course: (settings, grid) => bufferCourse(settings, grid, { guesses: numberOf(settings, 'q') }),
};
