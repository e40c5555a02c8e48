// The time of a record: which texts are times, and where they are found.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RecordClassName, recordClasses } from '../../../src/records/classes.ts';
import type { ScanSettings } from '../../../src/records/settings.ts';
import { kernelVariants, ScanHost } from './scan-host.ts';

const common = { fingerprint: 'xxh64', maxRecordBytes: 1000 } as const;
const csv: ScanSettings = { ...common, format: 'csv', columns: [1], time: 0 };
const tsv: ScanSettings = { ...csv, format: 'tsv' };
const ndjson: ScanSettings = { ...common, format: 'ndjson', paths: [['k']], time: ['at', 't'] };

describe.each(kernelVariants)('the scanner of the %s kernel', (variant) => {
  let host: ScanHost;
  beforeAll(async () => {
    host = await ScanHost.create(variant, 1 << 14);
  });

  /** The time of each record, or the class of a record that is not keyed. */
  function timesIn(text: string, settings: ScanSettings, cuts: number[] = []): (number | string | undefined)[] {
    const found = host.scan(new TextEncoder().encode(text), settings, cuts);
    return found.map((record, i) => {
      if (record.class === recordClasses.KEYED.code) return cuts.length > 0 ? 0 : host.kernel.times[i];
      return Object.entries(recordClasses).find(([, { code }]) => code === record.class)?.[0];
    });
  }

  const timeOf = (text: string) => timesIn(`${text}\tk\n`, tsv)[0];

  it.each<[string, number]>([
    ['0', 0],
    ['1700000000', 1_700_000_000_000],
    ['1700000000.5', 1_700_000_000_500],
    ['1700000000.1239', 1_700_000_000_123],
    ['99999999999', 99_999_999_999_000],
    ['100000000000', 100_000_000_000],
    ['1700000000123', 1_700_000_000_123],
    ['1700000000123.9', 1_700_000_000_123],
    ['99999999999999', 99_999_999_999_999],
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:30:00-01:00', 1_800_000],
    ['2024-02-29T23:59:59.999Z', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
    ['2024-02-29t23:59:59.9z', Date.UTC(2024, 1, 29, 23, 59, 59, 900)],
    ['2024-07-01 12:00:00+05:30', Date.UTC(2024, 6, 1, 6, 30)],
    ['2024-07-01T12:00:00.123456789-08:00', Date.UTC(2024, 6, 1, 20, 0, 0, 123)],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
    ['2000-12-31T00:00:00Z', Date.UTC(2000, 11, 31)],
  ])('reads %s', (text, expected) => {
    expect(timeOf(text)).toBe(expected);
  });

  it.each([
    '',
    '-1',
    '+1',
    '1.',
    '.5',
    '1e9',
    '0x10',
    ' 1',
    '1 ',
    'now',
    '100000000000000',
    '9999999999999999999999',
    '2024-01-01',
    '2024-01-01T00:00:00',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:61Z',
    '2024-01-01T00:00:00+5:00',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00Zulu',
    '2024-01-01X00:00:00Z',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:30:00+01:00',
    '0000-01-01T00:00:00Z',
    '9999-01-01T00:00:00Z',
  ])('reads no time in %j', (text) => {
    expect(timeOf(text)).toBe('TIME_UNREADABLE' satisfies RecordClassName);
  });

  it('refuses a time later than the given limit', () => {
    host.kernel.exports.scanTimesUntil(7000);
    expect(timesIn('6.999\tk\n7\tk\n7.001\tk\n', tsv)).toEqual([6999, 7000, 'TIME_AHEAD']);
    host.kernel.exports.scanTimesUntil(1e14);
  });

  it('reads every date like Date', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(99_999_999_999_999), noInvalidDate: true }), (date) => {
        expect(timeOf(date.toISOString())).toBe(date.getTime());
      }),
      { numRuns: 300, seed: 12 },
    );
  });

  it('finds the time in csv, in quotes or not, before the end of the line', () => {
    expect(timesIn('"5",a\r\n6,"b,""c"\n"7""",d\nx\n8\n\n', csv)).toEqual([
      5000,
      6000,
      'TIME_UNREADABLE',
      'KEY_MISSING',
      'KEY_MISSING',
      'BLANK',
    ]);
    expect(timesIn('a,5\r\na,"6"\r\na\r\n', { ...csv, columns: [0], time: 1 })).toEqual([
      5000,
      6000,
      'TIME_UNREADABLE',
    ]);
  });

  it('finds the time in tsv', () => {
    expect(timesIn('5\ta\n6\n', tsv)).toEqual([5000, 'KEY_MISSING']);
    expect(timesIn('a\t5\r\na\n', { ...tsv, columns: [0], time: 1 })).toEqual([5000, 'TIME_UNREADABLE']);
  });

  it('finds the time in ndjson, as a number or as text', () => {
    const lines = [
      '{"k":1,"at":{"t":5}}',
      '{"at":{"t":"6.5"},"k":1}',
      '{"k":1,"at":{"t":"1970-01-01T00:00:07Z"}}',
      '{"k":1}',
      '{"k":1,"at":{"t":null}}',
      '{"k":1,"at":{"t":"\\u0038"}}',
      '{"k":1,"at":{"t":"1970-01-01T02:00:09\\u002B02:00"}}',
      `{"k":1,"at":{"t":"\\u0030${'0'.repeat(250)}"}}`,
      `{"k":1,"at":{"t":"\\u0030${'0'.repeat(251)}"}}`,
      '{"k":1,"at":{"t":"5\\u003"}}',
      '{"at":{"t":5}}',
      '{"k":1,"at":{"t":"5}}',
    ];
    expect(timesIn(`${lines.join('\n')}\n`, ndjson)).toEqual([
      5000,
      6500,
      7000,
      'TIME_UNREADABLE',
      'TIME_UNREADABLE',
      8000,
      9000,
      0,
      'TIME_UNREADABLE',
      'BAD_ESCAPE',
      'KEY_MISSING',
      'UNTERMINATED_STRING',
    ]);
  });

  it('finds the same keys with and without a time; a key can be the time itself or the whole record', () => {
    const keysOf = (text: string, settings: ScanSettings) =>
      host.scan(new TextEncoder().encode(text), settings).map(({ fingerprint }) => fingerprint);
    const rows: [string, ScanSettings][] = [
      ['5,a,b\n6,"c",d\n', { ...common, format: 'csv', columns: [2, 1] }],
      ['5,a,b\n6,"c",d\n', { ...common, format: 'csv', columns: [0] }],
      ['5,a\n6,"c"\n', { ...common, format: 'csv' }],
      ['5\ta\tb\n6\tc\td\n', { ...common, format: 'tsv', columns: [2, 0] }],
      ['5\ta\r\n6\tc\n', { ...common, format: 'tsv' }],
    ];
    for (const [text, settings] of rows) {
      expect(keysOf(text, { ...settings, time: 0 })).toEqual(keysOf(text, settings));
      expect([...host.kernel.times.subarray(0, 2)]).toEqual([5000, 6000]);
    }
    for (const paths of [[], [['t']], [['a'], ['t']]]) {
      const settings: ScanSettings = { ...common, format: 'ndjson', paths };
      const text = ' {"a":"x","t":5} \r\n{"t":6,"a":2}\n';
      expect(keysOf(text, { ...settings, time: ['t'] })).toEqual(keysOf(text, settings));
    }
  });

  it('finds the same times wherever the input is cut', () => {
    const text = '"5",a\r\n6,"b,""c"\n7\nx,d\n';
    const whole = timesIn(text, csv).map((time) => (typeof time === 'number' ? 0 : time));
    for (let cut = 1; cut < text.length; cut++) expect(timesIn(text, csv, [cut])).toEqual(whole);
  });
});
