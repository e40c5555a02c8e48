// What there is to say of an option is in its row: its type, its default and its flag are not said again on the way to who uses it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { flagOfOption } from '../../../src/options/flagnames.js';
import * as kafka from '../../../src/options/kafka.js';
import { longFlag } from '../../../src/options/longflag.js';
import * as plan from '../../../src/options/plan.js';
import type { OptionRow } from '../../../src/options/row.js';
import { optionRows } from '../../../src/options/rows.js';
import * as serve from '../../../src/options/serve.js';

const folder = fileURLToPath(new URL('../../../src', import.meta.url));
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const sources = paths.sort().map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));

function filesWith(words: RegExp): string[] {
  return sources.filter(({ text }) => words.test(text)).map(({ path }) => path);
}

// An option that is added has its row and the file that uses it. A third file means that something of it is said twice.
test.each([
  ['drainMilliseconds', '--drain-delay', ['options/serve.ts', 'serve/server.ts']],
  // What compacts, and a remedy.
  [
    'logLimitBytes',
    '--log-limit',
    ['cli/serve.ts', 'options/serve.ts', 'serve/log/datafolder.ts', 'serve/log/snapshotwaits.ts'],
  ],
  [
    'snapshotEvery',
    '--snapshot-every',
    // The greeting, a remedy, and what takes snapshots.
    ['cli/kafka.ts', 'kafka/partition/opening.ts', 'kafka/partition/snapshotting.ts', 'options/kafka.ts'],
  ],
  ['sampleRecords', '--sample-records', ['cli/plan.ts', 'jobs/sample.ts', 'options/plan.ts']],
])('%s is in its row and where it is used', (name, flag, files) => {
  expect(filesWith(new RegExp(`\\b${name}\\b|${flag}\\b`))).toEqual(files);
});

const programs: readonly (readonly [string, readonly OptionRow[], RegExp])[] = [
  ['serve', serve.serveRows, /^cli\/serve/],
  ['kafka', kafka.kafkaRows, /^cli\/kafka/],
  ['plan', [...plan.planRows, ...plan.nearPlanRows], /^cli\/plan/],
];

describe.each(programs)('the options of %s', (_program, rows, files) => {
  const own = sources.filter(({ path }) => files.test(path));

  test('have their types and defaults in their rows alone', () => {
    const typed = new RegExp(`^ +(readonly )?(${rows.map(({ name }) => name).join('|')})\\?: `, 'm');
    expect(own.length).toBeGreaterThan(1);
    expect(own.filter(({ text }) => typed.test(text)).map(({ path }) => path)).toEqual([]);
    expect(own.filter(({ text }) => /\.default\b/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('have their flags in errors', () => {
    for (const row of rows) expect(flagOfOption(row.name)).toBe(longFlag(row));
  });
});

test.each([serve, kafka, plan])('a row is exported by its name', (module) => {
  const rows = Object.entries<unknown>(module).filter(([, row]) => typeof row === 'object' && !Array.isArray(row));
  expect(rows.length).toBeGreaterThan(4);
  for (const [name, row] of rows) expect(name).toBe((row as OptionRow).name);
});

test('an option has one flag in all programs', () => {
  const flags = new Map<string, Set<string>>();
  const all: readonly OptionRow[] = [...optionRows, ...programs.flatMap(([, rows]) => rows)];
  for (const row of all.filter(({ flag }) => flag !== undefined)) {
    flags.set(row.name, (flags.get(row.name) ?? new Set()).add(longFlag(row)));
  }
  expect([...flags].filter(([, names]) => names.size > 1)).toEqual([]);
});
