import { describe, expect, test } from 'vitest';
import { LongRecord, RecordEnd } from '../../../src/framing/longrecord.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { decisions } from '../../../src/records/classes.js';
import type { FormatName } from '../../../src/records/formats.js';
import { configureScan } from '../../../src/records/settings.js';
import { kernelModules } from '../../support/kernels.js';

async function kernelWith(text: string) {
  const kernel = await Kernel.create({ cellsBytes: 64, regionBytes: 1024, module: kernelModules.release });
  const start = kernel.regionOffset;
  kernel.bytes.set(Buffer.from(text), start);
  return { kernel, start };
}

describe('the end of a record', () => {
  test.each<[FormatName, string, number | undefined]>([
    ['lines', 'ab\ncd\n', 3],
    ['lines', 'abcd', undefined],
    ['nul', 'a\nb\0cd', 4],
    ['nul', 'ab\n', undefined],
    ['csv', 'a,"b\nc"\nd', 8],
    ['csv', 'a,"b\nc', undefined],
    ['tsv', 'a\t"b\nc', 5],
    ['ndjson', '{"a":"}{\\""}\n{}', 13],
    ['ndjson', '{"a":{}} {}\n', 9],
    ['ndjson', 'x {} {}\n{}', 8],
    ['ndjson', '{"a":"\n{}', 7],
    ['ndjson', '{} ', undefined],
  ])('of %s is found in %j at every cut', async (format, text, expected) => {
    const { kernel, start } = await kernelWith(text);
    configureScan(kernel, { format, fingerprint: 'xxh64', maxRecordBytes: 64 }, { offset: start + 512, bytes: 512 });
    for (let cut = 0; cut <= text.length; cut++) {
      const end = new RecordEnd(kernel, format);
      end.begin();
      const found = end.find(start, start + cut) ?? end.find(start + cut, start + text.length);
      expect(found === undefined ? undefined : found - start).toBe(expected);
    }
  });
});

describe('a long record', () => {
  test('is open until its end, and counts the bytes and lines that were read', async () => {
    const { kernel, start } = await kernelWith('aaaa\nb');
    const record = new LongRecord(new RecordEnd(kernel, 'lines'));
    expect(record.isOpen).toBe(false);
    record.begin(decisions.PASSED);
    expect(record.findEnd(start, start + 2, false)).toBe(start + 2);
    record.count(2, 0);
    expect([record.isOpen, record.takenBytes, record.takenLines]).toEqual([true, 2, 0]);
    expect(record.findEnd(start + 2, start + 6, false)).toBe(start + 5);
    expect(record.isOpen).toBe(false);
    record.begin(decisions.DROPPED);
    expect(record.takenBytes).toBe(0);
  });

  test('ends at the end of its input', async () => {
    const { kernel, start } = await kernelWith('aaaa');
    const record = new LongRecord(new RecordEnd(kernel, 'lines'));
    record.begin(decisions.PASSED);
    expect(record.findEnd(start, start + 4, true)).toBe(start + 4);
    expect(record.isOpen).toBe(false);
  });
});
