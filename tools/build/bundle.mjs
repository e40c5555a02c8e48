// Bundles the code of the package `firstseen`: its entries, its command with the packages that the command uses, and its workers, as
// ES modules with shared chunks, so that no class exists twice (docs/decisions/001-bundle-the-commands-packages.md).

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'packages/firstseen');

/** Source files of the entries by their path in dist/. The workers are in the folder of chunks, where their URLs are resolved. */
const entries = {
  index: 'src/index.ts',
  node: 'src/node.ts',
  internal: 'src/internal.ts',
  'cli/main': 'src/cli/main.ts',
  'chunks/thread': 'src/threads/worker.ts',
  'chunks/decompress': 'src/run/input/decompressworker.ts',
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

function licenceText(packageFolder) {
  const { name, version, license } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const file = readdirSync(packageFolder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file, which the package must carry`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(packageFolder, file), 'utf8').trim()}\n`;
}

/** Writes the licences of the bundled packages, as these licences require. */
function writeLicences(output) {
  const texts = bundledPackages(output).map(licenceText);
  const head = 'The files of this folder contain code of these packages, each under its own licence.\n';
  writeFileSync(join(folder, 'dist/THIRD-PARTY-LICENSES'), [head, ...texts].join(`\n${'-'.repeat(80)}\n\n`));
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
    // One chunk instead of many short ones, which take a block of a disk each.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'common', test: /[\\/]src[\\/](?:check|count|defined|duration|errors|memory|number)\.ts$/ },
        { name: 'motifs', test: /[\\/]src[\\/]near[\\/]motif(?:s|errors|kernel)\.ts$/ },
      ],
    },
    // The names of functions and classes are kept so that stack traces are readable. Short names for local variables and no white
    // space make the bundle a quarter smaller.
    minify: { compress: true, mangle: { toplevel: true, keepNames: true }, codegen: { removeWhitespace: true } },
    comments: { legal: false, annotation: true, jsdoc: false },
  });
  await bundle.close();
  writeLicences(output);
}
