// Bundles the code of the package `firstseen`: its entries, its command with the packages that the command uses, and its workers, as
// ES modules with shared chunks, so that no class exists twice (docs/decisions/001-bundle-the-commands-packages.md).

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { withLines } from './lines.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'packages/firstseen');

/** Source files of the entries by their path in dist/. The workers are in the folder of chunks, where their URLs are resolved. */
const entries = {
  index: 'src/index.ts',
  node: 'src/node.ts',
  internal: 'src/internal.ts',
  'cli/main': 'src/cli/main.ts',
  'chunks/thread': 'src/threads/worker.ts',
  'chunks/decompress': 'src/io/compression/decompressworker.ts',
};

/** Optional packages, which are not bundled: the command finds them where the user has installed them. */
const optionalPackages = Object.keys(
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).peerDependenciesMeta,
);

/** The folder of the external package that contains a bundled file; undefined for files of this repository. */
function packageFolderOf(file) {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

/** The folders of the external packages in the bundle, sorted. */
function bundledPackages(output) {
  const files = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  return [...new Set(files.map((file) => packageFolderOf(file.replaceAll('\\', '/'))).filter(Boolean))].sort();
}

/** The licence of a package: its notice, which names the holders, and the terms. */
function licenceOf(packageFolder) {
  const { name, version, license } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const file = readdirSync(packageFolder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file, which the package must carry`);
  const text = readFileSync(join(packageFolder, file), 'utf8').trim();
  const start = Math.max(0, text.indexOf('Permission is hereby granted'));
  return { notice: `${name} ${version} (${license})\n${text.slice(0, start).trim()}`, terms: text.slice(start) };
}

/** Terms that differ only in line breaks and quotation marks are the same. */
function wordsOf(terms) {
  return terms.replaceAll(/\s+/g, ' ').replaceAll("'", '"');
}

/** Writes the licences of the bundled packages, as these licences require. Packages with the same terms share their text. */
function writeLicences(output) {
  const noticesByTerms = new Map();
  for (const { notice, terms } of bundledPackages(output).map(licenceOf)) {
    const shared = noticesByTerms.get(wordsOf(terms)) ?? { terms, notices: [] };
    shared.notices.push(notice);
    noticesByTerms.set(wordsOf(terms), shared);
  }
  const head =
    'The files of this folder contain code of these packages, each under the licence that follows its notice.';
  const texts = [...noticesByTerms.values()].map(({ terms, notices }) => [...notices, terms].join('\n\n'));
  writeFileSync(join(folder, 'dist/THIRD-PARTY-LICENSES'), `${[head, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}

export async function bundleLibrary() {
  const bundle = await rolldown({
    cwd: folder,
    input: entries,
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    external: optionalPackages,
    tsconfig: false,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'es2022' },
  });
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // JSR and Deno find the declarations of an entry by this comment.
    postBanner: ({ name }) => (['index', 'node'].includes(name) ? `/* @ts-self-types="./${name}.d.ts" */` : ''),
    // One chunk instead of many short ones, which take a block of a disk each.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          name: 'common',
          test: /[\\/]src[\\/]base[\\/](?:bytes|check|count|defined|duration|errors|memory|number)\.ts$/,
        },
        // A program that creates detectors without hints does not load it.
        { name: 'planner', test: /[\\/]src[\\/]plan[\\/](?!auto\.|keys\.)/ },
        { name: 'motifs', test: /[\\/]src[\\/]near[\\/]motif(?:s|errors|kernel)\.ts$/ },
      ],
    },
    // The names of functions and classes are kept so that stack traces are readable. Short names for local variables and no white
    // space make the bundle a quarter smaller.
    minify: { compress: true, mangle: { toplevel: true, keepNames: true }, codegen: { removeWhitespace: true } },
    comments: { legal: false, annotation: true, jsdoc: false },
  });
  await bundle.close();
  for (const { type, fileName, code } of output) {
    if (type === 'chunk') writeFileSync(join(folder, 'dist', fileName), withLines(code));
  }
  writeLicences(output);
}
