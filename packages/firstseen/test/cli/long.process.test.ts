// Checkpoint periods longer than the longest timer, and one of two outputs closed early.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';

const exactFlags = ['-a', 'exact', '-m', '64KiB'];

test('a checkpoint period longer than the longest timer causes no warning', async () => {
  const child = startFirstseen([...exactFlags, '--state', 's', '--checkpoint', '1000h'], { cwd: temporaryFolder() });
  const result = finished(child);
  child.stdin.write('a\na\n');
  // When the output arrives, the command has started to wait for more input.
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
  child.stdin.end('b\n');
  const { code, stdout, stderr } = await result;
  expect({ code, stdout: stdout.toString(), stderr }).toEqual({ code: 0, stdout: 'a\nb\n', stderr: '' });
});

test('an output that is closed early does not affect the other output', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'in'), 'a\na\nb\nb\n');
  const child = startFirstseen([...exactFlags, 'in', '--duplicates-to', 'again'], { cwd });
  child.stdout.destroy();
  const result = finished(child);
  child.stdin.end();
  expect((await result).code).toBe(0);
  expect(readFileSync(join(cwd, 'again'), 'utf8')).toBe('a\nb\n');
});
