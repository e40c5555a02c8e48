// Which families ignore repeats, so that a combiner may drop them before the detector sees them: those that say so, and no other.

import { describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { kernelOf } from '../../src/detectors/detector.js';
import { allCases, chosenCases, createDetector, partitionedCases } from '../support/cases.js';
import { sampleNote } from '../support/form.js';
import { recency, uniform } from '../support/streams.js';

/** A combiner sees a part of the stream, and remembers only some of it. */
const PART_ELEMENTS = 700;

/** The indexes of the elements that are not repeats within their part of the stream. */
function keptBy(elements: BigUint64Array): number[] {
  const kept: number[] = [];
  let seen = new Set<bigint>();
  for (const [i, element] of elements.entries()) {
    if (i % PART_ELEMENTS === 0) seen = new Set();
    if (!seen.has(element)) kept.push(i);
    seen.add(element);
  }
  return kept;
}

const streams = [uniform(6000, 900), recency(6000, 300)];
const cases = chosenCases([...allCases(2 ** 16), ...partitionedCases(2 ** 17)]);
const ignores = (name: unknown) => families.find((family) => family.name === name)?.ignoresRepeats === true;

/** Whether answers and cells are the same with and without the repeats, and all that were dropped are duplicates. */
async function isSame({ options }: (typeof cases)[number], elements: BigUint64Array): Promise<boolean> {
  const [whole, combined] = [await createDetector(options), await createDetector(options)];
  const verdicts = whole.observeBatch(elements);
  const kept = keptBy(elements);
  expect(kept.length).toBeLessThan(0.8 * elements.length);
  const answers = combined.observeBatch(BigUint64Array.from(kept, (i) => elements[i] as bigint));
  const dropped = verdicts.slice();
  for (const i of kept) dropped[i] = 1;
  return (
    kept.every((i, at) => verdicts[i] === answers[at]) &&
    dropped.every((verdict) => verdict === 1) &&
    Buffer.compare(kernelOf(whole).cells, kernelOf(combined).cells) === 0
  );
}

describe('dropping repeats', () => {
  test.each(cases.filter(({ options }) => ignores(options.algorithm)))(
    `changes nothing with $name${sampleNote}`,
    async (entry) => {
      for (const elements of streams) expect(await isSame(entry, elements)).toBe(true);
    },
  );

  test.each(families.filter(({ name }) => !ignores(name)))('changes something with $name', async ({ name }) => {
    const own = allCases(2 ** 11).filter(({ options }) => options.algorithm === name);
    const found = await Promise.all(own.flatMap((entry) => streams.map((elements) => isSame(entry, elements))));
    expect(found).toContain(false);
  });
});
