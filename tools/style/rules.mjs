// Rules of style that the linter does not check, as pure functions of paths and texts. The tables at the top configure them.

import { posix } from 'node:path';
import ts from '@typescript/typescript6';
import { FAMILIES, layers, ROOT } from './layers.mjs';
import { localProblems } from './locals.mjs';

const SOURCE = 'packages/firstseen/src';
const ASSEMBLY = 'packages/firstseen/assembly';

/** Folders and files that run outside Node: neither they nor their imports may import a `node:` module. */
export const portable = [
  `${SOURCE}/kernel/`,
  `${SOURCE}/fingerprint/`,
  `${SOURCE}/options/`,
  `${SOURCE}/records/`,
  `${SOURCE}/detectors/`,
  `${SOURCE}/plan/`,
  `${SOURCE}/near/`,
  `${SOURCE}/snapshot/`,
  `${SOURCE}/claims/`,
  `${SOURCE}/streams/`,
  `${SOURCE}/base/`,
  `${SOURCE}/framing/`,
  `${SOURCE}/passages/`,
  `${SOURCE}/pool/`,
  ...['index', 'errors', 'motifs', 'near', 'partitions', 'plan'].map((name) => `${SOURCE}/${name}.ts`),
];

/** The entries of the library that other packages of the repository may import. */
export const publicEntries = [
  'firstseen',
  ...['errors', 'motifs', 'near', 'partitions', 'plan', 'internal', 'package.json'].map((name) => `firstseen/${name}`),
];

export const MAX_LINES = 400;

/** Finds all module specifiers in a text: of imports, exports, dynamic imports and URLs relative to the module. */
export function importsOf(text) {
  const patterns = [
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s+['"]([^'"]+)['"]/gm,
    /^\s*import\s+['"]([^'"]+)['"]/gm,
    /\bimport\(\s*(?:\/\*[\s\S]*?\*\/\s*)?['"`]([^'"`$]+)['"`]\s*,?\s*\)/g,
    /\bnew URL\(\s*['"`]([^'"`$]+\.(?:js|ts|mjs))['"`]\s*,\s*import\.meta\.url\s*,?\s*\)/g,
  ];
  return [...new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, found]) => found)))];
}

/** The path of a relative import, from the root of the repository; undefined for a package or a `node:` module. */
export function resolveImport(path, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  return posix
    .join(posix.dirname(path), specifier)
    .replace(/\.js$/, '.ts')
    .replace(/(?<!\.[a-z]+)$/, '.ts');
}

function targetsOf(path, text) {
  return importsOf(text)
    .map((specifier) => resolveImport(path, specifier))
    .filter((target) => target !== undefined);
}

/** The layer of a path in the list of a folder. `index` is -1 if the list has no such entry. */
function layerOf(path, root) {
  const [entry] = path.slice(root === ROOT ? 0 : root.length + 1).split('/');
  const indexOf = (name) => layers[root].findIndex((layer) => [layer].flat().includes(name));
  const name = indexOf(entry) === -1 && entry.endsWith('.ts') && indexOf(FAMILIES) !== -1 ? FAMILIES : entry;
  return { root, name, index: indexOf(name) };
}

/** The layers of a path, one for each list that has it: { root, name, index }. */
function layersOf(path) {
  return Object.keys(layers)
    .filter((root) => root === ROOT || path.startsWith(`${root}/`))
    .map((root) => layerOf(path, root))
    .filter(({ root, index }) => root !== ROOT || index !== -1);
}

export function directionProblems(path, text) {
  const targets = targetsOf(path, text);
  return layersOf(path).flatMap((own) => {
    if (own.index === -1) return [`is in no layer of ${own.root}; name ${own.name} in tools/style/layers.mjs`];
    return targets.flatMap((target) => {
      const other = layersOf(target).find(({ root }) => root === own.root);
      if (other === undefined || other.index === -1 || other.name === own.name) return [];
      if (other.index > own.index) return [`imports ${target}, but ${other.name} comes after ${own.name}`];
      return other.index === own.index ? [`imports ${target}, but ${own.name} and ${other.name} are side by side`] : [];
    });
  });
}

/** AssemblyScript of other packages may import these files, because its compiler does not support packages. */
export const sharedAssembly = `${ASSEMBLY}/lib/`;

