// Bytes as a table in some dialect.

import { expect, it } from 'vitest';
import { TableReading } from '../../../src/records/tablereading.ts';

function readingOf(pieces: readonly string[], delimiter = ','): TableReading {
  const reading = new TableReading({ delimiter: delimiter.charCodeAt(0), quote: 0x22 });
  for (const piece of pieces) reading.take(new TextEncoder().encode(piece));
  return reading;
}

const header = 'id,text\n';
const broken = '1,"a\nb"\n';

it.each<[string, string, number | undefined]>([
  ['a line end in quotes', `${header}${broken}`, 2],
  ['a line end in quotes, and two quotes', `${header}2,"x""y"\n1,"a\r\n""b"\r\n`, 3],
  ['blank lines', `\n${header}\r\n${broken}`, 4],
  ['no line end in quotes', `${header}1,"a"\n2,b\n`, undefined],
  ['a row alone', broken, undefined],
  ['a field that is not closed', `${header}2,b\n1,"a\nb\n`, undefined],
])('shows %s', (_, text, line) => {
  for (const pieces of [[text], [...text]]) {
    const reading = readingOf(pieces);
    expect([reading.isRefuted, reading.hasBrokenLines ? reading.brokenLine : undefined]).toEqual([false, line]);
  }
});

it.each([
  ['rows of other lengths', `${header}${broken}1,2,3\n`],
  ['one column', `text\n"a\nb"\n`],
  ['a quote in a field', `${header}${broken}1,a"\n`],
  ['text after a field in quotes', `${header}${broken}1,"a" \n`],
])('is refuted by %s', (_, text) => {
  const reading = readingOf([text]);
  expect([reading.isRefuted, reading.isDecided, reading.hasBrokenLines]).toEqual([true, true, false]);
});

it('is trusted after eight rows, whatever follows them', () => {
  const rows = (count: number) => `${header}${broken}${'2,b\n'.repeat(count - 2)}`;
  const before = readingOf([rows(7)]);
  expect([before.isDecided, before.hasBrokenLines]).toEqual([false, true]);
  expect(readingOf([rows(7), 'more\n']).hasBrokenLines).toBe(false);
  const after = readingOf([rows(8)]);
  expect([after.isDecided, readingOf([rows(8), 'more\n']).hasBrokenLines]).toEqual([true, true]);
});
