// docs/REPRODUCTION.md is whole: every table and figure of results that are kept, every row with its command, and every plot.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryFolder } from '../../../firstseen/test/support/folders.js';
import { runKey } from '../../src/measure/key.js';
import { sectionPlans } from '../../src/reproduce/registry.js';
import { trialSpecsOf } from '../../src/reproduce/run.js';

const text = readFileSync(join(repositoryFolder, 'docs/REPRODUCTION.md'), 'utf8');
const results = readFileSync(join(repositoryFolder, 'packages/lab/results/results.jsonl'), 'utf8');

/** Those that are made of results that are kept; range motifs are measured anew each time. */
const kept = sectionPlans.filter(({ paper }) => paper !== 'narang-2011');

describe('docs/REPRODUCTION.md', () => {
  test.each(kept)('has $id with every row', ({ id, rows }) => {
    expect(text).toContain(`<a id="${id}"></a>`);
    for (const row of rows) expect(text).toContain(`firstseen lab reproduce --row ${row.id} `);
  });

  test('has its plots', () => {
    const plots = [...text.matchAll(/\((plots\/[^)]+\.svg)\)/g)].map(([, path]) => path as string);
    expect(plots.length).toBeGreaterThan(40);
    for (const path of plots) expect(existsSync(join(repositoryFolder, 'docs', path)), path).toBe(true);
  });

  test('shows results that are kept: what the tables need now is what was run', () => {
    const specs = trialSpecsOf(sectionPlans, { scale: 1 / 32, seeds: 1, data: { R2: 'bms-webview-2.txt.gz' } });
    const missing = specs.filter((spec) => !results.includes(`"key":"${runKey(spec)}"`));
    expect(missing).toEqual([]);
    expect(text).not.toContain('**not reproducible**: not run');
  });
});
