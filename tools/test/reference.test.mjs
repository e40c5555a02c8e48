// The pages of docs/reference: everything that an entry exports has a section, and every link leads to one.

import { dirname, join, posix } from 'node:path';
import ts from '@typescript/typescript6';
import { describe, expect, test } from 'vitest';
import { build } from '../build.mjs';
import { memberText, textsOf } from '../docs/declared.mjs';
import { referencePages } from '../docs/reference.mjs';

await build(['declarations']);
const root = join(import.meta.dirname, '../..');
const pages = referencePages(root);

function headingsOf(text) {
  return [...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) => heading);
}

/** The members of an interface, as they are shown. */
function shown(code) {
  const source = ts.createSourceFile('a.ts', `interface A {\n${code}\n}`, ts.ScriptTarget.Latest, true);
  return source.statements[0].members.map((member) => [memberText(member), ...textsOf(member)]);
}

describe('a member', () => {
  test('is one line, and an optional one has no undefined', () => {
    expect(
      shown('readonly a?: number | undefined; b(c?: string | undefined):\n void; d?: ((e: E) => F) | undefined'),
    ).toEqual([['a?: number'], ['b(c?: string): void'], ['d?: (e: E) => F']]);
    expect(shown('a: number | undefined')).toEqual([['a: number | undefined']]);
  });

  test('has its comment in paragraphs, with links to pages', () => {
    expect(shown('/**\n * See\n * docs/A.md.\n * @throws X never.\n */\na: 1')).toEqual([
      ['a: 1', 'See [docs/A.md](../A.md).', 'Throws X never.'],
    ]);
  });
});

describe('the pages', () => {
  const entries = ['errors', 'motifs', 'near', 'node', 'partitions', 'plan'];

  test.each(entries)('docs/reference/%s.md has a section for every value that the entry exports', async (name) => {
    const names = Object.keys(await import(`firstseen/${name}`));
    expect(names.length).toBeGreaterThan(1);
    expect(headingsOf(pages[`docs/reference/${name}.md`])).toEqual(expect.arrayContaining(names));
  });

  test('have types, and members of what they inherit from types without a section', () => {
    expect(pages['docs/reference/firstseen.md']).toMatch(/^### DedupOptions\n[^#]*\n\| `concurrency\?: number` \|/m);
    expect(headingsOf(pages['docs/reference/firstseen.md'])).not.toContain('DeliveryOptions');
    expect(headingsOf(pages['docs/reference/node.md'])).toContain('RunOptions');
  });

  test('have no heading twice, and every link between them leads to a heading', () => {
    const anchors = Object.entries(pages).flatMap(([path, text]) => {
      const headings = headingsOf(text);
      expect(headings.filter((heading, i) => headings.indexOf(heading) !== i)).toEqual([]);
      return headings.map((heading) => `${path}#${heading.toLowerCase().replaceAll(' ', '-')}`);
    });
    for (const [path, text] of Object.entries(pages)) {
      const links = [...text.matchAll(/\]\(([\w.]*)#([\w-]+)\)/g)].map(
        ([, file, anchor]) => `${file ? posix.join(dirname(path), file) : path}#${anchor}`,
      );
      expect(links.length).toBeGreaterThan(1);
      expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
    }
  });

  test('name no folder of the machine', () => {
    for (const text of Object.values(pages)) expect(text).not.toContain(root);
  });
});
