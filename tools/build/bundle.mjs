// The code of the package `firstseen`: its entries, its command with the packages that the command uses, and its worker, as ES
// modules that share chunks, so that no class exists twice. docs/decisions/001-bundle-the-commands-packages.md says why.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'packages/firstseen');

/** What programs import or run, and where it is in dist/. The worker is beside the chunks, where its URL is resolved. */
const entries = {
  index: 'src/index.ts',
  node: 'src/node.ts',
  internal: 'src/internal.ts',
  'cli/main': 'src/cli/main.ts',
  'chunks/worker': 'src/jobs/motifs/worker.ts',
};

/** The folder of the package that a bundled file is of; nothing for files of our own. */
function packageFolderOf(file) {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

/** The folders of the packages that really went in, in the order of their names. */
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

/** The licences of what was bundled, as they ask. */
function writeLicences(output) {
  const texts = bundledPackages(output).map(licenceText);
  const head = 'The files of this folder contain code of these packages, each under its own licence.\n';
  writeFileSync(join(folder, 'dist/THIRD-PARTY-LICENSES'), [head, ...texts].join(`\n${'-'.repeat(80)}\n\n`));
}

export async function bundleLibrary() {
  const bundle = await rolldown({
    cwd: folder,
    input: entries,
    platform: 'node',
    tsconfig: false,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'es2022' },
  });
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // Names stay as they are, so that a stack trace can be read; white space is a tenth of the package.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: false, annotation: true, jsdoc: false },
  });
  await bundle.close();
  writeLicences(output);
}
