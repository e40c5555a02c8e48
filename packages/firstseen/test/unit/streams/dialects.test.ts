// Streams of bytes with another delimiter.

import { expect, test } from 'vitest';
import { type DedupBytesOptions, dedupBytes } from '../../../src/index.js';

const filtered = (text: string, options: DedupBytesOptions) =>
  new Response(new Blob([text]).stream().pipeThrough(dedupBytes(options))).text();

test('reads another delimiter', async () => {
  const options = { format: 'csv', keys: ['id'], delimiter: ';', quote: "'" } as const;
  expect(await filtered("id;x\n1;'a;b'\n1;c\n'2';d\n", options)).toBe("id;x\n1;'a;b'\n'2';d\n");
});

test('refuses a delimiter of other formats', async () => {
  const refused = filtered('id\n', { format: 'tsv', keys: ['id'], delimiter: ';' });
  await expect(refused).rejects.toMatchObject({ code: 'E_USAGE', option: 'delimiter' });
});

/** The output for a text that arrives in chunks of a byte, or in two chunks. */
async function inChunks(text: string, cut: number, options: DedupBytesOptions): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const chunks = cut < 0 ? [...bytes].map((byte) => Uint8Array.of(byte)) : [bytes.slice(0, cut), bytes.slice(cut)];
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(stream.pipeThrough(dedupBytes(options))).text();
}

test.each([
  ['sep=;', {}, 'sep=;\r\n"i;d";x\r\n1;"a;\nb"\r\n', '1;c\r\n'],
  ['sep=; where another one was given', { delimiter: ',' }, 'sep=;\n"i;d",x\n1,"a\nb"\n', '1,c\n'],
  ['an escape', { escape: '\\' }, '"i;d",x\n1\\,,"\\"\n"\n', '"1,",\\"\n'],
  ['an escape without quotes', { escape: '^', quote: 'none' }, 'i;d,x\n1^,^\n"^^,^\r\n', '1^,^\n"^^,b\n'],
] as const)('reads %s, wherever the chunks are cut', async (_, dialect, distinct, repeat) => {
  const options = { format: 'csv', keys: ['i;d'], memory: '4KiB', maxRecordBytes: 4096, ...dialect } as const;
  for (let cut = -1; cut <= distinct.length + repeat.length; cut++) {
    expect(await inChunks(distinct + repeat, cut, options)).toBe(distinct);
  }
});

test('a quote that is not closed at the end is refused, or counted when it is dropped', async () => {
  const text = 'id,x\n1,a\n2,"b';
  const refused = filtered(text, { format: 'csv', keys: ['id'] });
  await expect(refused).rejects.toMatchObject({ code: 'E_RECORD', message: expect.stringContaining('line 3') });
  const counts: object[] = [];
  const options = { format: 'csv', keys: ['id'], onError: 'drop', onEnd: (end: object) => counts.push(end) } as const;
  expect(await filtered(text, options)).toBe('id,x\n1,a\n');
  expect(counts).toMatchObject([{ records: 2, invalid: 1, dropped: 1 }]);
});
