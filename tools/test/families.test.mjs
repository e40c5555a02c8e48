// A family has one file in each place and one row in each registry, and nothing else knows the list of families (docs/ARCHITECTURE.md).

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, resolveImport, stringsOf } from '../style/rules.mjs';

const root = join(import.meta.dirname, '../..');
const folder = 'packages/firstseen';
const read = (path) => readFileSync(join(root, path), 'utf8');

/** The folders that have a file of each family. */
const places = ['assembly/detectors', 'src/detectors', 'src/plan', 'test/reference'].map((one) => `${folder}/${one}`);
/** The registries, which have a row of each. */
const registries = [
  'src/detectors/registry.ts',
  'src/detectors/descriptions.ts',
  'src/plan/registry.ts',
  'test/reference/twins.ts',
].map((one) => `${folder}/${one}`);
/** Names of families that are also words: a job, and an encoding of Node. */
const otherWords = ['exact', 'buffer'];

/** The families are those with a kernel. */
const names = readdirSync(join(root, places[0])).map((file) => file.replace(/\.ts$/, ''));
const filesOfFamilies = names.flatMap((name) => places.map((place) => `${place}/${name}.ts`));

const sources = readdirSync(join(root, folder, 'src'), { recursive: true })
  .filter((file) => file.endsWith('.ts') && !/kernel[\\/](abi|module)\.ts$/.test(file))
  .map((file) => `${folder}/src/${file.replaceAll('\\', '/')}`);

test.each(names)('%s has a file in each place', (name) => {
  expect(places.filter((place) => !existsSync(join(root, `${place}/${name}.ts`)))).toEqual([]);
});

test.each(registries)('%s has one row of each family', (path) => {
  const text = read(path);
  const rowsOf = (name) => text.match(new RegExp(`^  ${name}(?::.*)?,$`, 'gm')) ?? [];
  expect(names.filter((name) => rowsOf(name).length !== 1)).toEqual([]);
});

test('only registries and families import the module of a family', () => {
  const allowed = [...registries, ...filesOfFamilies, `${folder}/src/internal.ts`];
  const found = sources
    .filter((path) => !allowed.includes(path))
    .flatMap((path) => importsOf(read(path)).map((specifier) => [path, resolveImport(path, specifier)]))
    .filter(([, target]) => filesOfFamilies.includes(target));
  expect(found).toEqual([]);
});

test('only families name a family', () => {
  const searched = names.filter((name) => !otherWords.includes(name));
  const found = sources
    .filter((path) => !filesOfFamilies.includes(path))
    .flatMap((path) => stringsOf(read(path)).map((string) => [path, string]))
    .filter(([, string]) => searched.includes(string));
  expect(found).toEqual([]);
});
