// A stream of WARC gives the bytes that the reference gives, wherever its chunks are cut, also if records are longer than allowed.

import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunCounts } from '../../src/framing/counts.js';
import { dedupBytesTransform } from '../../src/node.js';
import { recordClass, recordClasses } from '../../src/records/classes.js';
import { comparedTypes } from '../../src/records/warc.js';
import type { DedupBytesOptions } from '../../src/streams/bytes.js';
import { referenceRecords } from '../reference/framing.js';
import { binaryBytes, binaryString } from '../reference/framing-json.js';
import { warcFrames } from '../reference/framing-warc.js';
import { inLongForm, sampleNote, sampleUpTo } from '../support/form.js';
import { randomFrom } from '../support/random.js';
import { conversionRecord, infoRecord, responseRecord, warcDocument } from '../support/warc.js';

/** The cuts of a document in the short form. */
const SAMPLED_CUTS = 24;

type Asked = Pick<DedupBytesOptions, 'keys' | 'maxRecordBytes' | 'onError'>;

/** The outcome of a stream: what it passed, the message of its error and its counts. */
interface Outcome {
  output: string;
  error: string | undefined;
  counts: Partial<RunCounts> | undefined;
}

async function ofStream(chunks: Uint8Array[], asked: Asked): Promise<Outcome> {
  let counts: RunCounts | undefined;
  const options: DedupBytesOptions = {
    ...{ ...asked, format: 'warc', algorithm: 'exact', memory: 65536, missingKey: 'drop' },
    onEnd: (found) => {
      counts = found;
    },
  };
  const stream = Readable.from(chunks).pipe(dedupBytesTransform(options));
  let output = '';
  try {
    for await (const part of stream) output += binaryString(part);
  } catch (thrown) {
    return { output, error: (thrown as Error).message, counts: undefined };
  }
  return { output, error: undefined, counts };
}

/** Whether the reference drops a record by a wrong length, and with it perhaps others. */
function losesRecords(bytes: Uint8Array, { maxRecordBytes = 0, onError }: Asked): boolean {
  return onError === 'drop' && warcFrames(bytes, maxRecordBytes).some(({ isLost }) => isLost);
}

/** What the reference passes if invalid records are passed or dropped. */
function ofReference(bytes: Uint8Array, { keys = [], maxRecordBytes = 0, onError }: Asked): string {
  const paths = keys.map((key) => [key === 'payload' ? 1 : `warc-target-${key.replace('url', 'uri')}`]);
  const settings = { fingerprint: 'xxh64', maxRecordBytes, paths, types: comparedTypes } as const;
  const seen = new Set<string>();
  const passes = ({ class: code, key }: ReturnType<typeof referenceRecords>[number]) => {
    const found = recordClass(code);
    if (found === recordClasses.BLANK || found === recordClasses.NOT_COMPARED) return true;
    if (found === recordClasses.KEY_MISSING) return false;
    if (found === recordClasses.KEY_EMPTY) return true;
    if (found !== recordClasses.KEYED) return onError === 'pass';
    const text = binaryString(key as Uint8Array);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  };
  return referenceRecords(bytes, { ...settings, format: 'warc', findsEmptyKeys: keys.length > 0 })
    .filter(passes)
    .map(({ start, end }) => binaryString(bytes.subarray(start, end)))
    .join('');
}

/** The chunks of bytes that are cut at these places, which are fractions. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.slice(i === 0 ? 0 : ends[i - 1], end));
}

const asked = fc.record({
  keys: fc.constantFrom([], ['url'], ['payload', 'url']),
  maxRecordBytes: fc.constantFrom(20, 60, 100, 150, 1000),
  onError: fc.constantFrom('pass', 'drop' as const),
}) as fc.Arbitrary<Asked>;

const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

describe(`a stream of WARC${sampleNote}`, () => {
  test('passes what the reference passes', async () => {
    const property = fc.asyncProperty(warcDocument, asked, places, async (text, options, where) => {
      const bytes = binaryBytes(text);
      const found = await ofStream(cut(bytes, where), options);
      if (losesRecords(bytes, options)) {
        expect(found.error).toMatch(/the Content-Length of the record is wrong/);
        expect(found.error).toBe((await ofStream([bytes], options)).error);
        return;
      }
      expect(found.error).toBeUndefined();
      expect(found.output).toBe(ofReference(bytes, options));
      expect(found.counts?.bytesIn).toBe(bytes.length);
    });
    await fc.assert(property, { numRuns: inLongForm(1000, 30), seed: 7 });
  });

  test('ends with the same error', async () => {
    const property = fc.asyncProperty(warcDocument, asked, places, async (text, options, where) => {
      const bytes = binaryBytes(text);
      const failing = { ...options, onError: 'fail' } as const;
      const whole = await ofStream([bytes], failing);
      const found = await ofStream(cut(bytes, where), failing);
      expect(found.error).toBe(whole.error);
      if (whole.error === undefined) expect(found.output).toBe(whole.output);
    });
    await fc.assert(property, { numRuns: inLongForm(300, 15), seed: 8 });
  });

  const long = responseRecord('http://a.example/long', 'WARC/1.0\r\n\r\n'.repeat(7));
  const before = [
    ...[infoRecord(), conversionRecord('http://a.example/', 'a\r\n\r\nWARC/1.0\r\n'), 'junk\r\n\r\n', long],
    conversionRecord('http://b.example/', 'a\r\n\r\nWARC/1.0\r\n'),
  ].join('');
  const after = conversionRecord('http://c.example/', '');
  const text = `${before}${long}${after}`;
  /** The length of the second long record ends inside the record after it. */
  const wrongText = `${before}${long.replace('Length: 1', 'Length: 2')}${after}`;

  test.each(['pass', 'drop'] as const)('that is cut at any byte, with invalid records that %s', async (onError) => {
    const bytes = binaryBytes(onError === 'pass' ? wrongText : text);
    const options = { maxRecordBytes: 300, onError };
    const expected = ofReference(bytes, options);
    const each = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect((await ofStream(each, options)).output).toBe(expected);
    for (const at of sampleUpTo(bytes.length, SAMPLED_CUTS)) {
      expect((await ofStream([bytes.slice(0, at), bytes.slice(at)], options)).output, `cut at ${at}`).toBe(expected);
    }
  });

  test('ends with the same error where a wrong length leads into another record, cut at any byte', async () => {
    const bytes = binaryBytes(wrongText);
    const options = { maxRecordBytes: 300, onError: 'drop' } as const;
    for (const at of sampleUpTo(bytes.length, SAMPLED_CUTS)) {
      const { error } = await ofStream([bytes.slice(0, at), bytes.slice(at)], options);
      expect(error, `cut at ${at}`).toMatch(
        /record 6 at byte \d+: the Content-Length of the record is wrong, because no/,
      );
    }
  });

  test('of many pages is the same for random cuts', async () => {
    const random = randomFrom(3);
    const addresses = inLongForm(150, 30);
    const pages = Array.from({ length: inLongForm(400, 75) }, (_, i) => {
      const body = 'text '.repeat(Math.floor(random() * 2000)) + Math.floor(random() * 300);
      return responseRecord(`http://${i % addresses}.example/`, body, `${i}`);
    });
    const bytes = binaryBytes(infoRecord() + pages.join(''));
    for (const keys of [['url'], ['payload'], []]) {
      const options = { keys, maxRecordBytes: 5000, onError: 'drop' } as const;
      const expected = ofReference(bytes, options);
      const where = Array.from({ length: 100 }, random);
      expect((await ofStream(cut(bytes, where), options)).output === expected).toBe(true);
    }
  });
});
