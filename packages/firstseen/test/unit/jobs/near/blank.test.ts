// Documents without words are compared by their signs. Blank ones are equal to each other, counted and told.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { summaryText } from '../../../../src/cli/summary.js';
import { runDocuments } from '../../../../src/jobs/near/run.js';
import type { NearOptions } from '../../../../src/near/settings.js';
import { temporaryFolder } from '../../../cli/support/command.js';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});

async function run(texts: readonly string[], near: NearOptions, rest = {}) {
  const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out')];
  writeFileSync(input, texts.map((text) => `${JSON.stringify({ text })}\n`).join(''));
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  const stats = await runDocuments({
    ...{ inputs: [input], output, format: 'ndjson', near: { memory: '1MiB', ...near }, onWarning },
    ...rest,
  });
  const texted = readFileSync(output, 'utf8').split('\n').filter(Boolean);
  return { stats, warnings, kept: texted.map((line) => JSON.parse(line).text) };
}

const signs = [':-)', '???', '👍', '👎', '→ → ↑', '\u0301', '…', '|---|---|', '= ='];

test.each<NearOptions>([
  {},
  { verify: false },
  { shingle: '5w' },
  { shingle: '3c' },
  { lsh: 'simhash', similarity: 0.9 },
])('signs are compared with %j', async (near) => {
  const { kept, stats } = await run([...signs, ' …\n', 'some words', ...signs], near);
  expect(kept).toEqual([...signs, 'some words']);
  expect(stats.near.blank).toBe(0);
});

test('documents without tokens too', async () => {
  const { kept } = await run(['[]', ',,', '[ , ]', '[]'], { shingle: '3t' });
  expect(kept).toEqual(['[]', ',,', '[ , ]']);
});

const blanks = ['', '\n \t', '\u200b\u3000', 'a b', '\u00a0'];

test.each([
  [{}, {}],
  [{ verify: false }, {}],
  [{ shingle: '3c' }, {}],
  [{}, { threads: 2 }],
] as const)('blank documents are equal with %j and %j', async (near, rest) => {
  const { kept, stats, warnings } = await run(blanks, near, rest);
  expect(kept).toEqual(['', 'a b']);
  expect(stats.near.blank).toBe(4);
  expect(summaryText(stats)).toMatch(/text +\d+ bytes, 4 blank documents/);
  expect(warnings).toEqual([
    expect.stringMatching(/^4 documents have nothing but blanks: .* and 3 of them are duplicates/),
  ]);
});

test('one blank document is only counted', async () => {
  const { stats, warnings } = await run(['', 'a b'], {});
  expect([stats.near.blank, warnings]).toEqual([1, []]);
});
