// Compares the drawings in docs/ARCHITECTURE.md with the folders, their files and their imports.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAMILIES, layers } from '../style/layers.mjs';
import { importsOf, resolveImport } from '../style/rules.mjs';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8');
/** The pages with drawings. */
const pages = [text, readFileSync(join(root, 'docs/FOLDERS.md'), 'utf8')].join('\n');
/** The files of families, which the drawings have as one. */
const families = readdirSync(join(root, 'packages/firstseen/assembly/detectors'));
/** Newcomers read the page as a whole. */
const MAX_WORDS = 2400;

/** Parses the drawing between `subgraph NAME` and its `end` into the names of each node and the arrows between nodes. */
function drawn(name) {
  const [, part] = new RegExp(`subgraph ${name}\\[[^\\n]*\\n([\\s\\S]*?)\\n  end`).exec(pages) ?? [];
  const nodes = new Map(
    [...part.matchAll(/^ +(\w+)\["([^":]+):?[^"]*"\]$/gm)].map(([, node, label]) => [
      node,
      label.split(', ').flatMap((one) => (one === FAMILIES ? families : one.replace(/\/$/, ''))),
    ]),
  );
  const arrows = [...part.matchAll(/^ +(\w+) --> (\w+)$/gm)].map(([, from, to]) => [from, to]);
  return { nodes, arrows };
}

/** For each entry of a folder, the entries of the same folder that it imports from. */
function importedEntries(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const imported = new Map();
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name)
      .slice(root.length + 1)
      .replaceAll('\\', '/');
    const [own] = path.slice(folder.length + 1).split('/');
    const targets = importsOf(readFileSync(join(root, path), 'utf8'))
      .map((specifier) => resolveImport(path, specifier))
      .filter((target) => target?.startsWith(`${folder}/`))
      .map((target) => target.slice(folder.length + 1).split('/')[0]);
    imported.set(own, new Set([...(imported.get(own) ?? []), ...targets]));
  }
  return imported;
}

const source = 'packages/firstseen/src';
const parts = [
  ['src', source],
  ['assembly', 'packages/firstseen/assembly'],
];
/** Folders whose drawings have their files too. */
const ordered = Object.keys(layers)
  .filter((folder) => folder.startsWith(`${source}/`))
  .map((folder) => [folder.slice(source.length + 1), folder]);

test.each(parts)('the drawing of %s has every folder', (name, folder) => {
  const folders = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const names = [...drawn(name).nodes.values()].flat();
  const what = `the nodes of the drawing of ${name} in docs/ARCHITECTURE.md, and the folders of ${folder}`;
  expect(names.filter((one) => !one.includes('.')).sort(), what).toEqual(folders.sort());
});

test('every folder of the library with an order inside has a drawing, and every drawing of one is of such a folder', () => {
  const names = [...pages.matchAll(/subgraph \w+\["src\/(\w+)"\]/g)].map(([, name]) => name);
  expect(names.sort()).toEqual(ordered.map(([name]) => name).sort());
});

test.each(ordered)('the drawing of %s has every file and folder, in the order that lint checks', (name, folder) => {
  const groups = [...drawn(name).nodes.values()];
  const what = `the nodes of the drawing of ${name} in docs/ARCHITECTURE.md, and the entries of ${folder}`;
  expect(groups.flat().sort(), what).toEqual(readdirSync(join(root, folder)).sort());
  const nameOf = (entry) => (layers[folder].flat().includes(entry) ? entry : FAMILIES);
  const placeOf = (entry) => layers[folder].findIndex((layer) => [layer].flat().includes(nameOf(entry)));
  for (const group of groups) {
    expect(new Set(group.map(placeOf)).size, `${group.join(', ')}: one layer of tools/style/layers.mjs`).toBe(1);
  }
  const places = groups.map(([entry]) => placeOf(entry));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test.each([...parts, ...ordered])('each arrow in the drawing of %s is an import', (name, folder) => {
  const { nodes, arrows } = drawn(name);
  const imported = importedEntries(folder);
  expect(arrows.length).toBeGreaterThan(3);
  const missing = arrows.filter(
    ([from, to]) => !nodes.get(to).some((entry) => nodes.get(from).some((target) => imported.get(entry)?.has(target))),
  );
  expect(missing, `arrows of the drawing of ${name} without an import, or with the nodes in the wrong order`).toEqual(
    [],
  );
});

/** The nodes from which arrows lead to a node, over others too. */
function above(node, arrows, found = new Set()) {
  for (const [from] of arrows.filter(([, to]) => to === node)) {
    if (found.has(from)) continue;
    found.add(from);
    above(from, arrows, found);
  }
  return found;
}

test.each([...parts, ...ordered])('each import in %s follows arrows of its drawing', (name, folder) => {
  const { nodes, arrows } = drawn(name);
  const nodeOf = (entry) => [...nodes.keys()].find((node) => nodes.get(node).includes(entry));
  const pairs = [...importedEntries(folder)].flatMap(([own, targets]) => [...targets].map((target) => [own, target]));
  const missing = pairs
    .map(([own, target]) => [nodeOf(own), nodeOf(target)])
    .filter(([own, target]) => own !== undefined && target !== undefined && own !== target)
    .filter(([own, target]) => !above(own, arrows).has(target));
  expect(missing, `imports that no arrows of the drawing of ${name} lead to`).toEqual([]);
});

test('the page without its drawings stays within its limit of words', () => {
  const prose = text.replace(/^```mermaid$[\s\S]*?^```$/gm, '');
  expect(prose.split(/\s+/).filter(Boolean).length, 'shorten docs/ARCHITECTURE.md').toBeLessThanOrEqual(MAX_WORDS);
});
