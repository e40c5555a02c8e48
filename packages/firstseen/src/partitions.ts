// The entry `firstseen/partitions`: divides detectors, and joins them again.

export { merge, repartition, split } from './snapshot/partitions.js';
