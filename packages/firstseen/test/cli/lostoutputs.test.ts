// Outputs that were removed, cut or written to by others between the runs of one state.

import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { finished, runFirstseen, startFirstseen, temporaryFolder } from './support/command.js';

const flags = ['-m', '64KiB', '-a', 'exact', '--state', 's', '-o', 'out'];

let cwd: string;

const at = (name: string) => join(cwd, name);
const append = (name: string, content: string) => appendFileSync(at(name), content);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined);

async function run(...args: string[]) {
  const { code, stderr } = await runFirstseen(['in.txt', ...args, ...flags], { cwd });
  return { code, stderr };
}

async function expectRefused(message: RegExp): Promise<void> {
  const before = read('out');
  const { code, stderr } = await run();
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/restore [^\n]*--new-run[^\n]* \[E_OUTPUT\]\n$/);
  expect(code).toBe(1);
  expect(read('out')).toBe(before);
}

beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(at('in.txt'), 'a\nb\n');
});

const losses: Readonly<Record<string, () => void>> = {
  missing: () => rmSync(at('out')),
  emptied: () => truncateSync(at('out')),
  shorter: () => truncateSync(at('out'), 2),
};

describe.each(Object.keys(losses))('an output of a finished run that is %s', (loss) => {
  beforeEach(async () => {
    expect((await run()).code).toBe(0);
    losses[loss]?.();
  });

  test('is refused when there is something to add', async () => {
    append('in.txt', 'c\n');
    await expectRefused(
      /^firstseen: out (?:is missing|has [02] bytes), but an earlier run had written 4 bytes to it; /,
    );
    expect((await run('--new-run')).code).toBe(0);
    expect(read('out')).toBe('c\n');
  });

  test('is refused when there is nothing to add', async () => {
    await expectRefused(
      /^firstseen: out (?:is missing|has [02] bytes), but an earlier run had written 4 bytes to it; /,
    );
  });
});

test('an output that received nothing may be missing', async () => {
  writeFileSync(at('in.txt'), '');
  expect((await run()).code).toBe(0);
  rmSync(at('out'));
  append('in.txt', 'c\n');
  expect((await run()).code).toBe(0);
  expect(read('out')).toBe('c\n');
});

describe('a run that is killed before its first checkpoint', () => {
  /** Kills a run after its first records have reached the output, before it saves a state. */
  async function killEarly(): Promise<void> {
    const child = startFirstseen(['in.txt', '--follow', '--checkpoint', '1h', ...flags], { cwd });
    const ended = finished(child);
    while (read('out') !== 'a\nb\n') await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(at('s'))).toBe(false);
  }

  test('is repeated over its own output', async () => {
    await killEarly();
    expect((await run()).code).toBe(0);
    expect(read('out')).toBe('a\nb\n');
  });

  test('does not cut away what others have appended', async () => {
    await killEarly();
    append('out', 'foreign\n');
    const { code, stderr } = await run();
    expect(stderr).toMatch(
      /^firstseen: out has bytes that this run did not write[^\n]*--new-run[^\n]* \[E_OUTPUT\]\n$/,
    );
    expect(code).toBe(1);
    expect(read('out')).toBe('a\nb\nforeign\n');
  });
});
