// Writes what the last run of test/statistical/published.test.ts measured into docs/ALGORITHMS.md.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceBetween } from './markers.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const notes = join(root, 'build/published');
const page = join(root, 'docs/ALGORITHMS.md');

const measured = readdirSync(notes)
  .sort()
  .flatMap((name) => JSON.parse(readFileSync(join(notes, name), 'utf8')));

function pair({ fpr, fnr }) {
  return `${Number(fpr.toPrecision(4))} / ${Number(fnr.toPrecision(4))}`;
}

const algorithms = [...new Set(measured.map(({ algorithm }) => algorithm))];
const groups = new Map();
for (const row of measured) groups.set(groupOf(row), [...(groups.get(groupOf(row)) ?? []), row]);

function groupOf({ distinctShare, memoryMB }) {
  return `${100 * distinctShare} %, ${memoryMB} MB`;
}

function line(group, title, kind, isLowerHalf) {
  const cells = algorithms.map((algorithm) => {
    const row = group.find((candidate) => candidate.algorithm === algorithm && candidate.isLowerHalf === isLowerHalf);
    return row ? pair(row[kind]) : '';
  });
  return `| ${[title, ...cells].join(' | ')} |`;
}

const lines = [...groups].flatMap(([name, group]) => [
  line(group, `${name}: published`, 'published', false),
  line(group, 'measured', 'measured', false),
  ...(group.some((row) => row.isLowerHalf)
    ? [line(group, 'measured, victims in the lower half', 'measured', true)]
    : []),
]);
const table = [
  `| distinct, memory | ${algorithms.join(' | ')} |`,
  `|---|${'---|'.repeat(algorithms.length)}`,
  ...lines,
  '',
  'Printed by `npx vitest run test/statistical/published.test.ts && node tools/published.mjs`.',
].join('\n');
writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), 'published', table));
