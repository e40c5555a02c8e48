// Records in clusters for tests: each record is a random centre with some bits flipped, or noise.

import { randomFrom } from './random.js';

export interface ClusterOptions {
  count: number;
  recordBytes: number;
  clusters: number;
  /** Probability that a bit is flipped. */
  flippedShare: number;
  /** Share of records that are random and belong to no cluster. */
  noiseShare?: number;
  seed: number;
}

/** The concatenated records, and the cluster of each; noise has the number `clusters`. */
export function clusteredRecords(options: ClusterOptions): { records: Uint8Array; labels: Uint8Array } {
  const { count, recordBytes, clusters, flippedShare, noiseShare = 0 } = options;
  const next = randomFrom(options.seed);
  const centres = Array.from({ length: clusters }, () =>
    Uint8Array.from({ length: recordBytes }, () => Math.floor(256 * next())),
  );
  const records = new Uint8Array(count * recordBytes);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const isNoise = next() < noiseShare;
    const label = isNoise ? clusters : Math.floor(clusters * next());
    labels[i] = label;
    for (let at = 0; at < recordBytes; at++) {
      let byte = isNoise ? Math.floor(256 * next()) : (centres[label]?.[at] as number);
      for (let bit = 0; bit < 8 && !isNoise; bit++) if (next() < flippedShare) byte ^= 1 << bit;
      records[i * recordBytes + at] = byte;
    }
  }
  return { records, labels };
}
