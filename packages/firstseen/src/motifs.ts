// The entry `firstseen/motifs`: sets of records of one length that differ in few bits.

export type { MotifLoadOptions } from './near/load.js';
export {
  agreement,
  falseNegativeBound,
  falsePositiveBound,
  generalFalsePositiveBound,
  type MotifDistances,
  noiseOpeningBound,
} from './near/motifbounds.js';
export { recognition } from './near/motifchoice.js';
export { type MotifErrors, MotifTally, type SetErrors } from './near/motiferrors.js';
export type { MotifAnswers, MotifDescription, MotifStats, RangeMotifs } from './near/motifs.js';
export type { MotifOpening, MotifOptions, MotifSettings } from './near/motifsettings.js';
export { createMotifs, loadMotifs } from './near/openmotifs.js';
