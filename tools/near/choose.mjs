// The tests that a change of files can break.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isKernelSource, kernelFolders } from '../kernelsources.mjs';
import { changedLines } from './changes.mjs';
import { reachOf, secondsOf, selectionOf, unitsAt, unitsOf } from './table.mjs';

/** The file of the cases of the command, and the topics that are suites in it. */
const CASES = 'packages/firstseen/test/cli/cases.test.ts';
const TOPIC = /^packages\/firstseen\/test\/cli\/cases\/(.+)\.txt$/;
const TEST = /\.test\.(?:ts|mjs)$/;
/** The tests that compare the kernels of all families with their twins. They reach all families, and see what no other near test does. */
const TWINS = ['twins', 'twinsettings'].map((name) => `packages/firstseen/test/contract/${name}.test.ts`);
const FAMILY_KERNEL = /^packages\/firstseen\/assembly\/detectors\//;

/**
 * The units that reach the changed lines of a source file; undefined if the table does not know the file. Those in `running` reach changed
 * lines of functions. All others load the module, and may see no more of it than that.
 */
function unitsOfSource(table, path, root) {
  if (!(path in table.files)) return undefined;
  const lines = changedLines(root, path, table.commit);
  if (lines === undefined) return { running: [], loading: unitsOf(table, path) };
  const ofLines = lines.map((line) => unitsAt(table, path, line));
  // Code outside of functions runs when the module is loaded, so that its effect is seen by all that use the module.
  const isModuleChanged = ofLines.includes(undefined);
  return {
    running: ofLines.flatMap((units) => units ?? []),
    loading: isModuleChanged ? unitsOf(table, path) : [],
  };
}

/** The files of a folder of the kernel that import a file of it, directly or through others, and the file itself. */
function importersOf(path, folder, root) {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.ts'));
  const imports = new Map(
    files.map((file) => {
      const sources = readFileSync(join(root, file), 'utf8').matchAll(/ from '(\.[^']+)'/g);
      return [file, [...sources].map(([, source]) => `${relative(root, resolve(root, dirname(file), source))}.ts`)];
    }),
  );
  const reached = new Set([path]);
  // A set visits what is added to it while it is visited.
  for (const file of reached) {
    for (const [importer, sources] of imports) if (sources.includes(file)) reached.add(importer);
  }
  return [...reached];
}

/** The units of a file of the kernel: those that reach the sources which have the name of the file or call one of its functions. */
function unitsOfKernel(table, path, root) {
  const { assembly, source: sources } = kernelFolders(path);
  return importersOf(path, assembly, root).flatMap((file) => {
    const twin = file.replace(assembly, sources);
    if (twin in table.files) return unitsOf(table, twin);
    const names = [...readFileSync(join(root, file), 'utf8').matchAll(/^export function (\w+)/gm)].map(
      ([, name]) => name,
    );
    if (names.length === 0) return [];
    const call = new RegExp(`\\b(?:${names.join('|')})\\b`);
    const callers = Object.keys(table.files).filter((source) => {
      return (
        source.startsWith(sources) &&
        existsSync(join(root, source)) &&
        call.test(readFileSync(join(root, source), 'utf8'))
      );
    });
    return callers.flatMap((source) => unitsOf(table, source));
  });
}

/**
 * The units that together took so many seconds when the table was made, from those on that reach the least; at least one. Units that only
 * load what changed come after all others.
 */
export function nearest(table, units, seconds, loading = new Set()) {
  const [reach, took] = [reachOf(table), secondsOf(table)];
  const sorted = units.toSorted(
    (one, other) =>
      Number(loading.has(one)) - Number(loading.has(other)) || (reach.get(one) ?? 0) - (reach.get(other) ?? 0),
  );
  let sum = 0;
  return sorted.filter((unit, i) => {
    const isIn = i === 0 || sum + (took.get(unit) ?? 0) <= seconds;
    if (isIn) sum += took.get(unit) ?? 0;
    return isIn;
  });
}

/**
 * Chooses the tests for files, whose paths are relative to the root.
 * @param seconds of the nearest tests, as the table has them; all tests by default. Tests that have changed, and the twins of a kernel that has,
 * are chosen whatever they take.
 * @returns `selection`, suites by test file or null for a whole file; `left`, the number of units that take longer; and `unknown`, the files that
 * the table says nothing about
 */
export function choose(table, paths, root, seconds = Number.POSITIVE_INFINITY) {
  const always = new Set(paths.some((path) => FAMILY_KERNEL.test(path)) ? TWINS : []);
  const units = new Set();
  const loading = new Set();
  const unknown = [];
  const add = (some) => {
    for (const unit of some) units.add(unit);
  };
  for (const path of paths) {
    const topic = TOPIC.exec(path)?.[1];
    if (topic !== undefined) always.add(`${CASES}#${topic}`);
    else if (TEST.test(path)) always.add(path);
    else if (isKernelSource(path)) add(unitsOfKernel(table, path, root));
    else {
      const reaching = unitsOfSource(table, path, root);
      if (reaching === undefined) unknown.push(path);
      else {
        add(reaching.running);
        for (const unit of reaching.loading) loading.add(unit);
      }
    }
  }
  for (const unit of units) loading.delete(unit);
  const isThere = (unit) => existsSync(join(root, unit.replace(/#.*$/s, '')));
  const first = [...always].filter(isThere);
  const isFirst = (unit) => always.has(unit) || always.has(unit.replace(/#.*$/s, ''));
  const others = [...units, ...loading].filter((unit) => isThere(unit) && !isFirst(unit));
  const took = secondsOf(table);
  const secondsFirst = first.map((unit) => table.seconds[unit] ?? took.get(unit) ?? 0);
  const leftSeconds = secondsFirst.reduce((left, one) => left - one, seconds);
  const isRoomLeft = first.length === 0 || leftSeconds > 0;
  const chosen = [...first, ...(isRoomLeft ? nearest(table, others, leftSeconds, loading) : [])];
  return { selection: selectionOf(chosen), left: first.length + others.length - chosen.length, unknown };
}
