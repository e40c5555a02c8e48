import { describe, expect, test } from 'vitest';
import { isPositionOf } from '../../../../src/io/sources.js';
import { look, readAll } from '../support.js';

describe('a folder', () => {
  const paths = ['docs/a', 'docs/b', 'docs/c'];
  const list = 'docs/a\ndocs/b\ndocs/c\n';

  test('continues from any position of its list', async () => {
    const source = await look({ name: 'docs', paths });
    expect(await readAll(await source.open())).toBe(list);
    expect(await readAll(await source.open(source.positionAt(7)))).toBe(list.slice(7));
    expect(isPositionOf(source.note, source.positionAt(7))).toBe(true);
    expect(Buffer.from(await source.bytesAround(7)).toString()).toBe('\ndo');
  });

  test('is another input if a processed document has changed, and has grown if a document was added at the end', async () => {
    const known = await (await look({ name: 'docs', paths })).noteAt(14);
    const compared = async (now: readonly string[]) => (await look({ name: 'docs', paths: now })).compare(known);
    expect(await compared(paths.slice(0, 2))).toBe('same');
    expect(await compared([...paths, 'docs/d'])).toBe('grown');
    expect(await compared(['docs/0', ...paths])).toBe('other');
    expect(await compared(paths.slice(0, 1))).toBe('other');
  });

  test('with a newline in a path is refused', async () => {
    await expect(look({ name: 'docs', paths: ['docs/a\nb'] })).rejects.toThrow('contains a newline');
  });
});
