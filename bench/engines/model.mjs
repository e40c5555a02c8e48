// A model of a job on a cluster, from what was measured on one machine. It is not a measurement.

/** Nodes as they are common: cores, and bytes per second of network, through which states are read and written too. */
const NODE_CORES = 16;
const NODE_BYTES_PER_SECOND = 1.25e9;
const MAX_PARTITIONS = 4096;
const STREAM_RECORDS = 1e11;
/** The largest size of a state, in bytes. */
const STATE_BYTES = 2 ** 32;
/** A key that is this share of the stream. */
const HOT_SHARE = 1e-4;

/**
 * Processor seconds: `fixed` for a job, and per record for each phase. What Hadoop itself needs per record is the rest, half of it on
 * each side of the shuffle.
 * @param seconds of the processor, by what was measured: few, most (jobs), map, combine, reduce (alone)
 */
export function costsOf({ few, most, map, combine, reduce }, { fewRecords, maxRecords }) {
  const perRecord = (most - few) / (maxRecords - fewRecords);
  const [mapping, combining, reducing] = [map, combine, reduce].map((seconds) => seconds / maxRecords);
  const engine = Math.max(0, perRecord - mapping - reducing);
  return { fixed: Math.max(0, few - perRecord * fewRecords), mapping, combining, reducing, engine };
}

/**
 * Processor seconds of a job.
 * @param shuffled the share of the elements that are shuffled; below 1 there is a combiner
 */
export function processorSeconds({ fixed, mapping, combining, reducing, engine }, records, shuffled) {
  const before = mapping + engine / 2 + (shuffled < 1 ? combining : 0);
  return fixed + records * (before + shuffled * (engine / 2 + reducing));
}

/**
 * Elements of the fullest of many parts with this mean: four standard deviations more. All elements of a key are in one part, so the
 * variance is that of independent elements times the number of elements that the key of an element has on average.
 */
export function fullestElements(mean, elementsOfKey) {
  return mean + 4 * Math.sqrt(mean * elementsOfKey);
}

/** Seconds of the phases of a job on a cluster. */
export function clusterSeconds({ mapping, reducing, engine }, { nodes, bytesPerRecord, elementsOfKey }) {
  const cores = nodes * NODE_CORES;
  const tasks = Math.min(cores, MAX_PARTITIONS);
  const perElement = reducing + engine / 2;
  // One task has at most this many partitions.
  const share = Math.ceil(MAX_PARTITIONS / tasks) / MAX_PARTITIONS;
  const fullest = fullestElements(STREAM_RECORDS * share, elementsOfKey);
  return {
    map: (STREAM_RECORDS * (mapping + engine / 2)) / cores,
    network: (STREAM_RECORDS * bytesPerRecord) / (nodes * NODE_BYTES_PER_SECOND),
    reduce: fullest * perElement,
    hotKey: STREAM_RECORDS * HOT_SHARE * perElement,
    states: (2 * STATE_BYTES) / (Math.min(nodes, MAX_PARTITIONS) * NODE_BYTES_PER_SECOND),
  };
}
