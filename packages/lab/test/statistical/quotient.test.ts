// The tables of dutta-2013 for uniform streams, at 1/512 or more of their length and memory, which does not change the
// rates.
//
// The printed rates of SQF require dense identifiers: with r = 2, r' = 1 and k = 4 a row holds all its signatures, and
// the filter is a bitmap of p-bit fingerprints. Here elements are numbered in the order of first occurrence, so the
// jumps in the rates are where they are printed: where 2^p exceeds the number of distinct elements.

import type { DetectorOptions } from 'firstseen';
import { Detector, resolveSettings } from 'firstseen/internal';
import { describe, expect, test } from 'vitest';
import {
  countErrors,
  falseNegativeRate,
  falsePositiveRate,
  noErrors,
  standardError,
} from '../../../firstseen/test/support/rates.js';
import { recency, UniformStream, universeOf } from '../../../firstseen/test/support/streams.js';
import type { Measurement } from '../../src/contract.js';
import { measure as labMeasure } from '../../src/measure/measure.js';
import { dutta2013Tables } from '../../src/published/dutta2013.js';
import { readingsOf } from '../../src/reproduce/tables.js';
import { runsOf } from '../../src/reproduce/trial.js';

const SCALE = 1024;
const MB = 2 ** 20;

interface Stream {
  elements: BigUint64Array;
  truth: Uint8Array;
  distinct: number;
}

/** Uniform draws; each element is numbered by how many others occurred before it. */
function numberedStream(length: number, distinctShare: number): Stream {
  const universe = universeOf(length, distinctShare);
  const { elements, truth } = new UniformStream(universe, 1).next(length);
  const numbers = new Map<bigint, bigint>();
  const numbered = elements.map((element) => {
    const number = numbers.get(element) ?? BigInt(numbers.size);
    numbers.set(element, number);
    return number;
  });
  return { elements: numbered, truth, distinct: numbers.size };
}

async function measure(options: DetectorOptions, { elements, truth }: Pick<Stream, 'elements' | 'truth'>) {
  const counts = noErrors();
  const detector = await Detector.create({ seed: 5, ...options });
  countErrors(counts, truth, detector.observeBatch(elements));
  return { detector, counts, fpr: falsePositiveRate(counts), fnr: falseNegativeRate(counts) };
}

const plain = { algorithm: 'sqf', fingerprint: 'identity' } as const;

const tables = dutta2013Tables.filter(({ id }) => id.startsWith('sqf-2-'));

describe.each(tables)('$id: $title', async (table) => {
  const rows = table.rows.filter(({ algorithm }) => algorithm === 'sqf');
  const trials = rows.flatMap((row) => readingsOf(table, row).filter(({ name }) => name === 'identifiers'));
  const specs = trials.flatMap(({ trial }) => runsOf(trial, { scale: 1 / SCALE, seeds: 1, data: {} }));
  const measurements = await labMeasure(specs);

  test.each(rows.map((row, i) => ({ ...row, i })))(
    '$memoryBytes bytes: $fprPercent % false positives and $fnrPercent % false negatives are printed',
    ({ fprPercent, i }) => {
      const { spec, distinct, duplicates, ...errors } = measurements[i] as Measurement;
      const { memoryBytes: memory, parameters } = spec.detector;
      const settings = resolveSettings({ algorithm: 'sqf', fingerprint: 'rabin', memory, parameters });
      const fingerprints = 2 ** Number(settings.parameters.values.p);
      const isPastCliff = (fprPercent as number) < 1;
      expect(duplicates).toBeGreaterThan(0);
      expect(fingerprints >= distinct).toBe(isPastCliff);
      // If there are enough fingerprints, there is no error at all; the few printed errors are below 1 in 20,000. If not,
      // the numbering determines which elements share a fingerprint, and the printed rates are not reproduced: see
      // docs/ALGORITHMS.md.
      expect(errors.falsePositives).toBe(isPastCliff ? 0 : distinct - fingerprints);
      expect(errors.falseNegatives).toBe(0);
    },
  );
});

describe('1 billion elements with a distinct share of 0.15', () => {
  const stream = numberedStream(Math.round(1e9 / SCALE), 0.15);
  const memory = (64 * MB) / SCALE;

  test('as hashed keys have 23 % false positives in 64 MB, not 0.0031 %', async () => {
    const { fpr, fnr, counts } = await measure({ algorithm: 'sqf', memory }, stream);
    // The mean of 1 - e^(-n / 2^p) while n grows to all distinct elements.
    const filled = stream.distinct / 2 ** 18;
    const expected = 1 + Math.expm1(-filled) / filled;
    expect(expected).toBeCloseTo(0.234, 2);
    expect(Math.abs(fpr - expected)).toBeLessThan(4 * standardError(expected, counts.distinct));
    expect(fnr).toBe(0);
  });

  // Figure 3(a): false negatives fall with k to none at 4, and there are no false positives at any k.
  test.each([1, 2, 3, 4])('miss 1 - k/4 of the duplicates with k = %i of the 4 possible signatures', async (k) => {
    const p = 18;
    const { fpr, fnr, counts } = await measure({ ...plain, memory, parameters: { p, k } }, stream);
    expect(fpr).toBe(0);
    // Rows that are not yet full at the beginning contribute less than a tenth of a percent.
    expect(Math.abs(fnr - (1 - k / 4))).toBeLessThan(0.001 + 4 * standardError(1 - k / 4, counts.duplicates));
  });
});

describe.each(['sqf', 'dsqf'] as const)('%s with a target', (algorithm) => {
  const elements = recency(400_000, 1000);
  const seen = new Set<bigint>();
  const truth = Uint8Array.from(elements, (element) => (seen.size === seen.add(element).size ? 1 : 0));

  test.each([0.1, 0.01, 0.001])(
    'of %d has at most that rate of false positives when full, and not much less',
    async (fpr) => {
      const measured = await measure({ algorithm, memory: '32KiB', fpr }, { elements, truth });
      expect(measured.detector.stats().load).toBeGreaterThan(0.95);
      expect(measured.fpr).toBeLessThan(fpr + 4 * standardError(fpr, measured.counts.distinct));
      expect(measured.fpr).toBeGreaterThan(fpr / 8);
    },
  );
});
