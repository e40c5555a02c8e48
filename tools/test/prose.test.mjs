// The rule of lines of prose reports those that are too long, and passes what is not prose.

import { expect, test } from 'vitest';
import { proseProblems } from '../style/prose.mjs';

const long = `a ${'word '.repeat(24)}`;

test('refuses a line of prose with more than 120 characters', () => {
  expect(proseProblems(`short\n${long.slice(0, 120)}\n${long}\n- ${long}\n`)).toEqual([
    'line 3 has 122 characters; prose has 120 at most',
    'line 4 has 124 characters; prose has 120 at most',
  ]);
});

test.each([
  ['a table', `| ${long} |`],
  ['a heading', `# ${long}`],
  ['code', `\`\`\`sh\n${long}\n\`\`\``],
  ['a generated part', `<!-- flags:begin -->\n${long}\n<!-- flags:end -->`],
  ['a generated page', `<!-- \`node tools/docs.mjs\` writes this page. -->\n${long}`],
  ['a line that cannot be broken', `- [${long}](https://example.com)`],
])('passes %s', (_name, text) => {
  expect(proseProblems(text)).toEqual([]);
});

test('refuses prose after code and after a generated part', () => {
  const text = `\`\`\`sh\nls\n\`\`\`\n${long}\n<!-- a:begin -->\n<!-- a:end -->\n${long}`;
  expect(proseProblems(text)).toHaveLength(2);
});
