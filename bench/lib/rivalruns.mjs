// One run of a rival, or of a family of ours, over a stream of the comparison.

import { create } from 'firstseen';
import { rivals } from 'firstseen-lab';
import { countedFrom, rivalStream, WINDOW_MILLISECONDS } from './rivalstreams.mjs';
import { fingerprintsOf } from './streams.mjs';

/** The elements between two times that a detector is told. */
const BATCH_ELEMENTS = 4096;

function ratesOf(verdictAt, spec, { numbers, isDuplicate }) {
  const counts = { distinct: 0, duplicates: 0, falsePositives: 0, falseNegatives: 0 };
  for (let i = 0; i < numbers.length; i++) {
    const verdict = verdictAt(i);
    if (i < countedFrom(spec)) continue;
    if (isDuplicate[i] === 1) {
      counts.duplicates++;
      counts.falseNegatives += 1 - verdict;
    } else {
      counts.distinct++;
      counts.falsePositives += verdict;
    }
  }
  return {
    fpr: counts.falsePositives / counts.distinct,
    fnr: counts.falseNegatives / counts.duplicates,
  };
}

/** Rates of a rival, and the bits that it needed. */
export function runRival({ name, parameters, request, stream: spec, seed }) {
  const stream = rivalStream(spec);
  const row = rivals.find((each) => each.name === name);
  const rival = row.create(parameters, request, seed);
  const isTimed = request.window.unit === 'milliseconds';
  const verdictAt = (i) => (rival.observe(stream.numbers[i], isTimed ? stream.times[i] : i + 1) ? 1 : 0);
  return { ...ratesOf(verdictAt, spec, stream), memoryBits: rival.memoryBits };
}

/** Returns where batches end: after the elements of one millisecond or, without times, after a fixed number of elements. */
function batchEnds({ numbers, times }) {
  const ends = [];
  for (let i = 1; i <= numbers.length; i++) {
    const isEnd = times ? times[i] !== times[i - 1] : i % BATCH_ELEMENTS === 0;
    if (isEnd || i === numbers.length) ends.push(i);
  }
  return ends;
}

/** Rates of a family; undefined if it refuses its options or an element. */
export async function runFamily({ options, stream: spec, seed }) {
  const stream = rivalStream(spec);
  const isTimed = stream.times !== undefined;
  const window = isTimed ? { window: `${WINDOW_MILLISECONDS}ms`, clock: 'manual' } : {};
  const verdicts = new Uint8Array(stream.numbers.length);
  const fingerprints = fingerprintsOf(stream.numbers);
  const start = performance.now();
  try {
    const detector = await create({ ...options, ...window, seed });
    let from = 0;
    for (const end of batchEnds(stream)) {
      if (isTimed) detector.advance(stream.times[from]);
      detector.observeBatch(fingerprints.subarray(from, end), verdicts.subarray(from, end));
      from = end;
    }
  } catch (error) {
    if (['E_FULL', 'E_PARAMETER', 'E_MEMORY'].includes(error.code)) return undefined;
    throw error;
  }
  const perSecond = (1000 * fingerprints.length) / (performance.now() - start);
  return { ...ratesOf((i) => verdicts[i], spec, stream), perSecond };
}
