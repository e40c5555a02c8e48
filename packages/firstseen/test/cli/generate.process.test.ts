// The manual page and the completions list every flag of every command, and installed shells accept the completions.

import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/cli/exit.ts';
import { type GeneratedKind, generate, generatedKinds } from '../../src/cli/generate.ts';
import { describeLab } from '../../src/cli/lab.ts';
import { buildProgram, describeProgram } from '../../src/cli/program.ts';
import { packageFolder } from '../support/folders.js';
import { requiresPosix } from '../support/platform.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

function hasProgram(name: string, ...args: string[]): boolean {
  return spawnSync(name, args, { stdio: 'ignore' }).status === 0;
}

const bashIsMissing = hasProgram('bash', '-c', 'mapfile < /dev/null') ? '' : 'bash 4 is not installed';
const zshIsMissing = hasProgram('zsh', '-c', 'true') ? '' : 'zsh is not installed';
const fishIsMissing = hasProgram('fish', '-c', 'true') ? '' : 'fish is not installed';
const mandocIsMissing = hasProgram('sh', '-c', 'command -v mandoc') ? '' : 'mandoc is not installed';

const program = buildProgram(() => undefined);
const lab = await describeLab();
const description = describeProgram(program, lab);

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

const longFlags = commandsOf(program).flatMap((command) =>
  command.options.filter(({ hidden }) => !hidden).map(({ long, short }) => (long ?? short) as string),
);

/** The flags of the laboratory, from its own help. */
async function readLabFlags(): Promise<string[]> {
  const helps = ['run', 'reproduce', 'advise'].map((name) => runCommand(['lab', name, '--help'], { cwd: '.' }));
  return (await Promise.all(helps)).flatMap(({ stdout }) =>
    [...stdout.toString().matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag as string),
  );
}

let labFlags: Promise<string[]> | undefined;

/** The manual page as plain text: without escapes, fonts and requests. */
function manText(): string {
  return generate(description, 'man')
    .replace(/\\f[BIR]/g, '')
    .replace(/\\([-&])/g, (_, escaped) => (escaped === '-' ? '-' : ''));
}

test.each(generatedKinds)('%s equals the output of the command', async (kind) => {
  const { code, stdout, stderr } = await runCommand(['--generate', kind], { cwd: '.' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.toString()).toBe(generate(description, kind));
});

test.each(generatedKinds)('%s contains every flag', async (kind) => {
  const text = generate(description, kind)
    .replaceAll('\\-', '-')
    .replace(/ -l ([\w-]+)/g, ' --$1')
    .replace(/ -s (\w)/g, ' -$1');
  labFlags ??= readLabFlags();
  const ofLab = await labFlags;
  expect(longFlags.length).toBeGreaterThan(80);
  expect(ofLab.length).toBeGreaterThan(30);
  const flags = [...new Set([...longFlags, ...ofLab])];
  expect(flags.filter((flag) => !new RegExp(`${flag}(?![\\w-])`).test(text))).toEqual([]);
});

test('without the laboratory, completions contain only its name', () => {
  const text = generate(describeProgram(program), 'complete-fish');
  expect(text).toContain('-a lab ');
  expect(text).not.toContain('reproduce');
});

test('the description of the laboratory is plain data', () => {
  expect(lab?.commands.map(({ name }) => name)).toEqual(['run', 'reproduce', 'advise']);
  expect(lab).toEqual(JSON.parse(JSON.stringify(lab)));
});

test.for<[string, string[], string]>([
  ['a flag', ['--generate', 'man', '--stats'], '--stats has no effect together with --generate'],
  ['a flag before it', ['--strict', '--generate', 'man'], '--strict has no effect together with --generate'],
  ['a file', ['--generate', 'man', 'x'], '--generate takes no files'],
  ['a file after --', ['--generate', 'man', '--', '-x'], '--generate takes no files'],
  ['a command', ['--generate', 'man', 'inspect', 'x'], '--generate has no effect before the command inspect'],
])('--generate refuses %s', async ([, args, problem]) => {
  const { code, stdout, stderr } = await runCommand(args, { cwd: '.' });
  expect({ code, stdout: stdout.toString() }).toEqual({ code: exitCodes.usage.code, stdout: '' });
  expect(stderr).toContain(problem);
});

describe('the manual page', () => {
  /** The lines of a section. */
  function section(name: string): string {
    return (
      manText()
        .split(/^\.SH /m)
        .find((text) => text.startsWith(`${name}\n`)) ?? ''
    );
  }

  test('formats flags like the help', () => {
    expect(manText()).toContain('\n--stats[=format]\n');
    expect(manText()).not.toContain('--stats [format]');
  });

  test.for([
    ['--emit', 'distinct'],
    ['--on-error', 'fail'],
    ['--missing-key', 'fail'],
    ['--max-record', '16MiB'],
    ['--max-lead', '1h'],
    ['--checkpoint', '30s'],
    ['--key', 'the whole record, or the block of WARC'],
  ])('shows the default of %s', ([flag, value]) => {
    expect(section('OPTIONS')).toMatch(new RegExp(`(?:^|, )${flag} <\\w+>\\n.*\\(default: ${value}\\)$`, 'm'));
  });

  test('has the groups of the help', async () => {
    const { stdout } = await runCommand(['--help'], { cwd: '.' });
    const headings = [...stdout.toString().matchAll(/^(\w+):$/gm)].map(([, heading]) => heading);
    const others = ['Arguments', 'Options', 'Commands', 'Examples'];
    expect([...section('OPTIONS').matchAll(/^\.SS (\w+)$/gm)].map(([, heading]) => heading)).toEqual(
      headings.filter((heading) => !others.includes(heading as string)),
    );
    expect(section('COMMANDS')).toMatch(/^\.SS firstseen near .*[\s\S]*^Similarity:$[\s\S]*^Table:$[\s\S]*^Options:$/m);
  });

  test('has the examples of the help', async () => {
    const { stdout } = await runCommand(['--help'], { cwd: '.' });
    const [, examples] = /^Examples:\n([\s\S]*?)\n\n/m.exec(stdout.toString()) ?? [];
    expect(examples?.split('\n').length).toBeGreaterThan(5);
    expect(section('EXAMPLES')).toBe(`EXAMPLES\n.nf\n${examples?.replace(/^ {2}/gm, '')}\n.fi\n`);
  });

  test('lists the exit codes', () => {
    const items = Object.values(exitCodes).map(({ code, meaning }) => `.TP\n${code}\n${meaning}\n`);
    expect(section('EXIT STATUS')).toBe(`EXIT STATUS\n${items.join('')}`);
  });
});

describe('bash', () => {
  let script = '';
  beforeAll(() => {
    script = generate(description, 'complete-bash');
  });

  /** The completions that bash offers for the last word. */
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
    [['firstseen', 'lab', 're'], ['reproduce']],
    [
      ['firstseen', 'lab', 'run', '--identity', ''],
      ['hashed', 'identifier'],
    ],
  ])('offers for %j %j', ([words, expected], context) => {
    if (bashIsMissing !== '') context.skip(bashIsMissing);
    expect(offered(...words)).toEqual(expect.arrayContaining(expected));
  });

  // Bash splits a flag, `=` and its value into separate words.
  test.for<[string[], string[]]>([
    [
      ['firstseen', '--stats', '='],
      ['text', 'json'],
    ],
    [['firstseen', '--stats', '=', 'j'], ['json']],
    [['firstseen', '--format', '=', 'nd'], ['ndjson']],
    [['firstseen', 'near', '--stats', '=', 't'], ['text']],
    [['firstseen', '--memory', '=', ''], ['']],
  ])('offers for %j only %j', ([words, expected], context) => {
    if (bashIsMissing !== '') context.skip(bashIsMissing);
    expect(offered(...words)).toEqual(expected);
  });

  test('offers files, not formats, after --stats and a space', (context) => {
    if (bashIsMissing !== '') context.skip(bashIsMissing);
    expect(offered('firstseen', '--stats', '')).toContain('a file.txt');
    expect(offered('firstseen', '--stats', '')).not.toContain('json');
  });
});

