import { bufferCandidates, bufferCourse } from './buffers.js';
import type { FamilyPlan } from './contract.js';

export const buffer: FamilyPlan = {
  name: 'buffer',
  candidates: () => bufferCandidates(),
  autoCandidates: () => bufferCandidates(),
  course: (settings, grid) => bufferCourse(settings, grid, { guesses: 0 }),
};
