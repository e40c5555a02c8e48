// Decides from the note of a state whether a run continues, starts again or is refused.

import { describe, expect, test } from 'vitest';
import type { KnownInput } from '../../../src/checkpoint/knowninput.js';
import type { KnownRun } from '../../../src/checkpoint/matches.js';
import type { RunNote } from '../../../src/checkpoint/note.js';
import {
  checkHeldOutput,
  checkSameSettings,
  type HeldOutput,
  type ResumeRequest,
  runToResume,
  type SavedRun,
} from '../../../src/checkpoint/resume.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import { noCounts } from '../../../src/framing/counts.js';
import type { OutputNote } from '../../../src/io/sink.js';
import type { ReadNote } from '../../../src/io/source.js';
import { messagesOf, readTo } from '../run/support.js';

const sources = [messagesOf('one', 'a\nb\n'), messagesOf('two', 'c\n')] as const;
const [one, two] = sources;
const outputs = [{ path: 'out', isCompressed: false }];
const asked = { format: 'lines', isNewRun: false, isFollowing: false } as const;
const request: ResumeRequest = { ...asked, sources, outputs };
const key = { format: 'lines', keys: [] } as const;

const run: RunNote = {
  ...{
    inputs: sources.map(({ note }) => note),
    outputs,
    emit: 'distinct',
    partial: 'wait',
    input: 1,
    offset: 2,
    lines: 1,
  },
  reads: [readTo(one, 4, true), readTo(two, 2)],
  ...{ position: { message: 1 }, header: null, positions: [], counts: noCounts, isFinished: false },
};

const none = new Uint8Array(0);
const same = (read: ReadNote): KnownInput => ({ read, comparison: 'same', bytesAround: none });
const grown = (read: ReadNote, bytesAround = none): KnownInput => ({ read, comparison: 'grown', bytesAround });
const [readOne, readTwo] = run.reads as [ReadNote, ReadNote];

/** A state with a run, and what is known of it. */
function savedWith(changes: Partial<RunNote> = {}, known: Partial<KnownRun> = {}): SavedRun {
  const current = { ...run, ...changes };
  return {
    path: 's',
    settings: resolveSettings({ memory: 4096 }),
    asked: { memory: 4096 },
    note: { key, asked: {}, totals: noCounts, run: current, finishedRuns: [] },
    known: {
      run: current,
      sources,
      known: [same(readOne), same(readTwo)],
      given: sources,
      replaced: [],
      undecided: [],
      unrecognized: [],
      ...known,
    },
  };
}

describe('a run continues', () => {
  test('when it is the same', () => {
    const saved = savedWith();
    expect(runToResume(saved, request)).toBe(saved.known);
  });

  test('when an input has grown, or the inputs have another order', () => {
    expect(runToResume(savedWith({}, { known: [grown(readOne), grown(readTwo)] }), request)).toBeDefined();
    const turned = { sources: [two, one], known: [same(readTwo), same(readOne)] };
    expect(runToResume(savedWith({}, turned), request)).toBeDefined();
  });

  test('when it is finished, and what has grown had whole records', () => {
    const known = [same(readOne), grown(readTwo, Uint8Array.of(0x0a, 0x61))];
    expect(runToResume(savedWith({ isFinished: true }, { known }), request)).toBeDefined();
  });

  test('when it follows an input that is another file now', () => {
    const changed = savedWith({}, { known: [same(readOne), undefined], replaced: ['two'] });
    expect(runToResume(changed, { ...request, isFollowing: true })).toBe(changed.known);
  });
});

test('an unfinished run goes on only in its own order, and a finished one in any', () => {
  const newest = savedWith({ order: 'newest' });
  expect(runToResume(newest, { ...request, order: 'newest' })).toBe(newest.known);
  expect(() => runToResume(newest, request)).toThrow(
    'run with order newest, but this run has order given; give order newest',
  );
  expect(() => runToResume(savedWith(), { ...request, order: 'name' })).toThrow(
    'with order given, but this run has order name',
  );
  const finished = savedWith({ order: 'newest', isFinished: true });
  expect(runToResume(finished, { ...request, order: 'oldest' })).toBe(finished.known);
});

