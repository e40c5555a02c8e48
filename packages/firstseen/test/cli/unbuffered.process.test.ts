// A program that writes a record and waits for its answer gets it before it writes the next one.

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { finished, runFirstseen, startFirstseen, temporaryFolder } from './support/command.js';

const lines = ['one', 'two', 'one', '', 'three', 'two'];
const records = ['{"id":1}', '{"id":2}', '{"id":1}'];
const text = (id: number) => `{"text":"a text of some words about ${id}"}`;

test.each([
  [
    'verdicts',
    ['--emit', 'verdicts'],
    lines,
    ['distinct', 'distinct', 'duplicate', 'distinct', 'distinct', 'duplicate'],
  ],
  ['verdicts on two threads', ['--emit', 'verdicts', '--threads', '2'], ['a', 'a'], ['distinct', 'duplicate']],
  [
    'annotated records',
    ['-f', 'ndjson', '-k', 'id', '--emit', 'all', '--annotate', 'v'],
    records,
    ['{"id":1,"v":"distinct"}', '{"id":2,"v":"distinct"}', '{"id":1,"v":"duplicate"}'],
  ],
  ['near', ['near', '-f', 'ndjson', '--emit', 'all'], [text(1), text(2), text(1)], [text(1), text(2), text(1)]],
])('%s', async (_, flags, input, answers) => {
  const child = startFirstseen([...flags, '--unbuffered', '-m', '64KiB'], { cwd: temporaryFolder() });
  const result = finished(child);
  const ended = result.then(({ stderr }) => Promise.reject(new Error(stderr)));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  for (const [i, line] of input.entries()) {
    child.stdin.write(`${line}\n`);
    while (output.split('\n').length - 1 <= i) await Promise.race([once(child.stdout, 'data'), ended]);
  }
  expect(output.trimEnd().split('\n')).toEqual(answers);
  child.stdin.end();
  expect((await result).code).toBe(0);
});

test.each([
  [['--compress'], 'together with --compress; leave one of them out'],
  [['-a', 'exact', '--spill', 'folder'], 'with --spill; leave it out'],
  [['-o', 'out.gz'], 'with the output out.gz, which is written in parts; leave it out'],
  [
    ['-o', 'out.txt', '--duplicates-to', 'again.zst'],
    'with the output again.zst, which is written in parts; leave it out',
  ],
])('what keeps answers back is refused: %j', async (flags, problem) => {
  const { code, stderr } = await runFirstseen([...flags, '--unbuffered', '-m', '64KiB'], { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([2, `firstseen: --unbuffered has no effect ${problem} [E_USAGE]\n`]);
});
