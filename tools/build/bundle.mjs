// Bundles the code of the package `firstseen`: its entries, its command with the packages that the command uses, and its workers, as
// ES modules with shared chunks, so that no class exists twice (docs/decisions/001-bundle-the-commands-packages.md). And compiles the
// code of the laboratory, which is not bundled.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { exportingLater, requiringLater } from './later.mjs';
import { bundlePage } from './page.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'packages/firstseen');
const laboratory = join(root, 'packages/lab');

/** The names of the entries that programs import. */
export const publicEntries = ['index', 'node', 'errors', 'motifs', 'near', 'partitions', 'plan'];

/** Source files of the entries by their path in dist/. The workers are in the folder of chunks, where their URLs are resolved. */
const entries = {
  ...Object.fromEntries(publicEntries.map((name) => [name, `src/${name}.ts`])),
  internal: 'src/internal.ts',
  'chunks/linepattern': 'src/records/linepattern.ts',
  'chunks/thread': 'src/threads/worker.ts',
  'chunks/decompress': 'src/io/compression/decompressworker.ts',
  'chunks/compact': 'src/serve/log/compactprocess.ts',
  'chunks/planning': 'src/serve/planning/worker.ts',
  'chunks/kafkasnapshot': 'src/kafka/partition/snapshotprocess.ts',
  'chunks/kafkagroup': 'src/io/kafka/groupprocess.ts',
};

/** Optional packages, which are not bundled: the command finds them where the user has installed them. */
const optionalPackages = Object.keys(
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).peerDependenciesMeta,
);

/** The command, which is CommonJS, because that starts sooner (docs/decisions/079-start-of-the-command.md). */
const command = { 'cli/main': 'src/cli/main.ts' };

/** How TypeScript becomes JavaScript. */
const fromTypeScript = {
  platform: 'node',
  tsconfig: false,
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  transform: { target: 'es2022' },
};

/** The folder of the external package that contains a bundled file; undefined for files of this repository. */
function packageFolderOf(file) {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'))?.[1];
}

