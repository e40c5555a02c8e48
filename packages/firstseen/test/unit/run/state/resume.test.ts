// What a state means for a run, decided from records alone.

import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../../../src/detectors/settings.js';
import { noCounts } from '../../../../src/run/counts.js';
import type { RunNote } from '../../../../src/run/state/note.js';
import { checkSameSettings, type ResumeRequest, runToResume, type SavedRun } from '../../../../src/run/state/resume.js';
import { messagesOf } from '../support.js';

const sources = [messagesOf('one', 'a\nb\n'), messagesOf('two', 'c\n')];
const outputs = [{ path: 'out', isCompressed: false }];
const request: ResumeRequest = { format: 'lines', emit: 'distinct', isNewRun: false, sources, outputs };
const key = { format: 'lines', keys: [] } as const;

const run: RunNote = {
  ...{ inputs: sources.map(({ note }) => note), outputs, emit: 'distinct', input: 1, offset: 2, lines: 1 },
  ...{ position: { message: 1 }, header: null, positions: [], counts: noCounts, isFinished: false },
};

function savedWith(changes: Partial<RunNote>, others: Partial<SavedRun> = {}): SavedRun {
  return {
    path: 's',
    settings: resolveSettings({ memory: 4096 }),
    asked: { memory: 4096 },
    note: { key, asked: {}, totals: noCounts, run: { ...run, ...changes } },
    ...{ comparisons: ['same', 'same'], bytesAround: new Uint8Array(0), heldOutput: undefined },
    ...others,
  };
}

describe('a run continues', () => {
  test('when it is the same', () => {
    const saved = savedWith({});
    expect(runToResume(saved, request)).toBe(saved.note.run);
  });

  test('when the input at hand, or one behind it, has grown', () => {
    expect(runToResume(savedWith({}, { comparisons: ['same', 'grown'] }), request)).toBeDefined();
    expect(runToResume(savedWith({ input: 0 }, { comparisons: ['grown', 'grown'] }), request)).toBeDefined();
  });

  test('when it is finished, and what has grown had whole records', () => {
    const grown = { comparisons: ['same', 'grown'] as const, bytesAround: Uint8Array.of(0x0a, 0x61) };
    expect(runToResume(savedWith({ isFinished: true }, grown), request)).toBeDefined();
  });
});

describe('a fresh run begins', () => {
  test('when it is asked for', () => {
    expect(runToResume(savedWith({}, { heldOutput: 'out' }), { ...request, isNewRun: true })).toBeUndefined();
  });

  test('when a finished run was over other inputs, or over what cannot be read again', () => {
    expect(runToResume(savedWith({ isFinished: true }, { comparisons: ['other', 'same'] }), request)).toBeUndefined();
    const inputs = run.inputs.map((note) => ({ ...note, isFile: false }));
    expect(runToResume(savedWith({ isFinished: true, inputs }), request)).toBeUndefined();
  });
});

test.each<[string, Partial<RunNote>, Partial<SavedRun>, Partial<ResumeRequest>, RegExp]>([
  ['another emission', {}, {}, { emit: 'verdicts' }, /unfinished run from one, two to out, but this run is/],
  ['another output', {}, {}, { outputs: [{ path: null, isCompressed: false }] }, /this run is .* to standard output;/],
  ['fewer inputs', {}, { comparisons: ['same'] }, { sources: sources.slice(0, 1) }, /this run is from one to out;/],
  ['another input', {}, { comparisons: ['same', 'other'] }, {}, / and two has changed;/],
  ['an input before that has grown', {}, { comparisons: ['grown', 'same'] }, {}, / and one has changed;/],
  [
    'a last record that was not whole',
    { isFinished: true },
    { comparisons: ['same', 'grown'], bytesAround: Uint8Array.of(0x61, 0x62) },
    {},
    /two has grown since state s was saved, when its last record had no newline/,
  ],
  [
    'an integer that was not whole',
    { isFinished: true, offset: 9 },
    { comparisons: ['same', 'grown'] },
    { format: 'u64' },
    /no bytes of the integer/,
  ],
  [
    'an output of before',
    { isFinished: true },
    { comparisons: ['other', 'same'], heldOutput: 'out' },
    {},
    /^out contains the output/,
  ],
])('%s is refused', (_, changes, others, asked, message) => {
  const resume = () => runToResume(savedWith(changes, others), { ...request, ...asked });
  expect(resume).toThrow(message);
  expect(resume).toThrow(expect.objectContaining({ code: 'E_STATE_RUN' }));
});

describe('settings', () => {
  const asked = { jobName: 'exact', detector: {}, key };

  test('that are not asked for are those of the state', () => {
    expect(() => checkSameSettings(savedWith({}), asked)).not.toThrow();
  });

  test.each([
    [{ ...asked, detector: { memory: 8192 } }, 'memory is 4096 in the state, not 8192'],
    [
      { ...asked, key: { format: 'csv', keys: ['id'] } as const },
      'records are lines by whole records in the state, not csv by id',
    ],
    [{ ...asked, key: { ...key, time: 'at' } }, 'not lines by whole records at at'],
    [{ ...asked, jobName: 'near' }, 'the job is exact in the state'],
  ])('that differ are told: %o', (differing, message) => {
    expect(() => checkSameSettings(savedWith({}), differing)).toThrow(message);
  });
});
