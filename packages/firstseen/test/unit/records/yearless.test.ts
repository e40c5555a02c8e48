// Times without a year: the year is that in which the time is the latest that is not ahead.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RecordClassName } from '../../../src/records/classes.ts';
import type { ScanSettings } from '../../../src/records/settings.ts';
import { type TimeContext, timeProgram } from '../../../src/records/timeformat.ts';
import { referenceTime } from '../../reference/times.ts';
import { inLongForm } from '../../support/form.js';
import { kernelVariants, ScanHost } from './scan-host.ts';
import { timesIn } from './scanned-times.ts';

const SYSLOG = '%b %e %H:%M:%S';
const tsv: ScanSettings = { fingerprint: 'xxh64', maxRecordBytes: 1000, format: 'tsv', columns: [1], times: [0] };
const unreadable: RecordClassName = 'TIME_UNREADABLE';
const ahead: RecordClassName = 'TIME_AHEAD';

describe.each(kernelVariants)('the scanner of the %s kernel', (variant) => {
  let host: ScanHost;
  beforeAll(async () => {
    host = await ScanHost.create(variant, 1 << 14);
  });

  /** The times of texts, read when the latest valid time is `latest`. */
  function timesAt(latest: number, texts: readonly string[], pattern = SYSLOG, context: TimeContext = {}) {
    host.kernel.exports.scanTimesUntil(latest);
    const settings = { ...tsv, timeProgram: timeProgram(pattern, context) };
    return timesIn(host, texts.map((text) => `${text}\tk\n`).join(''), settings);
  }

  const newYear = Date.UTC(2026, 0, 1);

  it.each<[string, number, string, number | string]>([
    ['the last second', newYear, 'Dec 31 23:59:59', newYear - 1000],
    ['the latest valid time', newYear, 'Jan  1 00:00:00', newYear],
    ['a time that is ahead by a second', newYear, 'Jan  1 00:00:01', ahead],
    ['a time that is ahead by a day', newYear, 'Jan  2 00:00:00', ahead],
    ['a time that is ahead by more than a day', newYear, 'Jan  2 00:00:01', Date.UTC(2025, 0, 2, 0, 0, 1)],
    ['a leap day in a leap year', Date.UTC(2024, 1, 29, 12), 'Feb 29 11:00:00', Date.UTC(2024, 1, 29, 11)],
    ['a leap day of the last year', Date.UTC(2025, 1, 27), 'Feb 29 11:00:00', Date.UTC(2024, 1, 29, 11)],
    ['a leap day that was not in the last year', Date.UTC(2025, 5, 1), 'Feb 29 11:00:00', unreadable],
    ['a leap day that the year 2100 has not', Date.UTC(2100, 5, 1), 'Feb 29 11:00:00', unreadable],
    ['the day after no leap day', Date.UTC(2027, 5, 1), 'Mar  1 00:00:00', Date.UTC(2027, 2, 1)],
    ['a day before a leap day', Date.UTC(2024, 1, 29, 12), 'Mar  2 00:00:00', Date.UTC(2023, 2, 2)],
    ['a day of a year ago', Date.UTC(1972, 11, 30, 20), 'Dec 31 23:00:00', Date.UTC(1971, 11, 31, 23)],
    ['a day of no year', newYear, 'Feb 30 00:00:00', unreadable],
    ['a time before 1970', Date.UTC(1970, 2, 1), 'Dec 31 00:00:00', unreadable],
  ])('reads %s', (_, latest, text, expected) => {
    expect(timesAt(latest, [text])).toEqual([expected]);
  });

  it('reads a log that goes on in the next year', () => {
    const texts = ['Dec 31 23:59:59', 'Jan  1 00:00:00', 'Dec 31 23:59:58', 'Mar  1 00:00:00'];
    const expected = [newYear - 1000, newYear, newYear - 2000, Date.UTC(2026, 2, 1)];
    expect(timesAt(Date.UTC(2026, 2, 2), texts)).toEqual(expected);
    expect(timesAt(Date.UTC(2050, 2, 2), texts, SYSLOG, { until: '2026-03-01' })).toEqual(expected);
  });

  it.each<[string, string | undefined, number]>([
    ['2015', undefined, Date.UTC(2015, 11, 31, 23, 59, 59)],
    ['2015-12', undefined, Date.UTC(2015, 11, 31, 23, 59, 59)],
    ['2015-12-30', undefined, Date.UTC(2014, 11, 31, 23, 59, 59)],
    ['2015', 'America/New_York', Date.UTC(2016, 0, 1, 4, 59, 59)],
    ['2016', '+02:00', Date.UTC(2016, 11, 31, 21, 59, 59)],
    // A year that is not over yet.
    ['2030', undefined, Date.UTC(2029, 11, 31, 23, 59, 59)],
  ])('reads times until %s in zone %s', (until, zone, expected) => {
    expect(timesAt(Date.UTC(2030, 6, 1), ['Dec 31 23:59:59'], SYSLOG, { until, zone })).toEqual([expected]);
  });

  it('takes days of the year and offsets without a year', () => {
    const latest = Date.UTC(2026, 6, 1);
    expect(timesAt(latest, ['365 10', '60 10'], '%j %H')).toEqual([
      Date.UTC(2025, 11, 31, 10),
      Date.UTC(2026, 2, 1, 10),
    ]);
    expect(timesAt(newYear, ['01/01 05:00 +0600'], '%m/%d %H:%M %z')).toEqual([newYear - 3_600_000]);
  });

  it('reads no year in a date of ISO 8601 that has too few digits', () => {
    expect(timesAt(newYear, ['202-05-06', '-05-06'], 'iso')).toEqual([unreadable, unreadable]);
  });

  const texts = fc
    .tuple(
      fc.constantFrom('Jan', 'Feb', 'feb', 'Mar', 'Jun', 'Dec', 'Mai'),
      fc.constantFrom(1, 2, 28, 29, 30, 31, 32),
      fc.nat({ max: 24 }),
      fc.nat({ max: 60 }),
    )
    .map(([month, day, hour, minute]) => `${month} ${day} ${hour}:${minute}`);
  const moments = fc.oneof(
    fc.date({ min: new Date('1971-01-01'), max: new Date('2095-01-01'), noInvalidDate: true }),
    fc
      .tuple(fc.integer({ min: 1972, max: 2095 }), fc.integer({ min: -40, max: 40 }))
      .map(([year, hours]) => new Date(Date.UTC(year, 0, 1, hours))),
  );
  const untils = fc.option(
    fc.tuple(
      fc.integer({ min: 1972, max: 2095 }),
      fc.constantFrom('', '-01', '-02', '-12', '-01-01', '-02-28', '-12-31'),
    ),
    { nil: undefined },
  );

  it('reads texts like the reference', () => {
    fc.assert(
      fc.property(
        texts,
        moments,
        untils,
        fc.constantFrom('UTC', 'Pacific/Kiritimati', 'America/New_York'),
        (text, moment, last, zone) => {
          const until = last?.join('');
          const latest = moment.getTime();
          const expected = referenceTime(text, '%b %d %H:%M', { zone, latest, until }) ?? unreadable;
          const shown = typeof expected === 'number' && expected > latest ? ahead : expected;
          expect(timesAt(latest, [text], '%b %d %H:%M', { zone, until })).toEqual([shown]);
        },
      ),
      { numRuns: inLongForm(1000, 40), seed: 31 },
    );
  });

  it('finds the same wherever the input is cut', () => {
    const text = 'Dec 31 23:59:59\tk\nJan  1 00:00:01\tk\nFeb 30 00:00:01\tk\n';
    const settings = { ...tsv, timeProgram: timeProgram(SYSLOG) };
    host.kernel.exports.scanTimesUntil(newYear);
    for (let cut = 1; cut < text.length; cut++) {
      expect(timesIn(host, text, settings, [cut])).toEqual([0, ahead, unreadable]);
    }
  });
});