/** The source of a package imports from another package only through its public entries. */
export function packageProblems(path, text) {
  const [, own] = /^(packages\/[^/]+)\/(?:src|assembly|bin)\//.exec(path) ?? [];
  if (own === undefined) return [];
  const isAssembly = path.startsWith(`${own}/assembly/`);
  const outside = targetsOf(path, text).filter(
    (target) => !target.startsWith(`${own}/`) && !(isAssembly && target.startsWith(sharedAssembly)),
  );
  const inner = importsOf(text).filter(
    (specifier) => /^firstseen\//.test(specifier) && !publicEntries.includes(specifier),
  );
  return [
    ...outside.map((target) => `imports ${target}, which is outside ${own}`),
    ...inner.map((specifier) => `imports ${specifier}, which is not an entry of the library`),
  ];
}

/**
 * Finds files that must run outside Node but import a `node:` module.
 * @param texts text by path, of every file of the repository
 * @returns a list of [path, problem]
 */
export function portabilityProblems(texts) {
  const starts = [...texts.keys()].filter((path) => portable.some((place) => path.startsWith(place)));
  const from = new Map(starts.map((path) => [path, path]));
  for (const [path, start] of from) {
    for (const target of targetsOf(path, texts.get(path) ?? '')) if (!from.has(target)) from.set(target, start);
  }
  return [...from].flatMap(([path, start]) => {
    const found = importsOf(texts.get(path) ?? '').find((specifier) => specifier.startsWith('node:'));
    if (found === undefined) return [];
    const why = path === start ? 'it has to run outside Node' : `${start} needs it, which has to run outside Node`;
    return [[path, `imports ${found}, but ${why}`]];
  });
}

/**
 * Finds imports by which a file needs itself.
 * @param texts text by path, of every file of the repository
 * @returns a list of [path, problem]
 */
export function circleProblems(texts) {
  const problems = [];
  const done = new Set();
  const visit = (path, way) => {
    if (way.includes(path)) {
      problems.push([
        path,
        `imports itself by way of ${way.slice(way.indexOf(path) + 1).join(', ') || 'nothing else'}`,
      ]);
      return;
    }
    if (done.has(path)) return;
    for (const target of targetsOf(path, texts.get(path) ?? '')) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of texts.keys()) visit(path, []);
  return problems;
}

export function lengthProblems(path, text) {
  const lines = text.split('\n').length - 1;
  const isCode = /^packages\/[^/]+\/(src|assembly)\//.test(path);
  return isCode && lines > MAX_LINES ? [`has ${lines} lines; the limit is ${MAX_LINES}`] : [];
}

export function leftoverProblems(_path, text) {
  const marks = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'];
  const focus = /\b(?:it|test|describe)\.(?:only|skip|todo)\(/;
  return [
    ...marks.filter((mark) => new RegExp(`\\b${mark}\\b`).test(text)).map((mark) => `contains ${mark}`),
    ...(focus.test(text) ? ['skips or singles out a test'] : []),
  ];
}

/** Finds every string literal in a text, and every literal part of its templates. */
export function stringsOf(text) {
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}

/**
 * Only the command and the rows of its options name flags. The library names options, which the command renders as flags
 * (src/options/flagnames.ts).
 */
export function flagProblems(path, text) {
  if (
    !path.startsWith(`${SOURCE}/`) ||
    [`${SOURCE}/cli/`, `${SOURCE}/options/`].some((place) => path.startsWith(place))
  )
    return [];
  const flags = stringsOf(text).flatMap((string) => string.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []);
  return flags.map((flag) => `names the flag ${flag}; refer to the option with optionName`);
}

const HEADLESS = /^(?:What|Whether|How|Where|When|Which|Who|Whose)\b/;

/** A doc comment begins with a noun phrase or a verb, not with a clause that lacks its main part. A question may begin so. */
export function commentProblems(path, text) {
  if (!/^packages\/[^/]+\/(src|assembly)\//.test(path)) return [];
  const comments = [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(([, inside]) => inside.replace(/^[\s*]+/, ''));
  const headless = comments.filter((comment) => HEADLESS.test(comment) && !/^[^.]*\?/.test(comment));
  return headless.map((comment) => {
    const [beginning] = comment.split('\n');
    return `begins a comment with a headless clause, "${beginning.trim()}"; name the thing, or begin with a verb`;
  });
}

/** Checks all texts, given by path. Returns each problem as `path: problem`. */
export function styleProblems(texts) {
  const rules = [
    lengthProblems,
    directionProblems,
    packageProblems,
    leftoverProblems,
    flagProblems,
    commentProblems,
    localProblems,
  ];
  const own = [...texts].flatMap(([path, text]) =>
    rules.flatMap((rule) => rule(path, text).map((what) => [path, what])),
  );
  return [...own, ...portabilityProblems(texts), ...circleProblems(texts)].map(
    ([path, problem]) => `${path}: ${problem}`,
  );
}
