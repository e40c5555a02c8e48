// What `auto` takes for a window, and that a state of another choice goes on.

import { describe, expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { askedNote, differences, isAskedAlike } from '../../../src/checkpoint/asked.js';
import { Detector } from '../../../src/detectors/detector.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import type { PlannedOptions } from '../../../src/plan/auto.js';
import { planSettings } from '../../../src/plan/autosettings.js';
import { targetFprOf } from '../../../src/plan/overload.js';
import { noticesOf } from '../../../src/run/notices.js';
import { allDistinct } from '../../support/streams.js';

const familyFor = (options: PlannedOptions) => planSettings(options).family.name;

describe('a window that is a duration', () => {
  test.each(['24KiB', '128KiB', '1MiB'])('loses no new element in %s, however many come', async (memory) => {
    const detector = await Detector.ofSettings(planSettings({ window: '1h', memory }));
    let lost = 0;
    for (const verdict of detector.observeBatch(allDistinct(300_000))) lost += verdict;
    // At the target of 1e-6, more than 4 false positives among 300,000 elements have a probability of 2e-5.
    expect(lost).toBeLessThan(5);
    expect(detector.stats().shortened).toBeGreaterThan(0);
  });

  test('takes pockets, unless they cannot be had as asked for', () => {
    expect(familyFor({ window: '1h' })).toBe('pocketwindow');
    expect(familyFor({ window: '1h', refresh: true })).toBe('pocketwindow');
    // Filters lose new elements where more come than they have room for, so they are taken only by name.
    expect(familyFor({ window: '1h', layout: 'classic' })).toBe('exactwindow');
    expect(familyFor({ window: '1h', windowSlack: 0.05 })).toBe('exactwindow');
    expect(familyFor({ window: '1h', parameters: { k: 6, l: 4 } })).toBe('apbf');
  });
});

test('a window of elements takes the faster filters', () => {
  expect(familyFor({ window: 1000 })).toBe('apbf');
  expect(familyFor({ refresh: true })).toBe('apbf');
  expect(familyFor({ window: 1_700_000, memory: '8MiB' })).toBe('pocketwindow');
});

test('an impossible window is refused by the family that keeps the largest', () => {
  const impossible = () => planSettings({ window: 1e9, memory: '1MiB' });
  expect(impossible).toThrow(FirstseenError);
  expect(impossible).toThrow('in pockets of');
});

test.each<PlannedOptions>([{ window: '1h' }, { window: '1h', memory: '24KiB' }, { algorithm: 'auto', window: '1h' }])(
  'a state that was made when %o took apbf goes on',
  (asked) => {
    const settings = resolveSettings({ fpr: 1e-6, ...asked, algorithm: 'apbf' });
    const { algorithm: _algorithm, ...unnamed } = asked;
    for (const before of [asked, unnamed]) {
      expect(differences({ settings, asked: askedNote(before) }, asked)).toEqual([]);
      expect(differences({ settings, asked: askedNote(before) }, unnamed)).toEqual([]);
    }
    expect(isAskedAlike(askedNote(asked), askedNote(unnamed))).toBe(true);
    expect(isAskedAlike(askedNote({ ...asked, seed: 1 }), askedNote(asked))).toBe(false);
  },
);

test('a ring by name that a clock turns has its own rate as the target', () => {
  const timed = resolveSettings({ algorithm: 'apbf', window: '1h' });
  expect(targetFprOf({ algorithm: 'apbf', window: '1h' }, timed)).toBe(timed.parameters.values.FPR);
  expect(targetFprOf({ algorithm: 'apbf' }, resolveSettings({ algorithm: 'apbf' }))).toBeUndefined();
});

test('the end of a run says which rate of loss it had', () => {
  const findings = { replaced: [], undecided: [], unrecognized: [], torn: [], changed: new Set<string>() };
  const run = {
    ...findings,
    isDone: false,
    waiting: new Map(),
    broken: undefined,
    damaged: undefined,
    notCompared: 0,
    unstored: 0,
    shortened: 0,
    elementName: 'element',
    detector: { witness: null, window: null, observed: 10_000 },
  } as const;
  const overload = { evidence: 'measured', fpr: 0.5512, targetFpr: 1e-6, sinceElements: 4096 } as const;
  expect(noticesOf({ ...run, overload })).toEqual([
    'the measured rate of false positives is 0.55, above the target 0.000001: about that share of the new elements was reported as duplicates; use more memory or a higher rate',
  ]);
  expect(noticesOf({ ...run, overload: null })).toEqual([]);
  // A run that was finished before is told only that.
  expect(noticesOf({ ...run, isDone: true, overload })).toHaveLength(1);
});
