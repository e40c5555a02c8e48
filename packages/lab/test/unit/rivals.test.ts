// The structures of others are in the laboratory only.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolder, repositoryFolder } from '../../../firstseen/test/support/folders.js';
import { rivals } from '../../src/rivals/registry.js';

/** The built code below a folder, as one text. */
function codeOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(js|cjs|mjs)$/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

const titles = [...new Set(rivals.map(({ paper }) => paper.title))];

test('the library and the command have none of them', () => {
  const code = codeOf(join(packageFolder, 'dist'));
  expect(code.length).toBeGreaterThan(100_000);
  expect(titles.filter((title) => code.includes(title))).toEqual([]);
});

test('the laboratory has all of them, with their titles', () => {
  const code = codeOf(join(repositoryFolder, 'packages/lab/dist'));
  expect(titles.filter((title) => !code.includes(title))).toEqual([]);
});
