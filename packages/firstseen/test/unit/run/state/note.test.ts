import { expect, test } from 'vitest';
import { noCounts } from '../../../../src/run/counts.js';
import { decodeNote, encodeNote, type StateNote } from '../../../../src/run/state/note.js';

/** As version 0.1.0 wrote it. */
const stored = {
  key: { format: 'csv', keys: ['id'] },
  run: {
    inputs: [{ path: 'in.csv', isFile: true, isCompressed: false, storedBytes: 5, digest: 'ab' }],
    outputs: [{ path: null, isCompressed: false }],
    emit: 'distinct',
    input: 0,
    offset: 5,
    lines: 2,
    header: 'aWQK',
    positions: [{ fileBytes: 5, pending: '', owesNewline: false }],
    counts: {
      ...{ records: 3, distinct: 2, duplicates: 1, passed: 0, dropped: 0 },
      ...{ missing_key: 1, invalid: 0, too_long: 0, bytes_in: 5, bytes_out: 4 },
    },
    isFinished: true,
  },
};

const note: StateNote = {
  asked: {},
  totals: { ...noCounts, records: 3, distinct: 2, duplicates: 1, missingKey: 1, bytesIn: 5, bytesOut: 4 },
  key: { format: 'csv', keys: ['id'] },
  run: {
    ...{ inputs: stored.run.inputs, outputs: stored.run.outputs, emit: 'distinct', input: 0, offset: 5, lines: 2 },
    position: { offset: 5 },
    header: 'aWQK',
    positions: [{ sink: { fileBytes: 5, pending: '' }, owesNewline: false }],
    counts: { ...noCounts, records: 3, distinct: 2, duplicates: 1, missingKey: 1, bytesIn: 5, bytesOut: 4 },
    isFinished: true,
  },
};

const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const withRun = (changes: object) => ({ ...stored, run: { ...stored.run, ...changes } });
const [position] = stored.run.positions;
const [input] = stored.run.inputs;

test('a note of 0.1.0 is taken, its input read on behind the bytes taken', () => {
  expect(decodeNote(encoded(stored))).toEqual(note);
  const timed = { ...stored, key: { ...stored.key, time: 'at' } };
  expect(decodeNote(encoded(timed)).key).toEqual(timed.key);
});

test('a note is read as it was written, and 0.1.0 finds all it looks for', () => {
  const asked = { memory: 4096, fpr: 0.01 };
  const written = encodeNote({ ...note, asked });
  expect(decodeNote(written)).toEqual({ ...note, asked });
  const { asked: found, totals, run, ...rest } = JSON.parse(new TextDecoder().decode(written));
  const { position: _position, ...before } = run;
  expect({ ...rest, run: before }).toMatchObject(stored);
  expect(found).toEqual(asked);
  expect(totals).toMatchObject(stored.run.counts);
});

test('an input that cannot be gone back to has no position', () => {
  const pipe = withRun({ inputs: [{ ...input, isFile: false }] });
  const { run } = decodeNote(encoded(pipe));
  expect(run.position).toBeUndefined();
  expect(JSON.parse(new TextDecoder().decode(encodeNote({ ...note, run }))).run).not.toHaveProperty('position');
});

test.each<[string, unknown]>([
  ['no object', null],
  ['no run', { key: stored.key }],
  ['an unknown format', { ...stored, key: { format: 'xml', keys: [] } }],
  ['a negative offset', withRun({ offset: -1 })],
  ['a broken offset', withRun({ offset: 0.5 })],
  ['an offset that is text', withRun({ offset: '5' })],
  ['a position that is no object', withRun({ position: 5 })],
  ['a position of another kind of input', withRun({ position: { partition: 1 } })],
  ['a position of a pipe', withRun({ inputs: [{ ...input, isFile: false }], position: { offset: 1 } })],
  ['an input beyond the last', withRun({ input: 1 })],
  ['no inputs', withRun({ inputs: [] })],
  ['too few positions', withRun({ positions: [] })],
  ['too many positions', withRun({ positions: [position, position] })],
  ['more pending than a member', withRun({ positions: [{ ...position, pending: 'A'.repeat(400_000) }] })],
  ['anything pending of an output that is not compressed', withRun({ positions: [{ ...position, pending: 'AAAA' }] })],
  ['a position too large', withRun({ positions: [{ ...position, fileBytes: 2 ** 60 }] })],
  ['a count missing', withRun({ counts: { ...stored.run.counts, records: undefined } })],
  ['an unknown emission', withRun({ emit: 'some' })],
  ['a header that is no base64', withRun({ header: '?' })],
  ['what was asked being text', { ...stored, asked: 'memory' }],
])('%s is refused', (_, broken) => {
  expect(() => decodeNote(encoded(broken))).toThrow(expect.objectContaining({ code: 'E_SNAPSHOT' }));
});

test.each([['{"key":'], ['']])('what is no JSON is refused: %j', (text) => {
  expect(() => decodeNote(new TextEncoder().encode(text))).toThrow(expect.objectContaining({ code: 'E_SNAPSHOT' }));
});
