// What a bundler takes of the library for a program.

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { packageFolder } from '../support/folders.js';

/** The limit for the core with one family. */
const MOST_CORE_BYTES = 80_000;

/** Bundles a program as for production, and returns the code that it loads at once. */
async function bundleOf(program: string): Promise<string> {
  const path = join(packageFolder, 'dist/index.js');
  const bundle = await rolldown({
    input: 'program',
    platform: 'browser',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? id : null),
        // The bundler finds package.json, and the side effects that it names, from a path.
        load: (id) => (id === 'program' ? program.replace("'firstseen'", JSON.stringify(path)) : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const [entry, ...others] = output;
  const atOnce = others.flatMap((chunk) =>
    chunk.type === 'chunk' && entry.imports.includes(chunk.fileName) ? [chunk] : [],
  );
  expect(atOnce.flatMap(({ imports }) => imports)).toEqual([]);
  return [entry, ...atOnce].map(({ code }) => code).join('\n');
}

test('an import without names takes nothing', async () => {
  expect((await bundleOf("import 'firstseen';")).trim()).toBe('');
});

test('create takes at most 80 KB after compression, and nothing of near-duplicates, motifs, streams, plans and the command', async () => {
  const code = await bundleOf("export { create } from 'firstseen';");
  const bytes = gzipSync(code).length;
  expect(bytes).toBeGreaterThan(40_000);
  expect(bytes).toBeLessThanOrEqual(MOST_CORE_BYTES);
  for (const text of ['minhash', 'recordBytes', 'onDuplicate', 'leaseMilliseconds', 'mostRememberedElements'])
    expect(code).not.toContain(text);
});

test('an error class takes neither a kernel nor the table of codes', async () => {
  const code = await bundleOf("export { FirstseenError } from 'firstseen';");
  expect(code.length).toBeLessThan(4000);
  expect(code).toContain('FirstseenError');
});

test('keyOf takes no kernel', async () => {
  const code = await bundleOf("export { keyOf } from 'firstseen';");
  expect(code).not.toContain('WebAssembly');
});
