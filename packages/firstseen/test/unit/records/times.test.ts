// The time of a record: which texts are times, and where they are found.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RecordClassName } from '../../../src/records/classes.ts';
import type { ScanSettings } from '../../../src/records/settings.ts';
import { timeProgram } from '../../../src/records/timeformat.ts';
import { zoneParts } from '../../../src/records/timezone.ts';
import { referenceTime } from '../../reference/times.ts';
import { inLongForm } from '../../support/form.js';
import { kernelVariants, ScanHost } from './scan-host.ts';
import { timesIn as scannedTimes } from './scanned-times.ts';

const common = { fingerprint: 'xxh64', maxRecordBytes: 1000 } as const;
const csv: ScanSettings = { ...common, format: 'csv', columns: [1], times: [0] };
const tsv: ScanSettings = { ...csv, format: 'tsv' };
const ndjson: ScanSettings = { ...common, format: 'ndjson', paths: [['k']], times: [['at', 't']] };

describe.each(kernelVariants)('the scanner of the %s kernel', (variant) => {
  let host: ScanHost;
  beforeAll(async () => {
    host = await ScanHost.create(variant, 1 << 14);
  });

  const timesIn = (text: string, settings: ScanSettings, cuts: number[] = []) =>
    scannedTimes(host, text, settings, cuts);

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

  const inFormat = (text: string, format: string, zone?: string) =>
    timesIn(`${text}\tk\n`, { ...tsv, timeProgram: timeProgram(format, { zone }) })[0];

  it.each<[string, string, string | undefined, number]>([
    ['seconds', '1700000000.5', undefined, 1_700_000_000_500],
    ['seconds', '99', undefined, 99_000],
    ['milliseconds', '99', undefined, 99],
    ['milliseconds', '1700000000123.9', undefined, 1_700_000_000_123],
    ['microseconds', '1700000000123456', undefined, 1_700_000_000_123],
    ['nanoseconds', '1700000000123456789', undefined, 1_700_000_000_123],
    ['iso', '2024-05-20', undefined, Date.UTC(2024, 4, 20)],
    ['iso', '2024-05-20T10:05', '+02:00', Date.UTC(2024, 4, 20, 8, 5)],
    ['iso', '2024-05-20 10:05:03,25', 'Europe/Berlin', Date.UTC(2024, 4, 20, 8, 5, 3, 250)],
    ['iso', '2024-01-20 10:05:03', 'Europe/Berlin', Date.UTC(2024, 0, 20, 9, 5, 3)],
    ['iso', '2024-05-20T10:05:03Z', 'Europe/Berlin', Date.UTC(2024, 4, 20, 10, 5, 3)],
    ['iso', '2024-05-20T10:05:03-0330', undefined, Date.UTC(2024, 4, 20, 13, 35, 3)],
    ['iso', '2024-05-20T10:05:03+05', undefined, Date.UTC(2024, 4, 20, 5, 5, 3)],
    ['clf', '20/May/2015:10:05:03 +0200', undefined, Date.UTC(2015, 4, 20, 8, 5, 3)],
    ['clf', '[20/May/2015:10:05:03 +0200]', undefined, Date.UTC(2015, 4, 20, 8, 5, 3)],
    ['[%d/%b/%Y:%T %z]', '[20/May/2015:10:05:03 +0200]', undefined, Date.UTC(2015, 4, 20, 8, 5, 3)],
    ['%a %b %e %H:%M:%S %Y', 'Wed May  6 10:05:03 2015', undefined, Date.UTC(2015, 4, 6, 10, 5, 3)],
    ['%a, %d %b %Y %T %Z', 'Wed, 06 May 2015 10:05:03 GMT', undefined, Date.UTC(2015, 4, 6, 10, 5, 3)],
    ['%d.%m.%y %H:%M', '6.5.15 7:05', undefined, Date.UTC(2015, 4, 6, 7, 5)],
    ['%m/%d/%Y %I:%M:%S %p', '5/6/2015 12:05:03 AM', undefined, Date.UTC(2015, 4, 6, 0, 5, 3)],
    ['%m/%d/%Y %I:%M:%S %p', '5/6/2015 1:05:03 pm', undefined, Date.UTC(2015, 4, 6, 13, 5, 3)],
    ['%Y%m%d%H%M%S.%f', '20150506070809.125999', undefined, Date.UTC(2015, 4, 6, 7, 8, 9, 125)],
    ['%Y-%j', '2016-366', undefined, Date.UTC(2016, 11, 31)],
    ['@%s.%L', '@1700000000.5', undefined, 1_700_000_000_500],
    ['100%% %F', '100% 2015-05-06', undefined, Date.UTC(2015, 4, 6)],
  ])('reads in format %s: %s', (format, text, zone, expected) => {
    expect(inFormat(text, format, zone)).toBe(expected);
  });

  it.each([
    ['seconds', '1e9'],
    ['seconds', '100000000000'],
    ['nanoseconds', '17000000001234567890'],
    ['nanoseconds', ''],
    ['iso', '2024-05'],
    ['iso', '2024-05-20T'],
    ['iso', '2024-05-20T10'],
    ['iso', '2024-05-20T10:05:'],
    ['iso', '2024-05-20T10:05:03 Berlin'],
    ['iso', '2024-02-30'],
    ['iso', '1700000000'],
    ['clf', '20/Mai/2015:10:05:03 +0200'],
    ['clf', '20/May/2015:10:05:03'],
    ['clf', '20/May/2015:10:05:03 +0200 '],
    ['clf', '[20/May/2015:10:05:03 +0200'],
    ['clf', '[20/May/2015:10:05:03] +0200'],
    ['clf', '20/May/2015:25:05:03 +0200'],
    ['%Y-%m-%d', '2015-13-01'],
    ['%Y-%j', '2015-366'],
    ['%F %I %p', '2015-05-06 13 PM'],
    ['%F %Z', '2015-05-06 CEST'],
  ])('reads no time in format %s: %j', (format, text) => {
    expect(inFormat(text, format)).toBe('TIME_UNREADABLE' satisfies RecordClassName);
  });

  it.each<[string, string | undefined, string]>([
    ['%H:%M', undefined, 'the month and the day'],
    ['%Y-%m-%d %Q', undefined, 'a pattern of the conversions'],
    ['weekly', undefined, 'or a pattern such as'],
    ['iso', 'Mars/Olympus', 'the name of a time zone'],
    ['iso', '+25:00', 'the name of a time zone'],
    ['seconds', 'UTC', 'left out for the time format seconds'],
  ])('refuses format %s in zone %s', (format, zone, problem) => {
    expect(() => timeProgram(format, { zone })).toThrow(problem);
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kolkata'])(
    'reads local times of %s like the reference, around changes too',
    (zone) => {
      const pattern = '%Y-%m-%d %H:%M:%S';
      const settings = { ...tsv, timeProgram: timeProgram(pattern, { zone }) };
      const near = zoneParts(zone).flatMap(({ fromLocalSeconds }) =>
        [-7201, -3601, -1, 0, 1, 3599].map((by) => fromLocalSeconds + by),
      );
      const seconds = near.filter((local) => local > 86_400).filter((_, i) => i % 7 === 0);
      const texts = seconds.map((local) => new Date(local * 1000).toISOString().slice(0, 19).replace('T', ' '));
      const found = timesIn(texts.map((text) => `${text}\tk\n`).join(''), settings);
      expect(found).toEqual(texts.map((text) => referenceTime(text, pattern, { zone })));
    },
  );

  const numberText = (most: number) => fc.nat({ max: most }).map(String);
  const pieces: Readonly<Record<string, fc.Arbitrary<string>>> = {
    Y: fc.integer({ min: 1960, max: 2099 }).map(String),
    y: numberText(99).map((text) => text.padStart(2, '0')),
    m: numberText(13),
    b: fc.constantFrom('Jan', 'feb', 'MARCH', 'Sept', 'Dec', 'Mai'),
    d: numberText(32),
    j: numberText(367),
    H: numberText(24),
    I: numberText(13),
    p: fc.constantFrom('AM', 'pm', 'xm'),
    M: numberText(60),
    S: numberText(61),
    f: numberText(9999),
    z: fc.constantFrom('Z', '+0200', '-03:30', '+05', '+2400', '+1'),
    Z: fc.constantFrom('UTC', 'gmt', 'Z', 'CET'),
  };

  it.each(['%Y-%m-%d %H:%M:%S.%f', '%d/%b/%y:%H:%M %z', '%b %d %Y %I:%M %p', '%Y-%j %Z', '%y-%m-%d'])(
    'reads the pattern %s like the reference',
    (pattern) => {
      const letters = [...pattern.matchAll(/%(.)/g)].map(([, letter]) => letter as string);
      const texts = fc.tuple(...letters.map((letter) => pieces[letter] as fc.Arbitrary<string>)).map((parts) => {
        let next = 0;
        return pattern.replace(/%./g, () => parts[next++] as string);
      });
      fc.assert(
        fc.property(
          fc.oneof(
            texts,
            texts.map((text) => text.slice(0, -1)),
          ),
          (text) => {
            const expected = referenceTime(text, pattern) ?? ('TIME_UNREADABLE' satisfies RecordClassName);
            expect(inFormat(text, pattern), text).toBe(expected);
          },
        ),
        { numRuns: inLongForm(400, 100), seed: 13 },
      );
    },
  );

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
      { numRuns: inLongForm(300, 80), seed: 12 },
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
    expect(timesIn('a,5\r\na,"6"\r\na\r\n', { ...csv, columns: [0], times: [1] })).toEqual([
      5000,
      6000,
      'TIME_UNREADABLE',
    ]);
  });

  it('finds the time in tsv', () => {
    expect(timesIn('5\ta\n6\n', tsv)).toEqual([5000, 'KEY_MISSING']);
    expect(timesIn('a\t5\r\na\n', { ...tsv, columns: [0], times: [1] })).toEqual([5000, 'TIME_UNREADABLE']);
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
      expect(keysOf(text, { ...settings, times: [0] })).toEqual(keysOf(text, settings));
      expect([...host.kernel.times.subarray(0, 2)]).toEqual([5000, 6000]);
    }
    for (const paths of [[], [['t']], [['a'], ['t']]]) {
      const settings: ScanSettings = { ...common, format: 'ndjson', paths };
      const text = ' {"a":"x","t":5} \r\n{"t":6,"a":2}\n';
      expect(keysOf(text, { ...settings, times: [['t']] })).toEqual(keysOf(text, settings));
    }
  });

  it('finds the same times wherever the input is cut', () => {
    const text = '"5",a\r\n6,"b,""c"\n7\nx,d\n';
    const whole = timesIn(text, csv).map((time) => (typeof time === 'number' ? 0 : time));
    for (let cut = 1; cut < text.length; cut++) expect(timesIn(text, csv, [cut])).toEqual(whole);
  });
});
