// docs/REPRODUCTION.md is complete: it has every table and figure with stored results, every row with its parameters, and every
// plot.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryFolder } from '../../../firstseen/test/support/folders.js';
import { runKey } from '../../src/measure/key.js';
import { sectionSpecs } from '../../src/reproduce/registry.js';
import { trialSpecsOf } from '../../src/reproduce/run.js';

const text = readFileSync(join(repositoryFolder, 'docs/REPRODUCTION.md'), 'utf8');
const results = readFileSync(join(repositoryFolder, 'packages/lab/results/results.jsonl'), 'utf8');

/** The sections whose results are stored. Range motifs are measured again each time. */
const kept = sectionSpecs.filter(({ paper }) => paper !== 'narang-2011');

describe('docs/REPRODUCTION.md', () => {
  test.each(kept)('has $id with every row', ({ id, rows }) => {
    expect(text).toContain(`<a id="${id}"></a>`);
    for (const row of rows) expect(text).toContain(`\n${row.id}: `);
  });

  test('has all its plots', () => {
    const plots = [...text.matchAll(/\((plots\/[^)]+\.svg)\)/g)].map(([, path]) => path as string);
    expect(plots.length).toBeGreaterThan(40);
    for (const path of plots) expect(existsSync(join(repositoryFolder, 'docs', path)), path).toBe(true);
  });

  test('shows stored results: every run that the tables require is stored', () => {
    const specs = trialSpecsOf(sectionSpecs, { scale: 1 / 32, seeds: 1, data: { R2: 'bms-webview-2.txt.gz' } });
    const missing = specs.filter((spec) => !results.includes(`"key":"${runKey(spec)}"`));
    expect(missing).toEqual([]);
    expect(text).not.toContain('**not reproducible**: not run');
  });
});
