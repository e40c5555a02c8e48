// Runs whose detector takes more than it was planned for.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FirstseenError } from '../../../src/base/errors.js';
import { runFiles } from '../../../src/jobs/exact/run.js';
import type { RunStats } from '../../../src/run/stats.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { inLongForm } from '../../support/form.js';

const LINES = inLongForm(60_000, 30_000);
const lines = Array.from({ length: LINES }, (_, i) => `record ${i}\n`).join('');
/** Planned for a tenth of the lines. */
const detector = { memory: 'auto', fpr: 1e-3, distinctElements: LINES / 10, lengthElements: LINES / 10 + 1 };

function runIn(folder: string, name = 'in.txt') {
  const warnings: FirstseenError[] = [];
  const options = {
    inputs: [join(folder, name)],
    output: join(folder, 'out'),
    detector,
    onWarning: (warning: FirstseenError) => warnings.push(warning),
  };
  writeFileSync(join(folder, 'in.txt'), lines);
  return { options, warnings };
}

function linesOf(path: string): number {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}

test('a run that relies on what was expected warns once and tells it in its stats', async () => {
  const { options, warnings } = runIn(temporaryFolder());
  const stats = await runFiles({ ...options, onOverload: 'warn' });
  expect(warnings.map(({ code }) => code)).toEqual(['E_OVERLOAD']);
  expect(stats.overload).toMatchObject({ evidence: 'predicted', targetFpr: 1e-3 });
  expect(stats.overload?.fpr).toBeGreaterThan(1e-3);
});

test('a run that relies on nothing keeps its rate, and does not warn', async () => {
  const { options, warnings } = runIn(temporaryFolder());
  const stats = await runFiles(options);
  expect(warnings.filter(({ code }) => code === 'E_OVERLOAD')).toEqual([]);
  expect(stats.overload).toBeNull();
});

test('a run that keeps to its plan does not warn', async () => {
  const folder = temporaryFolder();
  const { options, warnings } = runIn(folder);
  const stats = await runFiles({ ...options, detector: { fpr: 1e-3, distinctElements: LINES / 10 } });
  expect(warnings).toEqual([]);
  expect(stats.overload).toBeNull();
});

test('a run that is to fail stops before a record is lost, and goes on from there', async () => {
  const folder = temporaryFolder();
  const { options, warnings } = runIn(folder);
  const saved = { ...options, state: join(folder, 'state') };
  let failed: RunStats | undefined;
  const failing = { ...saved, onOverload: 'fail', onFailure: (stats: RunStats) => (failed = stats) } as const;
  await expect(runFiles(failing)).rejects.toMatchObject({ code: 'E_OVERLOAD' });
  const written = linesOf(options.output);
  expect(written).toBeGreaterThan(LINES / 10);
  expect(written).toBeLessThan(LINES / 2);
  expect(failed).toMatchObject({ distinct: written, error: 'E_OVERLOAD' });
  // It does not creep forward when it is repeated.
  await expect(runFiles(failing)).rejects.toMatchObject({ code: 'E_OVERLOAD' });
  expect(linesOf(options.output)).toBe(written);
  const stats = await runFiles({ ...saved, onOverload: 'warn' });
  expect(stats).toMatchObject({ resumed: true, allRuns: { records: LINES } });
  expect(warnings).toHaveLength(1);
});

test('a Bloom filter past its capacity warns, and is advised what it can have', async () => {
  const { options, warnings } = runIn(temporaryFolder());
  const bloom = { ...options, detector: { algorithm: 'bloom', memory: '4KiB' } } as const;
  const stats = await runFiles(bloom);
  expect(warnings.map(({ code }) => code)).toEqual(['E_OVERLOAD']);
  expect(warnings[0]?.message).toMatch(/^after [\d,]+ elements the detector is past its capacity: .*, such as qht$/);
  expect(warnings[0]?.message).not.toMatch(/expect/i);
  expect(stats.overload).toMatchObject({ evidence: 'predicted', targetFpr: 2 ** -7 });
  await expect(runFiles({ ...bloom, onOverload: 'fail' })).rejects.toMatchObject({ code: 'E_OVERLOAD' });
  const { overload } = await runFiles({ ...bloom, detector: { ...bloom.detector, memory: '1MiB' } });
  expect(overload).toBeNull();
});

test.each(['blocked', 'classic'] as const)(
  'the end of a run says what share of the new records an overfull Bloom filter lost: %s',
  async (layout) => {
    for (const count of inLongForm([25_000, 40_000, LINES], [25_000])) {
      const { options } = runIn(temporaryFolder());
      // Half of the records are repeats, which are not lost.
      const some = lines.split('\n').slice(0, count).join('\n');
      writeFileSync(join(options.inputs[0] as string, '..', 'in.txt'), `${some}\n${some}\n`);
      const detector = { algorithm: 'bloom', memory: '8KiB', layout, witness: false, parameters: { k: 4 } } as const;
      const { distinct, overload } = await runFiles({ ...options, detector });
      expect(overload?.fpr).toBeCloseTo(1 - distinct / count, 1);
    }
  },
);

test('the policy is checked', async () => {
  const { options } = runIn(temporaryFolder());
  await expect(runFiles({ ...options, onOverload: 'ignore' as 'warn' })).rejects.toMatchObject({ code: 'E_USAGE' });
});