/** The source files of chunks. */
function sourcesOf(output) {
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** The folders of the external packages among source files, sorted. */
function bundledPackages(files) {
  return [...new Set(files.map(packageFolderOf).filter(Boolean))].sort();
}

/** The licence of a package, under its name. */
function licenceOf(packageFolder) {
  const { name, version, license } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const file = readdirSync(packageFolder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file, which the package must carry`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(packageFolder, file), 'utf8').trim()}`;
}

/** Writes the licences of the bundled packages, as these licences require. */
function writeLicences(files) {
  const head = 'The files of this folder contain code of these packages, each under the licence that follows its name.';
  const texts = [head, ...bundledPackages(files).map(licenceOf)];
  writeFileSync(join(folder, 'dist/THIRD-PARTY-LICENSES'), `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
}

/** Empties dist/ of a package and copies the licence of the repository to the package. */
function emptyDist(packageFolder) {
  rmSync(join(packageFolder, 'dist'), { recursive: true, force: true });
  copyFileSync(join(root, 'LICENSE'), join(packageFolder, 'LICENSE'));
}

/**
 * What loads the modules of a chunk, as the end of its name: the first of these whose entries reach a module by static imports. So a thread
 * loads no more than it needs, a bundle of `create` has no more than it needs, and nothing that the library loads imports a module of Node.
 */
const loaders = [
  ['-thread', ['src/threads/worker.ts', 'src/io/compression/decompressworker.ts']],
  ['-create', ['src/plan/keys.ts']],
  // What is loaded later needs these, which are apart: with splitting, esbuild has at once each chunk that both the entry of the library and
  // what is loaded later import.
  ['-scheme', ['src/records/keyscheme.ts']],
  ['-parsed', ['src/records/ordinary.ts', 'src/records/jsonsequence.ts']],
  ['', ['src/index.ts']],
  ['-node', ['src/node.ts']],
  ['-command', ['src/internal.ts']],
];

/** The modules that others reach by static imports, with those. */
function reachedFrom(files, getModuleInfo) {
  const reached = new Set();
  const pending = files.map((file) => join(folder, file));
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    pending.push(...(getModuleInfo(id)?.importedIds ?? []));
  }
  return reached;
}

/**
 * The names of chunks. A chunk has the modules of a folder of src/ that are loaded together, so that it has the name of what it holds, and
 * a bundler leaves out the folders that a program does not need. Modules that are loaded by themselves have chunks of their own.
 */
function chunkNames() {
  const entryFiles = new Set(Object.values(entries).map((file) => join(folder, file)));
  let reached;
  return (file, context) => {
    if (entryFiles.has(file)) return null;
    if (file.endsWith(LATER)) return 'planner-later';
    const packageFolder = packageFolderOf(file);
    if (packageFolder) return basename(packageFolder);
    const getModuleInfo = (id) => context.getModuleInfo(id);
    reached ??= loaders.map(([suffix, files]) => [suffix, reachedFrom(files, getModuleInfo)]);
    const [top] = relative(join(folder, 'src'), file).replace(/\.ts$/, '').split(sep);
    const suffix = reached.find(([, modules]) => modules.has(file))?.[0];
    return top === '..' || suffix === undefined ? null : `${top}${suffix}`;
  };
}

const LATER = '?later';

/**
 * Gives the planner that `create` loads later a copy of its own. esbuild splits code by files, and the entry of the library imports the
 * files of the planner, so it would load them at once for every program (docs/decisions/056-one-kernel.md). Only settings, which are
 * plain data, leave the copy. The requests of plan/auto.ts are common: they remember that a planner is loaded.
 */
function laterPlanner() {
  const isCopied = (id) => /[\\/]src[\\/]plan[\\/](?!auto\.|keys\.)/.test(id);
  return {
    name: 'later-planner',
    async resolveId(source, importer, { kind }) {
      if (importer === undefined || !(kind === 'dynamic-import' || importer.endsWith(LATER))) return null;
      const found = await this.resolve(source, importer.replace(LATER, ''), { kind, skipSelf: true });
      return found && isCopied(found.id) ? { ...found, id: `${found.id}${LATER}` } : found;
    },
    load: (id) => (id.endsWith(LATER) ? { code: readFileSync(id.replace(LATER, ''), 'utf8'), moduleType: 'ts' } : null),
  };
}

/**
 * What the command and the CommonJS entries load when they first use it, because most runs do not: groups of modules, each a chunk of this
 * name. Files of the planner that resolve options or look at bounds are in none, because each run uses them.
 */
const laterGroups = {
  planner: /src\/plan\/(?!(auto|autosettings|bound|contract|keys|missed|overload|watched)\.ts)/,
  near: /src\/near\/(?!(bits|contract|minhash|note|registry|shingle|simhash)\.ts)/,
  'near-run': /src\/jobs\/near\/(?!(job|options)\.ts)/,
  'output-folder': /src\/run\/outputfolder\.ts/,
  order: /src\/(run\/inputorder|checkpoint\/order)\.ts/,
  folders: /src\/io\/file\/folderfiles\.ts|node_modules\/picomatch\//,
  'passages-run': /src\/(jobs\/)?passages\/(?!(job|note|options)\.ts)/,
  'motifs-run': /src\/jobs\/motifs\//,
  'kernel-text': /src\/kernel\/(module|detectormodule)\.ts/,
  spill: /src\/jobs\/spill\/(?!(folder|job|keep)\.ts)/,
  'line-keys': /src\/(jobs\/exact|records)\/linekeys\.ts/,
  zstd: /src\/io\/compression\/zstdpackages\.ts/,
  parquet: /src\/io\/parquet\/(?!(format|source|sink)\.ts)/,
  engines: /src\/engines\//,
  monitor: /src\/monitor\//,
  serve: /src\/(serve\/|cli\/serve\/|cli\/serve\.ts)/,
  kafka: /src\/(kafka\/|io\/kafka\/|cli\/kafka\/|cli\/kafka\.ts)/,
  settings: /src\/(options\/settings|io\/system\/namedfile)\.ts/,
  'serve-command': /src\/(cli\/servecommand|options\/serve)\.ts/,
  'kafka-command': /src\/(cli\/kafkacommand|options\/kafka)\.ts/,
};

/** Modules of Node that are loaded so too. The others are there from the start. */
const laterModules = [
  ...['node:child_process', 'node:crypto', 'node:os', 'node:readline', 'node:stream', 'node:stream/consumers'],
  ...['node:timers/promises', 'node:worker_threads', 'node:zlib'],
];

function laterGroupOf(file) {
  const path = file.replaceAll('\\', '/');
  return Object.keys(laterGroups).find((name) => laterGroups[name].test(path));
}

function isLater(id) {
  return laterModules.includes(id) || basename(id, '.cjs') in laterGroups;
}

/** The parser requires this for subcommands that are programs of their own, which the command has none of. */
const SPAWNING = /^const childProcess = (require\('node:child_process'\));$/m;

/** Lets the parser load the module of Node only when it starts a program. */
const parserLater = {
  name: 'parser-later',
  transform: (code, id) =>
    /[\\/]commander[\\/]lib[\\/]command\.js$/.test(id) && {
      code: code.replace(SPAWNING, 'const childProcess = { get spawn() { return $1.spawn; } };'),
    },
};

const requireLater = {
  name: 'require-later',
  renderChunk: (code, { isEntry }) => {
    const changed = requiringLater(code, isLater);
    // Node finds the names of the exports of an entry in its text.
    return { code: isEntry ? changed : exportingLater(changed) };
  },
};

/** The module that imports for the others, because V8 does not keep with compiled code how a module imports (bin/compilecache.js). */
const IMPORTING = { name: 'import.cjs', code: 'exports.importModule = (name) => import(name);\n' };

/** A module with a large package, which is bundled once, as an ES module that the others import. */
const ENGINE = './linepattern.js';

const engineOnce = {
  name: 'engine-once',
  resolveId: (source) => (source === ENGINE ? { id: 'engine-once', external: true } : null),
};

const importThrough = {
  name: 'import-through',
  renderChunk: (code) => ({
    code: code
      .replace(/(?<![.\w$])import\(/g, `require("./${IMPORTING.name}").importModule(`)
      .replace(/(?<=importModule\()(["'`])engine-once\1/, `"${ENGINE}"`),
  }),
};

