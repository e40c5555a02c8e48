// What stats and plans contain survives JSON.

import { describe, expect, test } from 'vitest';
import { create, createPool } from '../../src/index.js';
import { createNear } from '../../src/near.js';
import { createThreaded } from '../../src/node.js';
import { planMeasured } from '../../src/plan/measured.js';
import { GapSample, type Plan } from '../../src/plan.js';
import { answersOf, defaultCases, defaultPartitionedCases, partitionedKindOf } from '../support/cases.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { planSync } from '../support/plan.js';
import { recency } from '../support/streams.js';

const stream = recency(4000, 500, 1);

function expectJson(value: unknown): void {
  expect(JSON.parse(JSON.stringify(value))).toEqual(value);
}

const cases = [...defaultCases(), ...defaultPartitionedCases()];
const witnessed = cases.flatMap((entry) => [true, false].map((witness) => ({ ...entry, witness })));

describe(`the stats of a detector${sampleNote}`, () => {
  test.each(coverOf(witnessed, (entry) => [partitionedKindOf(entry), `${entry.options.algorithm} ${entry.witness}`]))(
    '$name with witness $witness',
    async ({ options, witness }) => {
      const detector = await create({ ...options, witness: witness && { memory: '32KiB' } });
      expectJson(detector.stats());
      answersOf(detector, stream);
      expectJson(detector.stats());
    },
  );
});

test('the stats of claims, pools, threads and near-duplicates', async () => {
  const pool = await createPool({ memory: '64KiB', detector: { memory: '1KiB', secret: 'random' } });
  pool.get('a').observe('b');
  expectJson(pool.stats());
  expectJson(pool.get('a').stats());
  await using threaded = await createThreaded({ memory: '64KiB' }, { threads: 1 });
  expectJson(await threaded.stats());
  expectJson((await createNear()).stats());
});

describe('a plan', () => {
  /** Numbers and texts only, and each family with what it recommends. */
  function expectPlan(made: Plan): void {
    const shown = JSON.parse(JSON.stringify(made));
    expect(shown.stream).toEqual({
      description: made.stream.description,
      lengthElements: made.stream.lengthElements,
      distinctElements: made.stream.distinctIn(made.stream.lengthElements),
      ...(made.stream.knownElements === undefined ? {} : { knownElements: made.stream.knownElements }),
    });
    const { settings: _settings, ...recommended } = made.recommended;
    expect(shown.recommended).toEqual(recommended);
    expect(JSON.parse(JSON.stringify(made.recommended))).toEqual(recommended);
    expect(JSON.parse(JSON.stringify(made.families))).toEqual(shown.families);
    expect(shown.families).toHaveLength(made.families.length);
    expect(shown.why).toBe(made.why);
  }

  const tasks = [
    { memory: '64KiB', distinctElements: 10_000 },
    { memory: '1MiB', lengthElements: 1e6, distinctElements: 1e5, partitions: 4 },
    { memory: '64KiB', windowElements: 1000, distinctElements: 10_000 },
  ];

  test.each(inLongForm(tasks, tasks.slice(-1)))('for %o', (options) => expectPlan(planSync(options)));

  test('that was measured', async () => {
    const sample = new GapSample();
    sample.addBatch(stream);
    expectPlan(await planMeasured({ memory: '1KiB', stream: sample.stream('a test') }));
  });
});
