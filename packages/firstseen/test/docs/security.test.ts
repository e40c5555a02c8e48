// docs/SECURITY.md has a row for every family.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';

const text = readFileSync(new URL('../../../../docs/SECURITY.md', import.meta.url), 'utf8');

test.each(families)('$name has exactly one row', ({ name }) => {
  const rows = text.split('\n').filter((line) => line.startsWith('|') && line.split('|')[1]?.includes(`\`${name}\``));
  expect(rows.length).toBe(1);
});
