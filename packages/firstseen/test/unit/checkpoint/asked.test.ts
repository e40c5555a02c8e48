import { expect, test, vi } from 'vitest';
import { askedNote, differences } from '../../../src/checkpoint/asked.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import type { PlannedOptions } from '../../../src/plan/auto.js';
import * as auto from '../../../src/plan/autosettings.js';

const made: PlannedOptions = { fpr: 0.01, distinctElements: 2000, memory: '4KiB', seed: 7n };
const settings = auto.planSettings(made);
const saved = { settings, asked: askedNote(made) };

test('the note of the requested options is JSON and does not contain the secret', () => {
  const note = askedNote({ ...made, secret: '00'.repeat(16), witness: true });
  expect(note).toEqual({ fpr: 0.01, distinctElements: 2000, memory: 4096, seed: '7' });
  expect(JSON.parse(JSON.stringify(note))).toEqual(note);
});

test('the same options or fewer are accepted without planning again', () => {
  const plan = vi.spyOn(auto, 'planSettings');
  for (const asked of [made, {}, { memory: 4096 }, { fpr: 0.01 }, { seed: 7, distinctElements: 2000 }]) {
    expect(differences(saved, asked)).toEqual([]);
  }
  expect(plan).not.toHaveBeenCalled();
  differences(saved, { fpr: 0.05 });
  expect(plan).toHaveBeenCalled();
});

test.each<[PlannedOptions, string[]]>([
  [{ memory: '8KiB' }, ['memory is 4KiB in the state, not 8KiB']],
  [{ memory: 4104 }, ['memory is 4KiB in the state, not 4,104 bytes']],
  [{ seed: 8 }, ['seed is 7 in the state, not 8']],
  [{ algorithm: 'exact' }, [`algorithm is ${settings.family.name} in the state, not exact`]],
  [{ secret: 'random' }, ['the state is not keyed']],
  [{ witness: { memory: '64KiB' } }, ['memory of the witness is 0B in the state, not 64KiB']],
])('an option that differs from the state is reported: %o', (asked, found) => {
  expect(differences(saved, asked)).toEqual(found);
});

test('options are compared with the settings if the state does not record its options', () => {
  const of = resolveSettings({ algorithm: 'sbf', memory: '4KiB', fpr: 0.02, gapsElements: [10, 100] });
  const old = { settings: of, asked: {} };
  expect(differences(old, { algorithm: 'sbf', fpr: 0.02, gapsElements: [10, 100] })).toEqual([]);
  expect(differences(old, { algorithm: 'sbf', fpr: 0.3, gapsElements: [10, 100] })[0]).toMatch(/^parameter \w+ is/);
});

test('different options that give the same settings are accepted', () => {
  const { family, layout } = settings;
  expect(differences(saved, { algorithm: family.name, layout, memory: 4096 })).toEqual([]);
});