test.for<[string, string[]]>([
  ['firstseen --stats=', ['--stats=json', '--stats=text']],
  ['firstseen near --stats=', ['--stats=json', '--stats=text']],
  ['firstseen lab re', ['reproduce']],
])('fish offers for %j only %j', ([line, expected], context) => {
  if (fishIsMissing !== '') context.skip(fishIsMissing);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a file.txt'), '');
  writeFileSync(join(cwd, 'firstseen.fish'), generate(description, 'complete-fish'));
  const script = `source firstseen.fish; complete -C '${line}'`;
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], { cwd, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((offer) => offer.split('\t')[0]),
  ).toEqual(expected);
});

/** The environment of a shell that finds the command. */
function withCommand(): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  symlinkSync(join(packageFolder, 'bin/firstseen.js'), join(folder, 'firstseen'));
  return { ...process.env, PATH: `${folder}:${process.env.PATH}` };
}

const bashOffers = `source "$1"; COMP_WORDS=(firstseen near --lsh sim); COMP_CWORD=3; _firstseen; echo "\${COMPREPLY[@]}"`;
// In place of the function of zsh's completion system, which needs a terminal.
const zshOffers = `_arguments() { print -r -- "$@" }; fpath=("\${1:h}"); autoload -Uz _firstseen; words=(firstseen); _firstseen`;

test.for<[string, string, string[], RegExp, string]>([
  ['bash', 'firstseen.bash', ['-c', bashOffers, 'bash'], /^simhash\n$/, bashIsMissing],
  ['zsh', '_firstseen', ['-f', '-c', zshOffers, 'zsh'], /^-C [^\n]*--generate\[/, zshIsMissing],
  [
    'fish',
    'firstseen.fish',
    ['--no-config', '-c', 'source $argv; complete -C "firstseen insp"'],
    /^inspect\t/,
    fishIsMissing,
  ],
])('%s loads the completion that the package contains', ([shell, file, args, expected, missing], context) => {
  if (missing !== '') context.skip(missing);
  requiresPosix('links that every user may make');
  const path = join(packageFolder, 'completions', file);
  const { stdout, stderr } = spawnSync(shell, [...args, path], { encoding: 'utf8', env: withCommand() });
  expect(stderr).toBe('');
  expect(stdout).toMatch(expected);
});

test.for<[string, string, string, readonly string[], string]>([
  ['zsh', 'complete-zsh', '_firstseen', ['-n', '_firstseen'], zshIsMissing],
  ['fish', 'complete-fish', 'firstseen.fish', ['--no-execute', 'firstseen.fish'], fishIsMissing],
  ['mandoc', 'man', 'firstseen.1', ['-Tlint', '-Werror', 'firstseen.1'], mandocIsMissing],
])('%s accepts %s', ([shell, kind, file, args, missing], context) => {
  if (missing !== '') context.skip(missing);
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, file), generate(description, kind as GeneratedKind));
  const { status, stdout, stderr } = spawnSync(shell, [...args], { cwd, encoding: 'utf8' });
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
});