test('a finished run with nothing new is known, even while another one is unfinished', () => {
  const whole = { ...run, isFinished: true };
  const known = [same(readOne), same({ ...readTwo, isWhole: true })];
  const saved = savedWith({ outputs: [] }, { run: whole, known });
  expect(runToResume(saved, request)).toBe(saved.known);
  const more = savedWith({ outputs: [] }, { run: whole, known: [...known, undefined] });
  expect(() => runToResume(more, request)).toThrow('holds an unfinished run');
});

test('a new run begins when it is asked for, and when no finished run is known', () => {
  expect(runToResume(savedWith(), { ...request, isNewRun: true })).toBeUndefined();
  expect(runToResume({ ...savedWith({ isFinished: true }), known: undefined }, request)).toBeUndefined();
});

test.each<[string, SavedRun, Partial<ResumeRequest>, RegExp]>([
  ['another run', { ...savedWith(), known: undefined }, {}, /unfinished run from one, two to out, but this run is/],
  [
    'another output',
    { ...savedWith(), known: undefined },
    { outputs: [{ path: null, isCompressed: false }] },
    /this run is .* to standard output;/,
  ],
  [
    'fewer inputs',
    savedWith({}, { sources: [one], known: [same(readOne)] }),
    { sources: [one] },
    /this run is from one to out;/,
  ],
  [
    'another input',
    savedWith({}, { known: [same(readOne), undefined], replaced: ['two'] }),
    {},
    / and two has changed;/,
  ],
  [
    'a last record that was not whole',
    savedWith({ isFinished: true }, { known: [same(readOne), grown(readTwo, Uint8Array.of(0x61, 0x62))] }),
    {},
    /two has grown since state s was saved; it did not have a newline at its end then/,
  ],
  [
    'an integer that was not whole',
    savedWith({ isFinished: true }, { known: [same(readOne), grown(readTo(two, 9), Uint8Array.of(1, 2))] }),
    { format: 'u64' },
    /it did not have all bytes of its last integer then/,
  ],
])('%s is refused', (_, saved, changes, message) => {
  const resume = () => runToResume(saved, { ...request, ...changes });
  expect(resume).toThrow(message);
  expect(resume).toThrow(expect.objectContaining({ code: 'E_STATE_RUN' }));
});

test('an output that exists is refused, with the reason', () => {
  const [output] = outputs as [OutputNote];
  const { note } = savedWith();
  const refuse = (held: Partial<HeldOutput>) => () =>
    checkHeldOutput({ output, state: 's', note, isReadOnly: false, ...held });
  expect(refuse({})).toThrow(/^out contains the output of an earlier run/);
  expect(refuse({})).toThrow(expect.objectContaining({ code: 'E_STATE_RUN' }));
  for (const held of [{ note: undefined }, { output: { path: 'new', isCompressed: false } }]) {
    expect(refuse(held)).toThrow(/already exists, and no run with state s has written it; name another output/);
    expect(refuse(held)).toThrow(expect.objectContaining({ code: 'E_OUTPUT' }));
    expect(refuse({ ...held, isReadOnly: true })).not.toThrow();
  }
  expect(refuse({ isReadOnly: true })).toThrow(/which was a different run; name another output$/);
});

describe('settings', () => {
  const settings = { jobName: 'exact', detector: {}, key };

  test('that are not given are taken from the state', () => {
    expect(() => checkSameSettings(savedWith(), settings)).not.toThrow();
  });

  test.each([
    [{ ...settings, detector: { memory: 8192 } }, 'memory is 4KiB in the state, not 8KiB'],
    [
      { ...settings, key: { format: 'csv', keys: ['id'] } as const },
      'records are lines by whole records in the state, not csv by id',
    ],
    [{ ...settings, key: { ...key, time: 'at' } }, 'not lines by whole records at at'],
    [{ ...settings, jobName: 'near' }, 'it is a state of exact deduplication, not of near'],
  ])('that differ are told: %o', (differing, message) => {
    expect(() => checkSameSettings(savedWith(), differing)).toThrow(message);
  });
});
