// The stream of a sample has the elements that a run with the same options has.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type SampleOptions, sampledStream } from '../../../src/jobs/sample.js';
import { temporaryFolder } from '../../cli/support/command.js';

test.each([
  [8, {}],
  [4, { keyPattern: 'id=(\\d)' }],
  [2, { keyChars: ['1'], ignoresCase: true }],
  [4, { keys: ['2'] }],
  [6, { ignoresCase: true }],
  [4, { keyChars: ['1'] }],
] as const)('%i of the elements are distinct with %j', async (distinct, own) => {
  const input = join(temporaryFolder(), 'log.txt');
  const lines = ['a id=1', 'a id=2', 'a id=3', 'b id=1', 'b id=2', 'b id=4', 'A id=1', 'B id=1'];
  writeFileSync(input, `${lines.join('\n')}\n`);
  const stream = await sampledStream({ input, ...own } as SampleOptions);
  expect(stream.novelty?.before(lines.length)).toBe(distinct);
});
