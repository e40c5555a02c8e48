// What bundlers take of the library for a program.

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { packageFolder } from '../support/folders.js';

/** The limits for the core with all families, besides the kernel: what is loaded at once, and with the planner. */
const MOST_CORE_BYTES = 36_000;
const MOST_PLANNING_BYTES = 52_200;
const MOST_ERROR_BYTES = 2000;

/** Bytes of a bundle after compression, without the compiled kernel, which is a text in it. */
function bytesBesidesKernel(code: string): number {
  const without = code.replace(/(["'`])[A-Za-z0-9+/=]{20000,}\1/, "''");
  expect(without.length).toBeLessThan(code.length);
  return gzipSync(without).length;
}

const entry = JSON.stringify(join(packageFolder, 'dist/index.js'));
/** A program that uses names of the library. The bundlers find package.json, and the side effects that it names, from a path. */
const programOf = (names: string) => `import { ${names} } from ${entry}; console.log(${names});`;

/** What a bundler makes of a program: the code that is loaded at once, and that which is loaded later. */
interface Bundled {
  atOnce: string;
  later: string;
}

/** As Vite does, which bundles with rolldown. */
async function byRolldown(program: string): Promise<Bundled> {
  const bundle = await rolldown({
    input: 'program',
    platform: 'browser',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? id : null),
        load: (id) => (id === 'program' ? program : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const chunks = output.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []));
  return separated(chunks.map(({ fileName, imports, code }) => ({ name: fileName, imports, code })));
}

async function byEsbuild(program: string, options: BuildOptions): Promise<Bundled> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: packageFolder, sourcefile: 'program.mjs' },
    bundle: true,
    minify: true,
    format: 'esm',
    metafile: true,
    write: false,
    outdir: 'out',
    logLevel: 'error',
    ...options,
  });
  const outputs = Object.entries(metafile?.outputs ?? {}).sort(
    ([, a], [, b]) => (a.entryPoint === '<stdin>' ? -1 : 1) - (b.entryPoint === '<stdin>' ? -1 : 1),
  );
  return separated(
    outputs.map(([name, { imports }]) => ({
      name,
      imports: imports.flatMap(({ kind, path }) => (kind === 'import-statement' ? [path] : [])),
      code: outputFiles?.find(({ path }) => path.endsWith(name))?.text ?? '',
    })),
  );
}

interface Chunk {
  name: string;
  imports: string[];
  code: string;
}

/** Separates chunks, of which the first is the program. */
function separated(chunks: Chunk[]): Bundled {
  const reached = new Set<string>();
  const pending = [chunks[0]?.name ?? ''];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    pending.push(...(chunks.find((chunk) => chunk.name === name)?.imports ?? []));
  }
  const codeOf = (isAtOnce: boolean) =>
    chunks
      .filter(({ name }) => reached.has(name) === isAtOnce)
      .map(({ code }) => code)
      .join('\n');
  return { atOnce: codeOf(true), later: codeOf(false) };
}

/** Texts of what `create` does not need: near-duplicates, motifs, streams, deliveries and the planner. */
const OF_PLANNER = 'no algorithm keeps false positives';
const notOfCore = ['minhash', 'recordBytes', 'onDuplicate', 'already has claims', OF_PLANNER];

const bundlers: Readonly<Record<string, (program: string) => Promise<Bundled>>> = {
  rolldown: byRolldown,
  esbuild: (program) => byEsbuild(program, { splitting: false }),
  'esbuild with splitting': (program) => byEsbuild(program, { splitting: true }),
};

describe.each(Object.entries(bundlers))('with %s', (name, bundleOf) => {
  test('an import without names takes nothing', async () => {
    expect((await bundleOf(`import ${entry};`)).atOnce.trim()).toBe('');
  });

  test.skipIf(name === 'esbuild')(
    'create takes at most 34 KB after compression besides the kernel, and the planner only later',
    async () => {
      const { atOnce, later } = await bundleOf(programOf('create'));
      expect(bytesBesidesKernel(atOnce)).toBeLessThanOrEqual(MOST_CORE_BYTES);
      for (const text of notOfCore) expect(atOnce).not.toContain(text);
      expect(later).toContain(OF_PLANNER);
    },
  );

  test('plan has the planner at once', async () => {
    expect((await bundleOf(programOf('plan'))).atOnce).toContain(OF_PLANNER);
  });

  // esbuild with splitting makes a chunk of every import() that it reads, also in code that nothing calls.
  test.skipIf(name === 'esbuild with splitting')(
    'an error class takes neither a kernel nor the planner nor the table of codes',
    async () => {
      const { atOnce, later } = await bundleOf(programOf('FirstseenError'));
      expect(gzipSync(atOnce).length).toBeLessThan(MOST_ERROR_BYTES);
      expect(atOnce).toContain('FirstseenError');
      expect(later).toBe('');
    },
  );

  test('the class of the entry firstseen/errors takes 2 KB with every bundler', async () => {
    const errors = JSON.stringify(join(packageFolder, 'dist/errors.js'));
    const { atOnce, later } = await bundleOf(`import { FirstseenError } from ${errors}; console.log(FirstseenError);`);
    expect(gzipSync(atOnce).length).toBeLessThan(MOST_ERROR_BYTES);
    expect(later).toBe('');
  });

  test.skipIf(name === 'esbuild with splitting')('keyOf takes no kernel', async () => {
    expect((await bundleOf(programOf('keyOf'))).atOnce).not.toContain('WebAssembly');
  });
});

// Without splitting there is one file, which has the planner too. It runs only when something is planned.
test('with esbuild without splitting, create takes at most 50 KB after compression besides the kernel, with the planner', async () => {
  const { atOnce } = await byEsbuild(programOf('create'), { splitting: false });
  expect(bytesBesidesKernel(atOnce)).toBeLessThanOrEqual(MOST_PLANNING_BYTES);
  for (const text of notOfCore.filter((text) => text !== OF_PLANNER)) expect(atOnce).not.toContain(text);
});
