// The entry `firstseen/near`: near-duplicate documents, and passages of texts that were seen before.

export type { NearAnswer } from './near/answer.js';
export { createNear } from './near/create.js';
export type { NearDetector } from './near/detector.js';
export { loadNear, type NearLoadOptions } from './near/load.js';
export type { NearDescription, NearStats } from './near/nearstats.js';
export { type DropChance, type NearPlan, type NearPlanOptions, planNear, type SketchPlan } from './near/plan.js';
export { lshFamilies } from './near/registry.js';
export type { NearOptions, NearSettings } from './near/settings.js';
export { type CreatePassagesOptions, createPassages } from './passages/create.js';
export type { PassageUnit } from './passages/cutting.js';
export type {
  PassageAnswer,
  PassageDescription,
  PassageDetector,
  PassageDetectorSettings,
  PassageSpan,
} from './passages/detector.js';
export { loadPassages, type PassageLoadOptions } from './passages/load.js';
export type { PassageTotals } from './passages/note.js';
