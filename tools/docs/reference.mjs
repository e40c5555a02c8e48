// The reference of the library: a page for each entry, with what it exports, from the declarations and their comments.

import { dirname, relative } from 'node:path';
import ts from '@typescript/typescript6';
import { headText, memberText, statementText, textsOf } from './declared.mjs';
import { openLibrary } from './library.mjs';

/** An entry that few programs need, and what it exports. */
function ofEntry(entry, exported) {
  return {
    path: `docs/reference/${entry}.md`,
    entry,
    title: `firstseen/${entry}`,
    about: `The exports of the entry \`firstseen/${entry}\`: ${exported}.`,
  };
}

const pages = [
  {
    path: 'docs/reference/firstseen.md',
    entry: 'index',
    title: 'firstseen',
    about: 'The exports of the entry `firstseen`, which runs in Node, browsers, Deno and Bun.',
  },
  ofEntry('near', 'detectors of near-duplicate documents, and of passages of texts'),
  ofEntry('motifs', 'sets of records of one length that differ in few bits'),
  ofEntry('plan', 'plans, samples of streams, and descriptions of the families'),
  ofEntry('partitions', 'functions that divide detectors and join them'),
  ofEntry('errors', 'the class and the codes of all errors'),
  {
    path: 'docs/reference/node.md',
    entry: 'node',
    title: 'firstseen/node',
    about: 'The exports of the entry `firstseen/node`, which requires Node.',
  },
];

const sections = [
  { title: 'Functions', kinds: ts.SymbolFlags.Function },
  { title: 'Classes', kinds: ts.SymbolFlags.Class },
  { title: 'Constants', kinds: ts.SymbolFlags.Variable },
  { title: 'Types', kinds: ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias },
];

const othersTitle = 'Types that are not exported';

const generated = '<!-- `node tools/docs.mjs` writes this page from the comments in the source. -->';

function byName(a, b) {
  return a.name.localeCompare(b.name, 'en');
}

function anchorOf(title) {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** A link from a page to the section of a symbol. */
function linkTo({ path, name }, page) {
  const file = path === page.path ? '' : relative(dirname(page.path), path);
  return `[${name}](${file}#${anchorOf(name)})`;
}

function codeOf({ contentsOf, wordsOf }, name, declaration, hasSection) {
  const words = wordsOf(declaration);
  if (words) return [`type ${name} = ${words.map((word) => `'${word}'`).join(' | ')};`];
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration))
    return [statementText(declaration)];
  const { heritage } = contentsOf(declaration, hasSection);
  const keyword = ts.isClassDeclaration(declaration) ? 'class' : 'interface';
  return heritage.length > 0 || declaration.typeParameters
    ? [`${keyword} ${headText(name, declaration, heritage)}`]
    : [];
}

function memberRow(member) {
  const cell = (text) => text.replaceAll('|', '\\|');
  return `| \`${cell(memberText(member))}\` | ${cell(textsOf(member).join(' '))} |`;
}

function sectionOf(library, places, page, { name, symbol }) {
  const hasSection = (one) => places.has(one);
  const declarations = library.declarationsOf(symbol);
  const code = declarations.flatMap((one) => codeOf(library, name, one, hasSection));
  const rows = declarations.flatMap((one) => library.contentsOf(one, hasSection).members).map(memberRow);
  const named = declarations.flatMap((one) => library.namedBy(one, hasSection));
  const links = [...new Set(named)]
    .filter((one) => one !== symbol && places.has(one))
    .map((one) => linkTo(places.get(one), page));
  const parts = [
    [`### ${name}`],
    code.length > 0 ? ['```ts', ...code, '```'] : [],
    ...[...new Set(declarations.flatMap(textsOf))].map((text) => [text]),
    rows.length > 0 ? ['| member | meaning |', '|---|---|', ...rows] : [],
    links.length > 0 ? [`See ${links.join(', ')}.`] : [],
  ];
  return parts.filter((lines) => lines.length > 0).flatMap((lines) => [...lines, '']);
}

function pageText(library, places, page) {
  const listed = [
    ...sections.map(({ title, kinds }) => [title, page.exported.filter(({ symbol }) => symbol.flags & kinds)]),
    [othersTitle, page.others],
  ].filter(([, all]) => all.length > 0);
  const contents = listed.map(([title, all]) => {
    const links = title === othersTitle ? '' : `: ${all.map(({ name }) => `[${name}](#${anchorOf(name)})`).join(', ')}`;
    return `- [${title}](#${anchorOf(title)})${links}`;
  });
  const texts = listed.flatMap(([title, all]) => [
    `## ${title}`,
    '',
    ...all.flatMap((one) => sectionOf(library, places, page, one)),
  ]);
  return `${[`# ${page.title}`, '', generated, '', page.about, '', ...contents, '', ...texts].join('\n').trimEnd()}\n`;
}

/** Types of the library that no entry exports, and that `exported` names, directly or through one another. */
function othersOf({ declarationsOf, namedBy }, exported, hasSection) {
  const found = new Set();
  const reached = exported.map(({ symbol }) => symbol);
  for (const symbol of reached) {
    const named = declarationsOf(symbol).flatMap((one) => namedBy(one, hasSection));
    for (const one of named) {
      if (hasSection(one) || found.has(one)) continue;
      found.add(one);
      reached.push(one);
    }
  }
  return [...found].map((symbol) => ({ name: symbol.name, symbol })).sort(byName);
}

/**
 * The text of each page of the reference, by its path in the repository.
 * @param root the folder of the repository, after a build
 */
export function referencePages(root) {
  const library = openLibrary(root);
  const places = new Map();
  const place = (listed, path) => {
    for (const { name, symbol } of listed) if (!places.has(symbol)) places.set(symbol, { path, name });
  };
  const withExports = pages.map((page) => ({ ...page, exported: library.exportsOf(page.entry).sort(byName) }));
  for (const { exported, path } of withExports) place(exported, path);
  const exportedPlaces = new Map(places);
  const complete = withExports.map((page) => {
    const others = othersOf(library, page.exported, (symbol) => exportedPlaces.has(symbol)).filter(
      ({ symbol }) => !places.has(symbol),
    );
    place(others, page.path);
    return { ...page, others };
  });
  return Object.fromEntries(complete.map((page) => [page.path, pageText(library, places, page)]));
}
