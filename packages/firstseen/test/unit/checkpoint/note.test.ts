import { expect, test } from 'vitest';
import { decodeNote, encodeNote, type StateNote } from '../../../src/checkpoint/note.js';
import { noCounts } from '../../../src/framing/counts.js';
import type { FileNote } from '../../../src/io/source.js';

const counts = {
  ...{ records: 3, distinct: 2, duplicates: 1, passed: 0, dropped: 0 },
  ...{ missing_key: 1, invalid: 0, too_long: 0, bytes_in: 5, bytes_out: 4 },
};
const input = { path: 'in.csv', isFile: true, isCompressed: false, storedBytes: 5, digest: 'ab' };
const progress = { offset: 5, lines: 2, position: { offset: 5 } };

/** A note as it is stored. */
const stored = {
  asked: {},
  totals: counts,
  key: { format: 'csv', keys: ['id'] },
  run: {
    inputs: [input],
    outputs: [{ path: null, isCompressed: false }],
    emit: 'distinct',
    partial: 'record',
    input: 0,
    ...progress,
    reads: [{ input, ...progress, isWhole: true }],
    header: 'aWQK',
    positions: [{ fileBytes: 5, pending: '', owesNewline: false }],
    counts,
    isFinished: true,
  },
};

const note: StateNote = {
  asked: {},
  totals: { ...noCounts, records: 3, distinct: 2, duplicates: 1, missingKey: 1, bytesIn: 5, bytesOut: 4 },
  key: { format: 'csv', keys: ['id'] },
  run: {
    ...{ inputs: stored.run.inputs, outputs: stored.run.outputs, emit: 'distinct', input: 0, offset: 5, lines: 2 },
    partial: 'record',
    position: { offset: 5 },
    reads: [{ input: stored.run.inputs[0] as FileNote, offset: 5, lines: 2, position: { offset: 5 }, isWhole: true }],
    header: 'aWQK',
    positions: [{ fileBytes: 5, pending: '', owesNewline: false }],
    counts: { ...noCounts, records: 3, distinct: 2, duplicates: 1, missingKey: 1, bytesIn: 5, bytesOut: 4 },
    isFinished: true,
  },
  finishedRuns: [],
};

const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const withRun = (changes: object) => ({ ...stored, run: { ...stored.run, ...changes } });
const [position] = stored.run.positions;

test('reads a note', () => {
  expect(decodeNote(encoded(stored))).toEqual(note);
  const timed = { ...stored, key: { ...stored.key, time: 'at' } };
  expect(decodeNote(encoded(timed)).key).toEqual(timed.key);
});

test('keeps the order of the inputs, unless it is the one in which they were given', () => {
  const ordered: StateNote = { ...note, run: { ...note.run, order: 'newest' } };
  expect(decodeNote(encodeNote(ordered))).toEqual(ordered);
  expect(new TextDecoder().decode(encodeNote(note))).not.toContain('order');
  expect(() => decodeNote(encoded(withRun({ order: 'random' })))).toThrow('the note is not that of a run');
});

test('reads the same note that was written', () => {
  const asked = { memory: 4096, fpr: 0.01 };
  const written = encodeNote({ ...note, asked });
  expect(decodeNote(written)).toEqual({ ...note, asked });
  expect(JSON.parse(new TextDecoder().decode(written))).toEqual({ ...stored, asked });
});

test('reads the same finished runs that were written', () => {
  const finishedRuns = [note.run, { ...note.run, header: null }];
  expect(decodeNote(encodeNote({ ...note, finishedRuns })).finishedRuns).toEqual(finishedRuns);
});

test('an input that cannot be read again has no position', () => {
  const pipe = { ...input, isFile: false };
  const reads = [{ input: pipe, offset: 5, lines: 2, isWhole: true }];
  const { run } = decodeNote(encoded(withRun({ inputs: [pipe], reads, position: undefined })));
  expect(run.position).toBeUndefined();
  expect(run.reads[0]?.position).toBeUndefined();
  expect(JSON.parse(new TextDecoder().decode(encodeNote({ ...note, run }))).run).not.toHaveProperty('position');
});

test.each<[string, unknown]>([
  ['a note that is not an object', null],
  ['a note without a run', { key: stored.key }],
  ['a note without totals', { ...stored, totals: undefined }],
  ['a note without requested options', { ...stored, asked: undefined }],
  ['a run without reads', withRun({ reads: undefined })],
  ['a run without a policy for its last record', withRun({ partial: undefined })],
  ['an unknown format', { ...stored, key: { format: 'xml', keys: [] } }],
  ['a negative offset', withRun({ offset: -1 })],
  ['a fractional offset', withRun({ offset: 0.5 })],
  ['an offset that is text', withRun({ offset: '5' })],
  ['a position that is not an object', withRun({ position: 5 })],
  ['a position of another kind of input', withRun({ position: { partition: 1 } })],
  ['a position of a pipe', withRun({ inputs: [{ ...input, isFile: false }], position: { offset: 1 } })],
  ['an input index that is too large', withRun({ input: 1 })],
  ['a run without inputs', withRun({ inputs: [] })],
  ['too few positions', withRun({ positions: [] })],
  ['too many positions', withRun({ positions: [position, position] })],
  ['more pending bytes than a gzip member', withRun({ positions: [{ ...position, pending: 'A'.repeat(400_000) }] })],
  ['pending bytes of an output that is not compressed', withRun({ positions: [{ ...position, pending: 'AAAA' }] })],
  ['a position that is too large', withRun({ positions: [{ ...position, fileBytes: 2 ** 60 }] })],
  ['a missing count', withRun({ counts: { ...stored.run.counts, records: undefined } })],
  ['an unknown value of emit', withRun({ emit: 'some' })],
  ['a header that is not base64', withRun({ header: '?' })],
  ['a finished run without inputs', { ...stored, finishedRuns: [{ ...stored.run, inputs: [] }] }],
  ['a finished run with too few positions', { ...stored, finishedRuns: [{ ...stored.run, positions: [] }] }],
  ['an unknown policy', withRun({ partial: 'drop' })],
  ['reads without an input', withRun({ reads: [{ offset: 1, lines: 1, isWhole: true }] })],
  [
    'a read at a position of another kind',
    withRun({ reads: [{ input, offset: 1, lines: 1, isWhole: true, position: { partition: 1 } }] }),
  ],
  ['a written file without a size', withRun({ positions: [{ ...position, written: { digest: '' } }] })],
  ['requested options that are text', { ...stored, asked: 'memory' }],
])('%s is refused', (_, broken) => {
  expect(() => decodeNote(encoded(broken))).toThrow(expect.objectContaining({ code: 'E_SNAPSHOT' }));
});

test.each([['{"key":'], ['']])('refuses text that is not JSON: %j', (text) => {
  expect(() => decodeNote(new TextEncoder().encode(text))).toThrow(expect.objectContaining({ code: 'E_SNAPSHOT' }));
});
