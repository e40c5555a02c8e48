// Streams of bytes with lines that are not records.

import { expect, test } from 'vitest';
import { type DedupBytesOptions, dedupBytes } from '../../../src/index.js';

/** The output for a text that arrives in two chunks. */
async function inChunks(text: string, cut: number, options: DedupBytesOptions): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.slice(0, cut));
      controller.enqueue(bytes.slice(cut));
      controller.close();
    },
  });
  return new Response(stream.pipeThrough(dedupBytes({ memory: '4KiB', maxRecordBytes: 4096, ...options }))).text();
}

const table = { format: 'csv', keys: ['id'] } as const;

test.each([
  [
    'before a header and after it',
    { ...table, skipLines: 1, comment: '#' },
    'Report\n# one\nid\n1\n# two\n1\n2\n# two\n',
    'Report\n# one\nid\n1\n# two\n2\n# two\n',
  ],
  ['without a header', { skipLines: 2, comment: '//' }, 'x\nx\nx\n//\nx\n//\n', 'x\nx\nx\n//\n//\n'],
  ['a table without a header', { ...table, keys: ['1'], hasHeader: false, skipLines: 1 }, '1\n1\n1\n', '1\n1\n'],
  [
    'nothing but such lines',
    { ...table, skipLines: 1, comment: '#' },
    'Report\n# one\n# two',
    'Report\n# one\n# two\n',
  ],
  ['fewer lines than are skipped', { skipLines: 9 }, 'a\na', 'a\na\n'],
  ['fields', { format: 'fields', keys: ['2'], comment: '#' }, 'a 1\n#a 1\nb 1\n', 'a 1\n#a 1\n'],
] as const)('%s are passed on, wherever the chunks are cut', async (_, options, text, expected) => {
  for (let cut = 0; cut <= text.length; cut++) {
    expect(await inChunks(text, cut, options as DedupBytesOptions)).toBe(expected);
  }
});

test('such lines are not counted', async () => {
  const counts: object[] = [];
  await inChunks('Report\nid\n1\n# two\n1\n', 9, {
    ...{ ...table, skipLines: 1, comment: '#' },
    onEnd: (end) => counts.push(end),
  });
  expect(counts).toMatchObject([{ records: 2, distinct: 1, duplicates: 1, bytesOut: 18 }]);
});

test.each([
  ['comment', { comment: '' }, /comment is "", but must be a text of 1 to 64 bytes/],
  ['comment', { comment: 5 }, /comment is 5, but must be a text/],
  ['comment', { format: 'ndjson', comment: '#' }, /comment was given, but the format is ndjson/],
  ['skipLines', { format: 'ndjson', skipLines: 1 }, /skipLines was given, but the format is ndjson/],
  ['skipLines', { skipLines: -1 }, /skipLines is -1/],
] as const)('%s is refused: %j', async (option, options, message) => {
  await expect(inChunks('', 0, options as unknown as DedupBytesOptions)).rejects.toMatchObject({
    ...{ code: 'E_USAGE', option },
    message: expect.stringMatching(message),
  });
});
