// Times in several fields, whose texts a blank joins.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RecordClassName } from '../../../src/records/classes.ts';
import type { ScanSettings } from '../../../src/records/settings.ts';
import { timeProgram } from '../../../src/records/timeformat.ts';
import { referenceTime } from '../../reference/times.ts';
import { inLongForm } from '../../support/form.js';
import { kernelVariants, ScanHost } from './scan-host.ts';
import { timesIn } from './scanned-times.ts';

const common = { fingerprint: 'xxh64', maxRecordBytes: 2000, timeProgram: timeProgram('iso') } as const;
const csv: ScanSettings = { ...common, format: 'csv', columns: [1], times: [2, 0] };
const tsv: ScanSettings = { ...csv, format: 'tsv' };
const fields: ScanSettings = { ...common, format: 'fields', columns: [1], times: [2, 0] };
const ndjson: ScanSettings = { ...common, format: 'ndjson', paths: [['k']], times: [['d'], ['at', 't']] };
const logfmt: ScanSettings = { ...common, format: 'logfmt', paths: [['k']], times: [['d'], ['t']] };
const warc: ScanSettings = { ...common, format: 'warc', paths: [['k']], times: [['d'], ['t']] };

const noTime: RecordClassName = 'TIME_UNREADABLE';
const noKey: RecordClassName = 'KEY_MISSING';
const ten = Date.UTC(2024, 4, 1, 10);

/** A record of a web archive with these fields in its header. */
function warcRecord(...lines: string[]): string {
  return `WARC/1.0\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n\r\n\r\n`;
}

describe.each(kernelVariants)('the scanner of the %s kernel', (variant) => {
  let host: ScanHost;
  beforeAll(async () => {
    host = await ScanHost.create(variant, 1 << 14);
  });

  it('finds a date and a time of day in csv, in quotes or not', () => {
    const text =
      '10:00:00,a,2024-05-01\r\n"10:00:00",a,"2024-05-01"\n,a,2024-05-01\n10:00:00,a\n10:00:00\n10:00:00,a,""\n';
    expect(timesIn(host, text, csv)).toEqual([ten, ten, noTime, noTime, noKey, noTime]);
  });

  it('finds them in tsv and between blanks', () => {
    expect(timesIn(host, '10:00:00\ta\t2024-05-01\n\ta\t2024-05-01\n10:00:00\ta\n', tsv)).toEqual([
      ten,
      noTime,
      noTime,
    ]);
    const text = '10:00:00 a 2024-05-01 x y\n 10:00:00\t a  2024-05-01\n10:00:00 a\n10:00:00\n';
    expect(timesIn(host, text, fields)).toEqual([ten, ten, noTime, noKey]);
    expect(timesIn(host, '10:00:00 a 2024-05-01 x\n', { ...fields, timeProgram: timeProgram('%F %T x') })).toEqual([
      noTime,
    ]);
  });

  it('finds them in ndjson, with escapes or not', () => {
    const long = `"2024-05-01${'\\u0020'.repeat(30)}"`;
    const lines = [
      '{"k":1,"d":"2024-05-01","at":{"t":"10:00:00"}}',
      '{"at":{"t":"10:00\\u003a00"},"k":1,"d":"2024\\u002d05-01"}',
      '{"k":1,"d":"2024-05-01"}',
      '{"k":1,"d":"2024-05-01","at":{"t":null}}',
      '{"k":1,"d":null,"at":{"t":"10:00:00"}}',
      '{"d":"2024-05-01","at":{"t":"10:00:00"}}',
      `{"k":1,"d":${long},"at":{"t":"${'\\u0031'.repeat(20)}"}}`,
      '{"k":1,"d":"2024-05-01","at":{"t":"10:00:0\\u00"}}',
    ];
    expect(timesIn(host, `${lines.join('\n')}\n`, ndjson)).toEqual([
      ...[ten, ten, noTime, noTime, noTime, noKey, noTime],
      'BAD_ESCAPE' satisfies RecordClassName,
    ]);
  });

  it('finds them in logfmt and warc', () => {
    const lines = 'd=2024-05-01 k=1 t=10:00:00\nt="10:00:00" d="2024-05-01" k=1\nk=1 d=2024-05-01\nd=2024-05-01 t=1\n';
    expect(timesIn(host, lines, logfmt)).toEqual([ten, ten, noTime, noKey]);
    const records = warcRecord('k: 1', 'd: 2024-05-01', 't: 10:00:00') + warcRecord('k: 1', 'd: 2024-05-01');
    expect(timesIn(host, records, warc)).toEqual([ten, noTime]);
  });

  it('takes the text of a time up to a limit', () => {
    const program = timeProgram('%Y-%m-%d %H:%M:%S.%f');
    const at = (digits: number) => `{"k":1,"d":"2024-05-01","at":{"t":"10:00:00.${'0'.repeat(digits)}"}}\n`;
    const settings = { ...ndjson, timeProgram: program };
    expect(timesIn(host, at(236) + at(237), settings)).toEqual([ten, noTime]);
  });

  it('takes four fields, one of them twice and one that is the key', () => {
    const settings = { ...csv, times: [0, 1, 2, 0], timeProgram: timeProgram('%Y %m %d %y%y') };
    expect(timesIn(host, '2024,5,1\n', settings)).toEqual([Date.UTC(2024, 4, 1)]);
  });

  const days = fc.constantFrom('2024-05-01', '2023-02-29', '1970-01-01', '2024-5-1', '', 'x');
  const hours = fc.constantFrom('10:00:00', '23:59:60', '24:00:00', '1:2:3', '', 'null');

  it('reads what the reference reads in the joined text', () => {
    const pattern = '%Y-%m-%d %H:%M:%S';
    const settings = { ...tsv, timeProgram: timeProgram(pattern) };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(days, hours), { minLength: 1, maxLength: 8 }),
        fc.nat({ max: 400 }),
        (rows, cut) => {
          const text = rows.map(([day, hour]) => `${hour}\tk\t${day}\n`).join('');
          const expected = rows.map(([day, hour]) => referenceTime(`${day} ${hour}`, pattern) ?? noTime);
          expect(timesIn(host, text, settings)).toEqual(expected);
          expect(timesIn(host, text, settings, [Math.min(cut, text.length)])).toEqual(
            expected.map((time) => (typeof time === 'number' ? 0 : time)),
          );
        },
      ),
      { numRuns: inLongForm(500, 100), seed: 32 },
    );
  });
});
