// The manual page and the completions: they name every flag of every command, and the shells that are installed accept them.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { generate, generatedKinds } from '../../src/cli/generate.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { runFirstseen, temporaryFolder } from './support/command.js';

function hasProgram(name: string, ...args: string[]): boolean {
  return spawnSync(name, args, { stdio: 'ignore' }).status === 0;
}

const bashIsMissing = hasProgram('bash', '-c', 'mapfile < /dev/null') ? '' : 'bash 4 is not installed';
const zshIsMissing = hasProgram('zsh', '-c', 'true') ? '' : 'zsh is not installed';
const fishIsMissing = hasProgram('fish', '-c', 'true') ? '' : 'fish is not installed';
const mandocIsMissing = hasProgram('sh', '-c', 'command -v mandoc') ? '' : 'mandoc is not installed';

const program = buildProgram(() => undefined);

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

const longFlags = commandsOf(program).flatMap((command) =>
  command.options.filter(({ hidden }) => !hidden).map((option) => option.long as string),
);

test.each(generatedKinds)('%s is printed by the command, and by nothing else', async (kind) => {
  const { code, stdout, stderr } = await runFirstseen(['--generate', kind], { cwd: '.' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.toString()).toBe(generate(program, kind));
});

test.each(generatedKinds)('%s names every flag', (kind) => {
  const text = generate(program, kind)
    .replaceAll('\\-', '-')
    .replace(/ -l ([\w-]+)/g, ' --$1');
  expect(longFlags.length).toBeGreaterThan(80);
  expect([...new Set(longFlags)].filter((flag) => !new RegExp(`${flag}(?![\\w-])`).test(text))).toEqual([]);
});

describe('bash', () => {
  let script = '';
  beforeAll(() => {
    script = generate(program, 'complete-bash');
  });

  /** What bash offers for the last of the words. */
  function offered(...words: string[]): string[] {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a file.txt'), '');
    writeFileSync(join(cwd, 'firstseen.bash'), script);
    const line = `source ./firstseen.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _firstseen; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', line, 'bash', ...words], { cwd, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trimEnd().split('\n');
  }

  test.for<[string[], string[]]>([
    [['firstseen', '--form'], ['--format']],
    [
      ['firstseen', '-f', ''],
      ['lines', 'ndjson', 'csv', 'tsv', 'u64'],
    ],
    [['firstseen', 'insp'], ['inspect']],
    [
      ['firstseen', 'near', '--add', ''],
      ['kept', 'all'],
    ],
    [
      ['firstseen', 'a'],
      ['algorithms', 'a file.txt'],
    ],
    [
      ['firstseen', '--output', ''],
      ['a file.txt', 'firstseen.bash'],
    ],
    [['firstseen', 'near', '--lsh', 'sim'], ['simhash']],
  ])('offers for %j %j', ([words, expected], context) => {
    if (bashIsMissing !== '') context.skip(bashIsMissing);
    expect(offered(...words)).toEqual(expect.arrayContaining(expected));
  });
});

test.for<[string, string, string, readonly string[], string]>([
  ['zsh', 'complete-zsh', '_firstseen', ['-n', '_firstseen'], zshIsMissing],
  ['fish', 'complete-fish', 'firstseen.fish', ['--no-execute', 'firstseen.fish'], fishIsMissing],
  ['mandoc', 'man', 'firstseen.1', ['-Tlint', '-Werror', 'firstseen.1'], mandocIsMissing],
])('%s accepts %s', ([shell, kind, file, args, missing], context) => {
  if (missing !== '') context.skip(missing);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, file), generate(program, kind as (typeof generatedKinds)[number]));
  const { status, stdout, stderr } = spawnSync(shell, [...args], { cwd, encoding: 'utf8' });
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
});
