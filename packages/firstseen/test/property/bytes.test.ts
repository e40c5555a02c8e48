// Streams of bytes give the bytes of the command, wherever their chunks are cut.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dedupBytesTransform, runFiles } from '../../src/node.js';
import type { DedupBytesOptions } from '../../src/streams/bytes.js';
import { dedupBytes } from '../../src/streams/bytes.js';
import { temporaryFolder } from '../cli/support/command.js';
import { inLongForm } from '../support/form.js';

type Format = 'lines' | 'ndjson' | 'csv' | 'tsv' | 'u64';

/** The chunks of bytes that are cut at these places, which are fractions. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => Math.floor(place * bytes.length)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.slice(i === 0 ? 0 : ends[i - 1], end));
}

interface Outcome {
  output: string;
  error: string | undefined;
}

/** Only the command has a file to name. */
const withoutName = (message: string) =>
  message.replace(/^.*?, (line|record) /, '$1 ').replace(/(jq -c '\.\[\]').*$/, '$1');

async function ofCommand(bytes: Uint8Array, options: DedupBytesOptions): Promise<Outcome> {
  const { onEnd: _onEnd, highWaterMark: _highWaterMark, detector: _detector, ...others } = options;
  const folder = temporaryFolder();
  const [input, output] = ['in', 'out'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(input, bytes);
  writeFileSync(output, '');
  const detector = { algorithm: 'exact' as const, memory: 65536, witness: false };
  const { algorithm: _algorithm, memory: _memory, ...asked } = others;
  let error: string | undefined;
  await runFiles({ ...asked, inputs: [input], output, detector } as Parameters<typeof runFiles>[0]).catch(
    (thrown) => (error = withoutName(thrown.message)),
  );
  return { output: readFileSync(output, 'latin1'), error };
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Outcome> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of stream) parts.push(part);
  } catch (thrown) {
    return { output: '', error: withoutName((thrown as Error).message) };
  }
  return { output: Buffer.concat(parts).toString('latin1'), error: undefined };
}

const hosts = {
  dedupBytes: (chunks: Uint8Array[], options: DedupBytesOptions) =>
    collect((Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>).pipeThrough(dedupBytes(options))),
  dedupBytesTransform: (chunks: Uint8Array[], options: DedupBytesOptions) =>
    collect(Readable.from(chunks).pipe(dedupBytesTransform(options))),
};

const word = fc.constantFrom('a', 'b', 'é', '', '1', 'null', '"', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '\\u0061');
const newline = fc.constantFrom('\n', '\r\n');
const json = (text: string) => JSON.stringify(text).replaceAll('\\\\u0061', '\\u0061');
const records: Record<Format, fc.Arbitrary<string>> = {
  lines: word,
  ndjson: fc.oneof(
    { weight: 6, arbitrary: fc.tuple(word, word).map(([id, x]) => `{"x":${json(x)},"id":${json(id)}}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('{"id":null}', '{"x":1}', '', 'broken', '{"id":"a"', '[1]', '{"id":[1,{"id":2}]}'),
    },
  ),
  csv: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(word, word).map((pair) => pair.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')),
    },
    { weight: 1, arbitrary: fc.constantFrom('a,b', '"a\nb",c', '"a\r\nb",c', 'a', '', '"a"b,c', '"a') },
  ),
  tsv: fc.tuple(word, word).map((pair) => pair.join('\t')),
  u64: word,
};

const input = (format: Format) =>
  fc
    .tuple(fc.boolean(), fc.array(fc.tuple(records[format], newline), { maxLength: 30 }), fc.boolean(), fc.boolean())
    .map(([hasMark, rows, hasLast, hasBlank]) => {
      const text = rows.map(([row, end]) => row + end).join('');
      const header =
        format === 'csv' || format === 'tsv' ? `${hasBlank ? '\n' : ''}id${format === 'csv' ? ',' : '\t'}x\n` : '';
      const whole = `${hasMark ? '\ufeff' : ''}${header}${text}`;
      return Buffer.from(hasLast ? whole : whole.replace(/\r?\n$/, ''));
    });

const policies = fc.record({
  missingKey: fc.constantFrom('distinct', 'drop', 'fail' as const),
  emptyKey: fc.constantFrom('distinct', 'drop', 'key' as const),
  nullKey: fc.constantFrom('empty', 'missing', 'value' as const),
  onError: fc.constantFrom('pass', 'drop', 'drop', 'fail' as const),
  isStrict: fc.boolean(),
  maxRecordBytes: fc.constantFrom(20, 40, 1000),
}) as fc.Arbitrary<Partial<DedupBytesOptions>>;

describe.each(Object.entries(hosts))('%s', (_name, host) => {
  test.each<[Format, string[] | undefined]>([
    ['lines', undefined],
    ['u64', undefined],
    ['ndjson', ['id']],
    ['ndjson', ['id', 'x']],
    ['ndjson', undefined],
    ['csv', ['id']],
    ['csv', ['x', 'id']],
    ['csv', undefined],
    ['tsv', ['2']],
  ])('gives the bytes and the error of the command: %s, keys %j', async (format, keys) => {
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    const property = fc.asyncProperty(input(format), places, policies, async (bytes, where, asked) => {
      // Only the command can look ahead whether quotes of a table are around fields, so it is told.
      const dialect = format === 'tsv' ? { quote: 'none' } : {};
      const detector = { algorithm: 'exact', memory: 65536 } as const;
      const options = { ...asked, ...detector, ...dialect, format, ...(keys ? { keys } : {}) };
      const expected = await ofCommand(bytes, options);
      const found = await host(cut(bytes, where), options);
      expect(found.error).toBe(expected.error);
      if (expected.error === undefined) expect(found.output).toBe(expected.output);
    });
    await fc.assert(property, { numRuns: inLongForm(40, 3), seed: 1 });
  });
});