/**
 * The names of chunks of CommonJS. What a plain run of the command loads is in few files, because each file costs time: what it shares with
 * `create`, with the library of Node, and the rest. Other chunks have the names of folders.
 */
function commonJsChunkNames() {
  const folderNames = chunkNames();
  let reached;
  return (file, context) => {
    const getModuleInfo = (id) => context.getModuleInfo(id);
    reached ??= Object.fromEntries(
      ['cli/program', 'index', 'node'].map((name) => [name, reachedFrom([`src/${name}.ts`], getModuleInfo)]),
    );
    const later = laterGroupOf(file);
    if (later !== undefined) return later;
    if (!reached['cli/program'].has(file)) return folderNames(file, context);
    if (reached.index.has(file)) return 'run-create';
    return reached.node.has(file) ? 'run-node' : 'command';
  };
}

/**
 * Escapes what is not ASCII in the text of a module, where it is only in texts and regular expressions. V8 keeps a text of ASCII in half
 * the memory, and the minifier leaves no escapes.
 */
function escapeUnits(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A folder of CommonJS modules in a package of ES modules. */
function markCommonJs(path) {
  writeFileSync(join(folder, path, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
}

/**
 * Writes the command and the public entries as CommonJS modules, for Jest and for versions of Node whose `require` takes no ES modules
 * (docs/decisions/075-entries-and-commonjs.md). They are beside the ES modules, so that both start the same workers.
 */
async function bundleCommonJs() {
  const bundle = await rolldown({
    ...fromTypeScript,
    cwd: folder,
    input: { ...Object.fromEntries(publicEntries.map((name) => [name, entries[name]])), ...command },
    external: optionalPackages,
    preserveEntrySignatures: 'allow-extension',
    plugins: [parserLater, engineOnce, requireLater, importThrough],
  });
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'cjs',
    // With the names of functions, for traces of errors.
    minify: { mangle: false, compress: true, codegen: true },
    exports: 'named',
    entryFileNames: ({ name }) => (name in command ? '[name].js' : '[name].cjs'),
    chunkFileNames: 'chunks/[name].cjs',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: commonJsChunkNames(), debugName: 'folders' }],
    },
    comments: { legal: false, annotation: false, jsdoc: false },
  });
  await bundle.close();
  for (const { fileName, code } of output) writeFileSync(join(folder, 'dist', fileName), escapeUnits(code));
  writeFileSync(join(folder, 'dist/chunks', IMPORTING.name), IMPORTING.code);
  markCommonJs('dist/cli');
  return output;
}

export async function bundleLibrary() {
  emptyDist(folder);
  const bundle = await rolldown({
    ...fromTypeScript,
    cwd: folder,
    input: entries,
    preserveEntrySignatures: 'allow-extension',
    external: optionalPackages,
    plugins: [laterPlanner()],
  });
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // JSR and Deno find the declarations of an entry by this comment.
    postBanner: ({ name, isEntry }) =>
      isEntry && publicEntries.includes(name) ? `/* @ts-self-types="./${name}.d.ts" */` : '',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: chunkNames(), debugName: 'folders' }],
    },
    comments: { legal: false, annotation: true, jsdoc: false },
  });
  await bundle.close();
  copyFileSync(join(folder, 'src/threads/sharedkernel.wasm.br'), join(folder, 'dist/chunks/sharedkernel.wasm.br'));
  copyFileSync(join(folder, 'src/io/parquet/parquetkernel.wasm'), join(folder, 'dist/chunks/parquetkernel.wasm'));
  copyFileSync(join(folder, 'build/kernel.release.wasm'), join(folder, 'dist/kernel.wasm'));
  copyFileSync(join(folder, 'build/kernel.detectors.wasm'), join(folder, 'dist/detectors.wasm'));
  const files = sourcesOf([...output, ...(await bundleCommonJs())]);
  writeLicences([...files, ...(await bundlePage(root))]);
}

export async function compileLaboratory() {
  emptyDist(laboratory);
  const bundle = await rolldown({
    ...fromTypeScript,
    cwd: laboratory,
    input: ['src/index.ts', 'src/cli/command.ts', 'src/measure/worker.ts'],
    external: /^[^./]/,
  });
  await bundle.write({
    dir: 'dist',
    format: 'esm',
    preserveModules: true,
    preserveModulesRoot: 'src',
    entryFileNames: '[name].js',
  });
  await bundle.close();
}
