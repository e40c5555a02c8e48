import { expect, test } from 'vitest';
import { noCounts } from '../../../../src/run/counts.js';
import { decodeNote } from '../../../../src/run/state/note.js';

const note = {
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
    counts: { ...noCounts },
    isFinished: true,
  },
};

const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const withRun = (changes: object) => ({ ...note, run: { ...note.run, ...changes } });
const [position] = note.run.positions;

test('a note as runs write it is taken', () => {
  expect(decodeNote(encoded(note))).toEqual(note);
  const timed = { ...note, key: { ...note.key, time: 'at' } };
  expect(decodeNote(encoded(timed))).toEqual(timed);
});

test.each<[string, unknown]>([
  ['no object', null],
  ['no run', { key: note.key }],
  ['an unknown format', { ...note, key: { format: 'xml', keys: [] } }],
  ['a negative offset', withRun({ offset: -1 })],
  ['a broken offset', withRun({ offset: 0.5 })],
  ['an offset that is text', withRun({ offset: '5' })],
  ['an input beyond the last', withRun({ input: 1 })],
  ['no inputs', withRun({ inputs: [] })],
  ['too few positions', withRun({ positions: [] })],
  ['too many positions', withRun({ positions: [position, position] })],
  ['more pending than a member', withRun({ positions: [{ ...position, pending: 'A'.repeat(400_000) }] })],
  ['a position too large', withRun({ positions: [{ ...position, fileBytes: 2 ** 60 }] })],
  ['a count missing', withRun({ counts: { ...noCounts, records: undefined } })],
  ['an unknown emission', withRun({ emit: 'all' })],
  ['a header that is no base64', withRun({ header: '?' })],
])('%s is refused', (_, broken) => {
  expect(() => decodeNote(encoded(broken))).toThrow(expect.objectContaining({ code: 'E_SNAPSHOT' }));
});

test.each([['{"key":'], ['']])('what is no JSON is refused: %j', (text) => {
  expect(() => decodeNote(new TextEncoder().encode(text))).toThrow(expect.objectContaining({ code: 'E_SNAPSHOT' }));
});