describe('the program of a format', () => {
  it.each<[string, TimeContext, string]>([
    [SYSLOG, { until: '15' }, 'a year, a month or a day since 1970'],
    [SYSLOG, { until: '2015-02-29' }, 'a year, a month or a day since 1970'],
    [SYSLOG, { until: '2015-00' }, 'a year, a month or a day since 1970'],
    [SYSLOG, { until: 'soon' }, 'a year, a month or a day since 1970'],
    [SYSLOG, { until: '2015-13' }, 'a year, a month or a day since 1970'],
    [SYSLOG, { until: '1969' }, 'a year, a month or a day since 1970'],
    [SYSLOG, { until: '2106' }, 'a year, a month or a day since 1970'],
    [SYSLOG, { until: '2015-03-29T10:00:00Z' }, 'a year, a month or a day since 1970'],
    ['auto', { until: '2015' }, 'left out for the time format auto, whose times have a year'],
    ['clf', { until: '2015' }, 'left out for the time format clf'],
    ['%s', { until: '2015' }, 'left out for the time format %s'],
    ['%b %H', {}, 'the month and the day'],
    ['%d %H', {}, 'the month and the day'],
    ['%Y %m', {}, 'the month and the day'],
  ])('is refused for %s with %j', (format, context, problem) => {
    expect(() => timeProgram(format, context)).toThrow(problem);
  });
});
