// Tables 4 to 6 of bera-2012 at a part of their scale, as `firstseen lab reproduce` repeats them: all at 1/32 in the long form, and one at 1/512
// in the short one. The bounds follow the number of elements.

import { describe, expect, test } from 'vitest';
import { inLongForm, sampleNote, sampleOf } from '../../../firstseen/test/support/form.js';
import { falseNegativeRate, falsePositiveRate, standardError } from '../../../firstseen/test/support/rates.js';
import type { Measurement } from '../../src/contract.js';
import { LOWER_HALF_NAME } from '../../src/measure/lowerhalf.js';
import { measure } from '../../src/measure/measure.js';
import { bera2012Tables } from '../../src/published/bera2012.js';
import type { PublishedRow, PublishedTable } from '../../src/published/contract.js';
import { readingsOf } from '../../src/reproduce/tables.js';
import { runsOf } from '../../src/reproduce/trial.js';

const MB = 2 ** 20;
const settings = { scale: inLongForm(1 / 32, 1 / 512), seeds: 1, data: {} };

interface Measured {
  name: string;
  row: PublishedRow;
  algorithm: string;
  /** Why the paper's number does not match its algorithm, if so. */
  isOff: boolean;
  measurement: Measurement;
}

/** The smallest and the largest memory, and one between them in which SBF has a line of its own. */
function isTried({ algorithm, memoryBytes }: PublishedRow): boolean {
  return memoryBytes === 64 * MB || memoryBytes === 512 * MB || (algorithm === 'sbf' && memoryBytes === 256 * MB);
}

async function measured(table: PublishedTable): Promise<Measured[]> {
  const readings = table.rows
    .filter(isTried)
    .flatMap((row) => readingsOf(table, row).map((reading) => ({ row, reading })))
    .filter(({ reading }) => reading.name !== 'as-written');
  const specs = readings.flatMap(({ reading }) => runsOf(reading.trial, settings));
  const measurements = await measure(specs.map((spec) => ({ ...spec, curvePoints: 0 })));
  return readings.map(({ row, reading }, i) => ({
    name: `${reading.label} in ${row.memoryBytes / MB} MB`,
    row,
    algorithm: reading.trial.algorithm,
    isOff: reading.reason !== undefined,
    measurement: measurements[i] as Measurement,
  }));
}

/** Within 2 % of the printed rate plus four standard errors of the measured one. */
function isNear(rate: number, printedPercent = Number.NaN, trials: number): boolean {
  const printed = printedPercent / 100;
  const deviation = Math.abs(rate - printed);
  return deviation <= 0.02 * printed + 4 * standardError(rate, trials);
}

const tables = bera2012Tables.filter(({ id }) => ['bera-4', 'bera-5', 'bera-6'].includes(id));

describe.each(sampleOf(tables, 1))(`$id${sampleNote}`, async (table) => {
  const rows = await measured(table);

  test('has rows for all five algorithms, and a stream with the right share of distinct elements', () => {
    expect(rows).toHaveLength(5 + 5 + 1 + 1);
    const { distinct, elements } = (rows[0] as Measured).measurement;
    expect(distinct / elements).toBeCloseTo(table.stream.distinctShare as number, 3);
  });

  test.each(rows.filter(({ isOff }) => !isOff))('$name matches the printed rates', ({ row, measurement }) => {
    const [positives, negatives] = [falsePositiveRate(measurement), falseNegativeRate(measurement)];
    const { fprPercent, fnrPercent } = row;
    expect(isNear(positives, fprPercent, measurement.distinct), `${100 * positives}, not ${fprPercent} %`).toBe(true);
    expect(isNear(negatives, fnrPercent, measurement.duplicates), `${100 * negatives}, not ${fnrPercent} %`).toBe(true);
  });

  test('sbf in 512 MB misses 5 to 12 % more than printed, and matches the printed rates with victims from the lower half', () => {
    const off = rows.filter(({ isOff }) => isOff);
    expect(off.map(({ name }) => name)).toEqual(['sbf in 512 MB']);
    expect(rows.some(({ algorithm, isOff }) => algorithm === LOWER_HALF_NAME && !isOff)).toBe(true);
    for (const { row, measurement } of off) {
      const ratio = (100 * falseNegativeRate(measurement)) / (row.fnrPercent as number);
      expect(ratio).toBeGreaterThan(1.05);
      expect(ratio).toBeLessThan(1.12);
    }
  });
});
