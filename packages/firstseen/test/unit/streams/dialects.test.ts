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
