// What bundlers take of the library for a program.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { packageFolder, repositoryFolder } from '../support/folders.js';

/** The limits for the core with all families and the kernel of detectors: what is loaded at once, and with the planner. */
const MAX_CORE_BYTES = 62_000;
/** esbuild loads at once what the program shares with what is loaded later. */
const MAX_SPLIT_BYTES = 67_500;
const MAX_PLANNING_BYTES = 84_000;
const MAX_ERROR_BYTES = 2000;
/** What docs/LIBRARY.md says may be more than it is by this share. */
const SPARE = 0.1;
const KILOBYTE = 1000;

const entryOf = (name: string) => JSON.stringify(join(packageFolder, `dist/${name}.js`));
/** A program that uses names of the library, divided by commas. The bundlers find package.json, and the side effects that it names, from a path. */
const programOf = (names: string, entry = 'index') =>
  `import { ${names} } from ${entryOf(entry)}; console.log(${names});`;

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
/** Of the formats of records, which are loaded with what makes keys from them. */
const OF_SCHEMES = 'RFC 4180';
const notOfCore = ['minhash', 'recordBytes', 'onDuplicate', 'already has claims', OF_SCHEMES, OF_PLANNER];
const loadedLater = [OF_SCHEMES, OF_PLANNER];

const bundlers: Readonly<Record<string, (program: string) => Promise<Bundled>>> = {
  rolldown: byRolldown,
  esbuild: (program) => byEsbuild(program, { splitting: false }),
  'esbuild with splitting': (program) => byEsbuild(program, { splitting: true }),
};

describe.each(Object.entries(bundlers))('with %s', (name, bundleOf) => {
  test('an import without names takes nothing', async () => {
    expect((await bundleOf(`import ${entryOf('index')};`)).atOnce.trim()).toBe('');
  });

  test.skipIf(name === 'esbuild')(
    'create takes at most 62 KB after compression with its kernel, 67 with esbuild, and the planner only later',
    async () => {
      const { atOnce, later } = await bundleOf(programOf('create'));
      expect(gzipSync(atOnce).length).toBeLessThanOrEqual(name === 'rolldown' ? MAX_CORE_BYTES : MAX_SPLIT_BYTES);
      for (const text of notOfCore) expect(atOnce).not.toContain(text);
      expect(later).toContain(OF_PLANNER);
    },
  );

  test('plan has the planner at once', async () => {
    expect((await bundleOf(programOf('plan', 'plan'))).atOnce).toContain(OF_PLANNER);
  });

  // esbuild with splitting makes a chunk of every import() that it reads, also in code that nothing calls.
  test.skipIf(name === 'esbuild with splitting')(
    'an error class takes neither a kernel nor the planner nor the table of codes',
    async () => {
      const { atOnce, later } = await bundleOf(programOf('FirstseenError'));
      expect(gzipSync(atOnce).length).toBeLessThan(MAX_ERROR_BYTES);
      expect(atOnce).toContain('FirstseenError');
      expect(later).toBe('');
    },
  );

  test('the class of the entry firstseen/errors takes 2 KB with every bundler', async () => {
    const errors = JSON.stringify(join(packageFolder, 'dist/errors.js'));
    const { atOnce, later } = await bundleOf(`import { FirstseenError } from ${errors}; console.log(FirstseenError);`);
    expect(gzipSync(atOnce).length).toBeLessThan(MAX_ERROR_BYTES);
    expect(later).toBe('');
  });

  test.skipIf(name === 'esbuild with splitting')('keyOf takes no kernel', async () => {
    expect((await bundleOf(programOf('keyOf'))).atOnce).not.toContain('WebAssembly');
  });
});

// Without splitting there is one file, which has also what is loaded later. It runs only when something is planned, or keys are made.
test('with esbuild without splitting, create takes at most 84 KB after compression with its kernel and the planner', async () => {
  const { atOnce } = await byEsbuild(programOf('create'), { splitting: false });
  expect(gzipSync(atOnce).length).toBeLessThanOrEqual(MAX_PLANNING_BYTES);
  for (const text of notOfCore.filter((text) => !loadedLater.includes(text))) expect(atOnce).not.toContain(text);
});

/** The rows of the table of bundles in docs/LIBRARY.md: names, and kilobytes at once and later. */
const documented = [
  ...readFileSync(join(repositoryFolder, 'docs/LIBRARY.md'), 'utf8').matchAll(
    /^\| ((?:`\w+`(?:, )?)+) \| ([\d.]+) KB \| ([\d.]+) KB \|$/gm,
  ),
].map(([, names, atOnce, later]) => [(names as string).replaceAll('`', ''), Number(atOnce), Number(later)] as const);

test('the documentation has the sizes of some bundles', () => {
  expect(documented.length).toBeGreaterThan(5);
});

test.each(documented)(
  'a bundle of %s has at most %d KB at once and %d KB later, as is documented',
  async (names, ...sizes) => {
    const { atOnce, later } = await byRolldown(programOf(names));
    for (const [i, code] of [atOnce, later].entries()) {
      const [bytes, most] = [gzipSync(code).length, (sizes[i] as number) * KILOBYTE];
      expect(bytes).toBeLessThanOrEqual(most);
      if (most >= KILOBYTE) expect(bytes).toBeGreaterThan((1 - SPARE) * most);
    }
  },
);
