// Runs every case of cases/TOPIC/ and compares everything that it writes. support/cases.ts describes the format of a case.

import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type CommandCase, caseProblems, readCases, strayPaths } from './support/cases.js';
import { type CommandResult, runFirstseen, temporaryFolder } from './support/command.js';

const casesFolder = fileURLToPath(new URL('./cases', import.meta.url));

function readIfThere(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

async function runAll({ folder, commands }: CommandCase, cwd: string): Promise<CommandResult[]> {
  const stdin = [readIfThere(join(folder, 'stdin'))];
  const results: CommandResult[] = [];
  for (const args of commands) results.push(await runFirstseen(args, { cwd, stdin }));
  return results;
}

/** Converts bytes to text, one character per byte. */
function bytesText(bytes: Buffer): string {
  return bytes.toString('latin1');
}

function expectFiles(expected: string, actual: string): void {
  for (const name of existsSync(expected) ? readdirSync(expected) : []) {
    expect(bytesText(readFileSync(join(actual, name))), name).toBe(bytesText(readFileSync(join(expected, name))));
  }
}

function expectMessages(folder: string, stderr: string): void {
  const pattern = join(folder, 'expected.stderr.regex');
  if (existsSync(pattern)) expect(stderr).toMatch(new RegExp(`^${readFileSync(pattern, 'utf8').trim()}\\n$`));
  else expect(stderr).toBe(readIfThere(join(folder, 'expected.stderr')).toString());
}

describe('command-line cases', () => {
  test.concurrent.for(readCases(casesFolder))('$name: $about', async (commandCase, { onTestFinished }) => {
    const { folder, inputs } = commandCase;
    const cwd = temporaryFolder(onTestFinished);
    for (const name of inputs) cpSync(join(folder, name), join(cwd, name), { recursive: true });
    const results = await runAll(commandCase, cwd);

    const stdout = bytesText(Buffer.concat(results.map((result) => result.stdout)));
    expect(stdout).toBe(bytesText(readIfThere(join(folder, 'expected.stdout'))));
    expectMessages(folder, results.map((result) => result.stderr).join(''));
    const codes = readIfThere(join(folder, 'expected.code')).toString().trim();
    expect(results.map((result) => result.code).join('\n')).toBe(codes || results.map(() => 0).join('\n'));
    expectFiles(join(folder, 'expected'), cwd);
  });
});

describe('the format of cases', () => {
  const about = '# A line passes on.';

  test('the folders of topics contain only cases', () => {
    expect(strayPaths(casesFolder)).toEqual([]);
  });

  test.each([
    ['a case without a description', '["in.txt"]\n', ['cmd', 'in.txt'], /what it shows/],
    ['several commands without the line "Several runs"', `${about}\n[]\n[]\n`, ['cmd'], /several commands/],
    ['one command with the line "Several runs"', `${about}\n# Several runs: why.\n[]\n`, ['cmd'], /one command/],
    ['no command', `${about}\n`, ['cmd'], /no command/],
    ['an unknown file of expected results', `${about}\n[]\n`, ['cmd', 'expected.stdeer'], /expected\.stdeer/],
    ['an input that no command uses', `${about}\n["a.txt"]\n`, ['cmd', 'a.txt', 'b.txt'], /input b\.txt/],
  ])('refuses %s', (_what, cmd, names, problem) => {
    expect(caseProblems(cmd, names).join('; ')).toMatch(problem);
  });

  test('accepts one command, or several commands with the line "Several runs"', () => {
    expect(caseProblems(`${about}\n["./in.txt"]\n`, ['cmd', 'in.txt', 'expected.code'])).toEqual([]);
    expect(caseProblems(`${about}\n# Several runs: why.\n[]\n[]\n`, ['cmd', 'stdin'])).toEqual([]);
  });
});
