import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readInputs } from './inputs.ts';

test('README.md lists exactly the inputs of the corpus', () => {
  const text = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const named = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(readInputs().map(({ name }) => name));
});
