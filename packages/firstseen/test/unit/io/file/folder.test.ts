import { describe, expect, test } from 'vitest';
import { listRequest } from '../../../../src/io/file/folder.js';
import { look, markAfter } from '../support.js';

describe('a folder', () => {
  const paths = ['docs/a', 'docs/b', 'docs/c'];

  test('is another input if a processed document has changed, and has grown if a document was added at the end', async () => {
    const { input: known } = await markAfter(await look(listRequest({ name: 'docs', paths })), 14);
    const compared = async (now: readonly string[]) =>
      (await look(listRequest({ name: 'docs', paths: now }))).compare(known);
    expect(await compared(paths.slice(0, 2))).toBe('same');
    expect(await compared([...paths, 'docs/d'])).toBe('grown');
    expect(await compared(['docs/0', ...paths])).toBe('other');
    expect(await compared(paths.slice(0, 1))).toBe('other');
  });
});
