// Streams of bytes beside the command: its states, claims, long records, counts, and what is refused.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createClaims } from '../../../src/claims/open.js';
import type { RunCounts } from '../../../src/framing/counts.js';
import { create, type DedupBytesOptions, dedupBytes, load } from '../../../src/index.js';
import { dedupBytesTransform, runFiles } from '../../../src/node.js';
import { temporaryFolder } from '../../cli/support/command.js';

const settings = { algorithm: 'exact' as const, memory: 65536 };

async function textOf(chunks: readonly string[], options: DedupBytesOptions): Promise<string> {
  const stream = dedupBytesTransform(options);
  Readable.from(chunks.map((chunk) => Buffer.from(chunk))).pipe(stream);
  return Buffer.concat(await stream.toArray()).toString();
}

test('a state of the command goes on in a stream of bytes', async () => {
  const folder = temporaryFolder();
  const [input, output, state] = ['in.ndjson', 'out', 'state'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(input, '{"id":"\\u0061"}\n{"id":"b"}\n');
  await runFiles({ inputs: [input], output, keys: ['id'], state, detector: settings });
  const detector = await load(readFileSync(state), { keys: ['id'] });
  expect(await textOf(['{"id":"a"}\n{"id":', '"c"}\n'], { detector })).toBe('{"id":"c"}\n');
});

test('the keys of a detector are those of the stream', async () => {
  const detector = await create({ ...settings, keys: ['x'], format: 'csv' });
  expect(await textOf(['id,x\n1,2\n', '3,2\n'], { detector })).toBe('id,x\n1,2\n');
  await expect(textOf(['{}'], { detector, keys: ['id'] })).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
});

test('a record whose key a claim holds waits for the outcome', async () => {
  const detector = await create(settings);
  const answers = ['b', 'c'].map((key) => createClaims(detector).claim(key));
  const passed = textOf(['a\nb\nb\nc\nd\n'], { detector });
  for (let i = 0; i < 5; i++) await nextTurn();
  expect(['a', 'd'].map((key) => detector.test(key))).toEqual(['duplicate', 'distinct']);
  const [first, second] = answers;
  if (first?.verdict !== 'distinct' || second?.verdict !== 'distinct') throw new Error('the keys are free');
  first.abort();
  second.commit();
  expect(await passed).toBe('a\nb\nd\n');
});

test('a stream that waits for a claim can be destroyed', async () => {
  const detector = await create(settings);
  createClaims(detector).claim('b');
  const stream = dedupBytesTransform({ detector });
  stream.write('b\n');
  await nextTurn();
  const closed = new Promise((resolve) => stream.on('close', resolve));
  stream.destroy();
  await closed;
  expect(createClaims(detector).stats().pending).toBe(1);
});

test('records are counted, and those without a key are passed or dropped as asked', async () => {
  let counts: RunCounts | undefined;
  const onEnd = (found: RunCounts) => {
    counts = found;
  };
  const text = `{"id":1}\n{"x":1}\n{"id":1}\nbroken\n{"id":"${'a'.repeat(100)}"}\n{"id":""}`;
  const asked = { missingKey: 'drop', onError: 'pass', emptyKey: 'drop', maxRecordBytes: 50 } as const;
  const output = await textOf([...text], { ...settings, keys: ['id'], ...asked, onEnd });
  expect(output).toBe(`{"id":1}\nbroken\n{"id":"${'a'.repeat(100)}"}\n`);
  expect(counts).toMatchObject({ records: 6, distinct: 1, duplicates: 1, passed: 2, dropped: 2 });
  expect(counts).toMatchObject({ missingKey: 1, invalid: 1, tooLong: 1, emptyKey: 1 });
  expect(counts).toMatchObject({ bytesIn: text.length, bytesOut: output.length });
});

test.each<[string, DedupBytesOptions, string, string]>([
  ['{"x":1}\n', { keys: ['id'] }, 'E_KEY_MISSING', 'the stream, line 1'],
  ['{"id":1}\nno\n', { keys: ['id'] }, 'E_RECORD', 'the stream, line 2'],
  ['a'.repeat(20), { maxRecordBytes: 10 }, 'E_RECORD', 'line 1: the record is longer'],
  ['id\n1\n', { keys: ['no'], format: 'csv' }, 'E_USAGE', 'is not a column'],
  ['a\n', { keys: ['id'], format: 'lines' }, 'E_USAGE', 'not the number of a field'],
  ['a\0', { keys: ['id'], format: 'nul' }, 'E_USAGE', 'have no fields'],
  ['a\n', { format: 'xml' as never }, 'E_PARAMETER', 'format is "xml"'],
  ['a\n', { mising: true } as never, 'E_PARAMETER', 'mising is not an option'],
  ['a\n', { maxRecordBytes: 0 }, 'E_PARAMETER', 'maxRecordBytes is 0'],
  ['{"id":1}\n', { keys: 'id' as never }, 'E_PARAMETER', 'keys is "id", but must be a list'],
  ['{"id":1}\n', { keys: new Set(['id']) as never }, 'E_PARAMETER', 'but must be a list of names of fields'],
  ['{"id":1}\n', { keys: {} as never }, 'E_PARAMETER', 'but must be a list of names of fields'],
  ['{"id":1}\n', { keys: 5 as never }, 'E_PARAMETER', 'keys is 5'],
  ['{"id":1}\n', { keys: [null] as never }, 'E_PARAMETER', 'but must be a list of names of fields'],
  ['a\n', { onEnd: 3 as never }, 'E_PARAMETER', 'onEnd is 3, but must be a function'],
  ['a\n', { now: 3 as never }, 'E_PARAMETER', 'now is 3, but must be a function'],
  [
    `${'a'.repeat(20)}\n1\n`,
    { keys: ['1'], format: 'csv', maxRecordBytes: 10, onError: 'pass' },
    'E_RECORD',
    'line 1: the header is longer than maxRecordBytes, 10 bytes; give a larger maxRecordBytes',
  ],
])('%j with %j fails with %s', async (text, options, code, message) => {
  const refused = { code, message: expect.stringContaining(message) };
  await expect(textOf([text], options)).rejects.toMatchObject(refused);
  const web = new Blob([text]).stream() as ReadableStream<Uint8Array>;
  await expect(new Response(web.pipeThrough(dedupBytes(options))).text()).rejects.toMatchObject(refused);
});

test('invalid options fail before the first byte', async () => {
  for (const invalid of [{ keys: 'id' }, { onEnd: 3 }, { now: 3 }]) {
    await expect(
      dedupBytes(invalid as never)
        .readable.getReader()
        .read(),
    ).rejects.toMatchObject({
      code: 'E_PARAMETER',
    });
  }
});

test('the keys of a detector that was not loaded are not those of a snapshot', async () => {
  const detector = await create({ ...settings, keys: ['id'] });
  const refused = { message: expect.stringContaining('the keys of this detector are made from id') };
  await expect(textOf(['{}'], { detector, keys: ['x'] })).rejects.toMatchObject(refused);
});

test('chunks that are not bytes are refused', async () => {
  const source = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue('text' as never) });
  const refused = { code: 'E_INPUT', given: 'text' };
  await expect(new Response(source.pipeThrough(dedupBytes(settings))).text()).rejects.toMatchObject(refused);
});

test('a secret of the detector hashes the keys', async () => {
  const detector = await create({ ...settings, secret: 'random' });
  detector.observe('a');
  expect(await textOf(['a\nb\n'], { detector })).toBe('b\n');
});

test('ordinary headers need no Buffer, which browsers lack', async () => {
  vi.stubGlobal('Buffer', undefined);
  try {
    const { readable, writable } = dedupBytes({ ...settings, format: 'csv', keys: ['i,d'] });
    const writer = writable.getWriter();
    const written = writer.write(new TextEncoder().encode('"i,d",x\n1,2\n"1",3\n')).then(() => writer.close());
    const parts: string[] = [];
    for await (const part of readable) parts.push(new TextDecoder().decode(part));
    await written;
    expect(parts.join('')).toBe('"i,d",x\n1,2\n');
  } finally {
    vi.unstubAllGlobals();
  }
});
