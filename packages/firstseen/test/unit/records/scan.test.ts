// The scanner's classes and keys, case by case; random documents are in test/property/records.test.ts.

import { beforeAll, describe, expect, it } from 'vitest';
import { SCAN_FORMAT_FIELD } from '../../../src/kernel/abi.ts';
import { type RecordClassName, recordClasses } from '../../../src/records/classes.ts';
import { parseKeyPath } from '../../../src/records/keypath.ts';
import type { ScanSettings } from '../../../src/records/settings.ts';
import { referenceXxh64 } from '../../reference/xxh64.ts';
import { kernelVariants, ScanHost } from './scan-host.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const common = { fingerprint: 'xxh64', maxRecordBytes: 1000 } as const;

function className(code: number): string | undefined {
  return Object.entries(recordClasses).find(([, value]) => value.code === code)?.[0];
}

describe.each(kernelVariants)('the scanner of the %s kernel', (variant) => {
  let host: ScanHost;
  beforeAll(async () => {
    host = await ScanHost.create(variant, 1 << 16);
  });

  function classes(text: string, settings: ScanSettings) {
    return host.scan(bytes(text), settings).map((record) => className(record.class));
  }

  /** The class of one line of ndjson, or whether its key is `key`. */
  function jsonKey(line: string, path: string): string | bigint | undefined {
    const [record] = host.scan(bytes(line), { ...common, format: 'ndjson', paths: [parseKeyPath(path)] });
    return record?.class === 0 ? record.fingerprint : className(record?.class ?? -1);
  }

  it('traps for a number that is not a format', () => {
    const { kernel } = host;
    host.scan(bytes('a\n'), { ...common, format: 'tsv', columns: [0] });
    new DataView(kernel.scanSettings.buffer, kernel.scanSettings.byteOffset).setUint32(SCAN_FORMAT_FIELD, 0xffff, true);
    kernel.exports.scanConfigure();
    expect(() => kernel.exports.scan(kernel.regionOffset, kernel.regionOffset + 2, 1)).toThrow(
      WebAssembly.RuntimeError,
    );
  });

  describe('in ndjson', () => {
    it.each<[RecordClassName, string]>([
      ['NOT_AN_OBJECT', '[1]'],
      ['NOT_AN_OBJECT', '"a"'],
      ['BLANK', '   '],
      ['NOT_AN_OBJECT', 'null'],
      ['UNTERMINATED_STRING', '{"a'],
      ['UNTERMINATED_STRING', '{"b":"x,a:1}'],
      ['UNTERMINATED_STRING', '{"a":"x}'],
      ['UNTERMINATED_STRING', '{"a":"x\\"}'],
      ['UNTERMINATED_STRING', '{"b":["x],a:1}'],
      ['BAD_STRUCTURE', '{'],
      ['BAD_STRUCTURE', '{a:1}'],
      ['BAD_STRUCTURE', '{"a"}'],
      ['BAD_STRUCTURE', '{"a" 1}'],
      ['BAD_STRUCTURE', '{"a":}'],
      ['BAD_STRUCTURE', '{"a":1'],
      ['BAD_STRUCTURE', '{"a":1 2}'],
      ['BAD_STRUCTURE', '{"a":[1,2}'],
      ['BAD_STRUCTURE', '{"b":1,}'],
      ['BAD_STRUCTURE', '{"b":1;"a":2}'],
      ['BAD_STRUCTURE', '{"a":1]'],
      ['BAD_STRUCTURE', '{"a":1,"b":[2}'],
      ['BAD_STRUCTURE', '{"a":1,\\"b":2}'],
      ['BAD_STRUCTURE', '{"a":1,"b":{"a":6}'],
      ['BAD_STRUCTURE', '{"a":1,"b":2{"a":6}'],
      ['TEXT_AFTER_OBJECT', '{"a":1} trailing'],
      ['TEXT_AFTER_OBJECT', '{"b":1} trailing'],
      ['TEXT_AFTER_OBJECT', '{"a":1},{"a":2}'],
      ['TEXT_AFTER_OBJECT', '{"a":1} trailing }'],
      ['TEXT_AFTER_OBJECT', '{"a":{"b":1}}}'],
      ['TEXT_AFTER_OBJECT', '{"a":1}[{"a":2}]'],
      ['UNTERMINATED_STRING', '{"a":1,"b":"cut sho'],
      ['UNTERMINATED_STRING', '{"a":5,"b":"trunc{"a":6}'],
      ['BAD_ESCAPE', '{"a":"\\x"}'],
      ['BAD_ESCAPE', '{"a":"\\u12g4"}'],
      ['BAD_ESCAPE', '{"a":"\\u12"}'],
      ['BAD_ESCAPE', '{"\\q":1}'],
      ['KEY_MISSING', '{}'],
      ['KEY_MISSING', '{"b":1}'],
      ['KEY_MISSING', '{"b":{"a":1}}'],
      ['KEY_MISSING', '{"A":1}'],
      ['KEY_MISSING', '{"aa":1}'],
    ])('finds %s in %s', (expected, line) => {
      expect(jsonKey(line, 'a')).toBe(expected);
    });

    it.each<[RecordClassName, string]>([
      ['KEYED', '{"a":1} '],
      ['KEYED', 'no object'],
      ['KEYED', '[1] trailing'],
      ['TEXT_AFTER_OBJECT', '{"a":1},{"a":2}'],
      ['UNTERMINATED_STRING', '{"a":5,"b":"trunc{"a":6}'],
      ['BAD_STRUCTURE', '{"a":1,"b":{"a":6}'],
    ])('finds %s in %s without a key', (expected, line) => {
      expect(classes(line, { ...common, format: 'ndjson' })).toEqual([expected]);
    });

    it.each([
      ['{"a":1}', 'a', '1'],
      ['  {  "a"  :  1  }  ', 'a', '1'],
      ['{"a":"1"}', 'a', '"1"'],
      ['{"a":null}', 'a', 'null'],
      ['{"a":1,"a":2}', 'a', '1'],
      ['{"a":{"b": [1]}}', 'a', '{"b": [1]}'],
      ['{"a":"\\u0061\\"\\ud83d\\ude00"}', 'a', '"a"😀"'],
      ['{"user":{"name":"x","id":7}}', 'user.id', '7'],
      ['{"items":[{"sku":"p"},{"sku":"q"}]}', 'items[1].sku', '"q"'],
      ['{"odd.key":true}', '["odd.key"]', 'true'],
      ['{"\\u0061":5}', 'a', '5'],
    ])('takes from %s at %s the key %s', (line, path, key) => {
      expect(jsonKey(line, path)).toBe(referenceXxh64(bytes(key), 0n));
    });

    it.each([
      ['{"a":1}', 'a.b'],
      ['{"a":"b"}', 'a[0]'],
      ['{"a":[1]}', 'a.b'],
      ['{"a":{"0":1}}', 'a[0]'],
      ['{"a":[]}', 'a[0]'],
      ['{"a":[1,2]}', 'a[2]'],
      ['{"a":{},"a":{"b":1}}', 'a.b'],
    ])('finds nothing in %s at %s', (line, path) => {
      expect(jsonKey(line, path)).toBe('KEY_MISSING');
    });

    it('encodes a lone surrogate in three bytes', () => {
      const [record] = host.scan(bytes('{"a":"\\ud83d"}'), { ...common, format: 'ndjson', paths: [['a']] });
      expect(record?.fingerprint).toBe(referenceXxh64(Uint8Array.of(0x22, 0xed, 0xa0, 0xbd, 0x22), 0n));
    });

    it('follows deep nesting without recursion', () => {
      const nested = `${'['.repeat(20_000)}1${']'.repeat(20_000)}`;
      const settings = { ...common, maxRecordBytes: 50_000, format: 'ndjson', paths: [['a']] } as const;
      expect(host.scan(bytes(`{"b":${nested},"a":1}`), settings)[0]?.fingerprint).toBe(referenceXxh64(bytes('1'), 0n));
    });
  });

  it('combines several parts into one key; moving bytes between parts gives another key', () => {
    const settings = { ...common, format: 'csv', columns: [0, 1] } as const;
    const records = host.scan(bytes('ab,c\na,bc\n"ab",c\n'), settings);
    expect(records[0]?.fingerprint).not.toBe(records[1]?.fingerprint);
    expect(records[0]?.fingerprint).toBe(records[2]?.fingerprint);
    const key = Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0x61, 0x62, 1, 0, 0, 0, 0, 0, 0, 0, 0x63);
    expect(records[0]?.fingerprint).toBe(referenceXxh64(key, 0n));
  });

  it('keeps the order in which the parts were given', () => {
    const settings = { ...common, format: 'csv', columns: [1, 0] } as const;
    const [swapped] = host.scan(bytes('c,ab\n'), settings);
    const [straight] = host.scan(bytes('ab,c\n'), { ...settings, columns: [0, 1] });
    expect(swapped?.fingerprint).toBe(straight?.fingerprint);
  });

  it('compares csv fields by content, however they are quoted', () => {
    const records = host.scan(bytes('x,"a ""b"", c"\r\nx,"a ""b"", c",y\ny,a\ny,"a"\n'), {
      ...common,
      format: 'csv',
      columns: [1],
    });
    expect(records.map((record) => record.fingerprint)).toEqual(
      ['a "b", c', 'a "b", c', 'a', 'a'].map((key) => referenceXxh64(bytes(key), 0n)),
    );
  });

  it('reports what is wrong with csv rows, and continues with the next', () => {
    const text = 'a,"b"c\r\n\r\nx\n1,2\n"q\nr",s\n0,""\r\n5,"open\n';
    expect(classes(text, { ...common, format: 'csv', columns: [1] })).toEqual([
      'TEXT_AFTER_QUOTE',
      'BLANK',
      'KEY_MISSING',
      'KEYED',
      'KEYED',
      'KEYED',
      'UNTERMINATED_QUOTE',
    ]);
  });

  it('accepts integers as text for identity, and refuses everything else', () => {
    const records = host.scan(bytes('12\n012\nx\n'), { ...common, format: 'lines', fingerprint: 'identity' });
    expect(records.map((record) => className(record.class))).toEqual(['KEYED', 'KEYED', 'NOT_AN_INTEGER']);
    expect(records.slice(0, 2).map((record) => record.fingerprint)).toEqual([12n, 12n]);
  });

  it('finds records longer than allowed, without counting terminators', () => {
    expect(classes('1234\n12345\n1234', { ...common, maxRecordBytes: 4, format: 'lines' })).toEqual([
      'KEYED',
      'TOO_LONG',
      'KEYED',
    ]);
    expect(classes('1234\r\n12345\r\n', { ...common, maxRecordBytes: 4, format: 'csv' })).toEqual([
      'KEYED',
      'TOO_LONG',
    ]);
  });

  it('finds a truncated integer', () => {
    expect(classes('12345678123', { ...common, format: 'u64' })).toEqual(['KEYED', 'TRUNCATED']);
  });

  it('treats empty lines as records only in format lines', () => {
    expect(classes('\n\n', { ...common, format: 'lines' })).toEqual(['KEYED', 'KEYED']);
    for (const format of ['ndjson', 'csv', 'tsv'] as const) {
      expect(classes('\n\r\n', { ...common, format })).toEqual(['BLANK', 'BLANK']);
    }
  });

  it('leaves an incomplete record until the input is final', () => {
    const { kernel } = host;
    host.scan(bytes('ab\ncd'), { ...common, format: 'lines' });
    const base = kernel.regionOffset;
    kernel.bytes.set(bytes('ab\ncd'), base);
    expect(kernel.exports.scan(base, base + 5, 0)).toBe(1);
    expect(kernel.exports.scanPosition()).toBe(base + 3);
    expect(kernel.exports.scan(base + 3, base + 5, 1)).toBe(1);
    expect(kernel.exports.scanPosition()).toBe(base + 5);
  });

  it('works at addresses above 2 GiB', async () => {
    const high = await ScanHost.create(variant, 1 << 16, { cellsBytes: 2 ** 31 });
    const text = bytes('{"a":"x\\n"}\n{"b":[1,{"c":"]"}],"a":22}\r\n{"a":3');
    for (const settings of [
      { ...common, format: 'lines' },
      { ...common, format: 'ndjson', paths: [['a']] },
      { ...common, format: 'csv', columns: [1, 0] },
      { ...common, format: 'tsv', columns: [0] },
    ] as const) {
      const strip = (scanHost: ScanHost) =>
        scanHost.scan(text, settings).map((record) => ({ ...record, fingerprint: record.class || record.fingerprint }));
      expect(strip(high)).toEqual(strip(host));
    }
  });
});
