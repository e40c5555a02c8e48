// The functions of the entry `firstseen` that have another place now. They work until version 1.0.

import { deprecated } from './base/deprecated.js';
import { createNear as ownCreateNear } from './near/create.js';
import { loadNear as ownLoadNear } from './near/load.js';
import { createMotifs as ownCreateMotifs, loadMotifs as ownLoadMotifs } from './near/openmotifs.js';
import { planMeasured as ownPlanMeasured } from './plan/measured.js';
import { plan as ownPlan, planSync as ownPlanSync } from './plan/partitions.js';
import { load } from './snapshot/load.js';
import { merge as ownMerge, repartition as ownRepartition, split as ownSplit } from './snapshot/partitions.js';
import { saveTo as ownSaveTo } from './snapshot/streams.js';

/**
 * Creates an empty detector of near-duplicate documents.
 * @deprecated Import it from `firstseen/near`.
 */
export const createNear = /* @__PURE__ */ deprecated('createNear', ownCreateNear, 'createNear of firstseen/near');

/**
 * The detector of near-duplicates of a snapshot.
 * @deprecated Import it from `firstseen/near`.
 */
export const loadNear = /* @__PURE__ */ deprecated('loadNear', ownLoadNear, 'loadNear of firstseen/near');

/**
 * Creates sets of records of one length that differ in few bits.
 * @deprecated Import it from `firstseen/motifs`.
 */
export const createMotifs = /* @__PURE__ */ deprecated(
  'createMotifs',
  ownCreateMotifs,
  'createMotifs of firstseen/motifs',
);

/**
 * The range motifs of a snapshot.
 * @deprecated Import it from `firstseen/motifs`.
 */
export const loadMotifs = /* @__PURE__ */ deprecated('loadMotifs', ownLoadMotifs, 'loadMotifs of firstseen/motifs');

/**
 * Recommends an algorithm and its parameters for a stream.
 * @deprecated Import it from `firstseen/plan`, where it also measures a sample. This one only computes.
 */
export const plan = /* @__PURE__ */ deprecated('plan', ownPlan, 'plan of firstseen/plan');

/**
 * As `plan`, with measured rates for a stream of a sample.
 * @deprecated Use `plan` of `firstseen/plan`.
 */
export const planMeasured = /* @__PURE__ */ deprecated('planMeasured', ownPlanMeasured, 'plan of firstseen/plan');

/**
 * As `plan`, at once.
 * @deprecated Use `plan` of `firstseen/plan`, which lets the event loop run.
 */
export const planSync = /* @__PURE__ */ deprecated('planSync', ownPlanSync, 'plan of firstseen/plan');

/**
 * Joins the partitions of a detector.
 * @deprecated Import it from `firstseen/partitions`.
 */
export const merge = /* @__PURE__ */ deprecated('merge', ownMerge, 'merge of firstseen/partitions');

/**
 * Separates the partitions of a detector.
 * @deprecated Import it from `firstseen/partitions`.
 */
export const split = /* @__PURE__ */ deprecated('split', ownSplit, 'split of firstseen/partitions');

/**
 * Changes the number of partitions of a detector.
 * @deprecated Import it from `firstseen/partitions`.
 */
export const repartition = /* @__PURE__ */ deprecated(
  'repartition',
  ownRepartition,
  'repartition of firstseen/partitions',
);

/**
 * The detector of a snapshot.
 * @deprecated Use `load`, which takes streams too.
 */
export const loadFrom: typeof load = /* @__PURE__ */ deprecated('loadFrom', load, 'load');

/**
 * Writes the snapshot of a detector to a Web stream and closes it.
 * @deprecated Use `snapshotChunks`, for example with `ReadableStream.from`.
 */
export const saveTo = /* @__PURE__ */ deprecated('saveTo', ownSaveTo, 'snapshotChunks');
