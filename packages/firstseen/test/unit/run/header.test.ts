import { expect, test } from 'vitest';
import { columnsOf, namesIn } from '../../../src/framing/header.js';
import { checkSameHeader } from '../../../src/run/inputbeginning.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('reads the names in a header', async () => {
  expect(await namesIn('csv', Buffer.from('id,"full name"\r\n'), 'a.csv')).toEqual(['id', 'full name']);
  expect(await namesIn('tsv', Buffer.from('id\tv\t\n'), 'a.tsv')).toEqual(['id', 'v', '']);
});

test('the error for a header that is not a row names the option to check', async () => {
  await expect(namesIn('csv', Buffer.from('"id\n'), 'a.csv')).rejects.toMatchObject({
    code: 'E_RECORD',
    message: expect.stringMatching(/^a\.csv, line 1: the header is not a valid row of csv: /),
    remedy: 'correct it, or see hasHeader if the file has no header',
  });
});

test('keys and the time are columns of the header', () => {
  const names = ['at', 'id', 'v'];
  expect(columnsOf({ keys: ['id', '3'] }, names)).toEqual({ columns: [1, 2] });
  expect(columnsOf({ keys: ['id'], times: ['at'] }, names)).toEqual({ columns: [1], times: [0] });
  expect(columnsOf({ keys: ['id'], times: ['v', 'at'] }, names)).toEqual({ columns: [1], times: [2, 0] });
});

test.each([
  [{ keys: ['no'] }, 'keys'],
  [{ keys: ['id'], times: ['no'] }, 'timeKey'],
] as const)('a column that does not exist is reported for its option: %j', (key, option) => {
  expect(() => columnsOf(key, ['id'])).toThrow(expect.objectContaining({ code: 'E_USAGE', option, given: 'no' }));
});

test('terminators and byte order marks do not make headers differ', () => {
  expect(() => checkSameHeader({ format: 'csv' }, 'b', base64('id,v\r\n'), base64('\ufeffid,v\n'))).not.toThrow();
  expect(() => checkSameHeader({ format: 'tsv' }, 'b', base64('id\tv\t'), base64('id\tv'))).toThrow(
    /the header is "id\\tv\\t", but the earlier/,
  );
});

test('headers of csv that differ only in quotes are the same', () => {
  const check = (header: string, before: string, format: 'csv' | 'tsv' = 'csv') =>
    checkSameHeader({ format }, 'b', base64(header), base64(before));
  expect(() => check('"id","full ""name"""\r\n', 'id,"full ""name"""\n')).not.toThrow();
  expect(() => check('"id,v"\n', 'id,v\n')).toThrow('the header is');
  expect(() => check('"id"\tv\n', 'id\tv\n', 'tsv')).toThrow('the header is');
});
