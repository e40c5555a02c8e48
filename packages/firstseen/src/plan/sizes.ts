// The memory in which elements are remembered, without a plan for a stream.

import { formatCount } from '../base/count.js';
import { formatBytes } from '../base/memory.js';
import { memoryToRemember } from './registry.js';
import { table } from './text.js';

/** The largest memory of a detector: that of WebAssembly, without the regions of a run. */
const MAX_DETECTOR_BYTES = 3.5 * 2 ** 30;

const COUNTS = [1e6, 1e7, 1e8, 1e9, 1e10];
const RATES = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/** A size, with the shards of a stream whose detectors have it together if one cannot. */
function sizeText(bytes: number): string {
  const detectors = Math.ceil(bytes / MAX_DETECTOR_BYTES);
  return detectors === 1 ? formatBytes(bytes) : `${detectors} x ${formatBytes(Math.ceil(bytes / detectors))}`;
}

/** A table of the memory for numbers of different elements, at rates of false positives. */
export function sizesText(): string {
  const rows = COUNTS.map((elements) => [
    formatCount(elements),
    ...RATES.map((fpr) => sizeText(memoryToRemember(elements, fpr))),
  ]);
  return `${table([['elements', ...RATES.map((fpr) => fpr.toExponential())], ...rows], 0).join('\n')}\n`;
}
