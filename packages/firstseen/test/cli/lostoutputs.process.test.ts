// Outputs that were removed, cut or written to by others between the runs of one state.

import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { killBeforeState } from './support/earlykill.js';
import { runCommand } from './support/runner.js';

const flags = ['-m', '64KiB', '--max-record', '64KiB', '-a', 'exact', '--state', 's', '-o', 'out'];

let cwd: string;

const at = (name: string) => join(cwd, name);
const append = (name: string, content: string) => appendFileSync(at(name), content);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined);

async function run(...args: string[]) {
  const { code, stderr } = await runCommand(['in.txt', ...args, ...flags], { cwd });
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

describe.each([
  ['replaced by as many bytes', 'x\ny\n', 'was changed after an earlier run had written it; restore the file'],
  [
    'longer',
    'a\nb\nforeign\n',
    'has 12 bytes, but an earlier run had written 4 bytes to it; remove the other bytes with "truncate -s 4 out"',
  ],
])('an output of a finished run that is %s', (_, content, message) => {
  test.each([
    ['nothing', ''],
    ['something', 'c\n'],
  ])('is refused when there is %s to add', async (_, added) => {
    expect((await run()).code).toBe(0);
    writeFileSync(at('out'), content);
    append('in.txt', added);
    const { code, stderr } = await run();
    expect(stderr).toContain(`out ${message}`);
    expect(code).toBe(1);
    expect(read('out')).toBe(content);
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
  const killEarly = () => killBeforeState({ cwd, input: 'in.txt', written: 'a\nb\n', flags });

  test('is repeated over its own output', async () => {
    await killEarly();
    expect((await run()).code).toBe(0);
    expect(read('out')).toBe('a\nb\n');
  });

  test('does not cut away what others have appended, and says how to go on', async () => {
    await killEarly();
    append('out', 'foreign\n');
    const { code, stderr } = await run();
    expect(stderr).toMatch(
      /^firstseen: out has bytes that this run did not write[^\n]*--new-run[^\n]* \[E_OUTPUT\]\n$/,
    );
    expect(code).toBe(1);
    expect(read('out')).toBe('a\nb\nforeign\n');
    const [, bytes] = /"truncate -s (\d+) out"/.exec(stderr) ?? [];
    truncateSync(at('out'), Number(bytes));
    expect((await run()).code).toBe(0);
    expect(read('out')).toBe('a\nb\n');
  });
});

test('an output that a killed run has appended to is continued after another job with the same state', async () => {
  expect((await run()).code).toBe(0);
  append('in.txt', 'c\n');
  const child = startFirstseen(['in.txt', '--follow', '--checkpoint', '1h', ...flags], { cwd });
  const ended = finished(child);
  while (read('out') !== 'a\nb\nc\n') await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGKILL');
  await ended;
  writeFileSync(at('other'), 'other\n');
  expect((await runCommand(['other', ...flags.slice(0, -1), 'other.out'], { cwd })).code).toBe(0);
  expect(await run()).toEqual({ code: 0, stderr: '' });
  expect(read('out')).toBe('a\nb\nc\n');
});

describe('a compressed output of a finished run', () => {
  const args = ['in.txt', '-m', '64KiB', '-a', 'exact', '--state', 's', '-o', 'out.gz'];
  const runCompressed = () => runCommand(args, { cwd });

  /** Kills a run that continues the finished one, as soon as it has noted that it begins. */
  async function killContinuing(): Promise<void> {
    expect((await runCompressed()).code).toBe(0);
    append('in.txt', 'c\n');
    const child = startFirstseen([...args, '--follow', '--checkpoint', '1h'], { cwd });
    const ended = finished(child);
    while (!existsSync(at('s.begun'))) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGKILL');
    await ended;
  }

  test.each([0, 9])('is written again after a kill that left %i bytes of its last piece', async (bytes) => {
    await killContinuing();
    truncateSync(at('out.gz'), bytes);
    expect(await runCompressed()).toMatchObject({ code: 0, stderr: '' });
    expect(gunzipSync(readFileSync(at('out.gz'))).toString()).toBe('a\nb\nc\n');
  });

  test.each([
    ['one other job', 1],
    ['two other jobs', 2],
  ])('is written again after a kill and %s with the same state', async (_, others) => {
    await killContinuing();
    truncateSync(at('out.gz'), 0);
    for (let i = 1; i <= others; i++) {
      writeFileSync(at(`other${i}`), `other ${i}\n`);
      const other = [`other${i}`, ...args.slice(1, -1), `other${i}.gz`];
      expect(await runCommand(other, { cwd })).toMatchObject({ code: 0, stderr: '' });
    }
    expect(await runCompressed()).toMatchObject({ code: 0, stderr: '' });
    expect(gunzipSync(readFileSync(at('out.gz'))).toString()).toBe('a\nb\nc\n');
    expect(existsSync(at('s.begun'))).toBe(false);
  });

  test('is refused when it is shorter without a run that was killed', async () => {
    expect((await runCompressed()).code).toBe(0);
    append('in.txt', 'c\n');
    truncateSync(at('out.gz'), 9);
    const { code, stderr } = await runCompressed();
    expect(stderr).toMatch(/^firstseen: out\.gz has 9 bytes, but an earlier run had written \d+ bytes to it; restore /);
    expect(code).toBe(1);
  });
});
