// Runs every case of cases/TOPIC/ (support/cases.ts says how a case is written) and compares all that it writes.

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

/** Bytes as text in which every byte can be told from every other. */
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

describe('how cases are written', () => {
  const about = '# A line passes on.';

  test('every folder of a topic holds cases and nothing else', () => {
    expect(strayPaths(casesFolder)).toEqual([]);
  });

  test.each([
    ['a case without a line that says what it shows', '["in.txt"]\n', ['cmd', 'in.txt'], /what it shows/],
    ['several commands without the line that says so', `${about}\n[]\n[]\n`, ['cmd'], /several commands/],
    ['one command with the line for several', `${about}\n# Several runs: why.\n[]\n`, ['cmd'], /one command/],
    ['no command', `${about}\n`, ['cmd'], /no command/],
    ['a file of expectations that nothing reads', `${about}\n[]\n`, ['cmd', 'expected.stdeer'], /expected\.stdeer/],
    ['an input that no command names', `${about}\n["a.txt"]\n`, ['cmd', 'a.txt', 'b.txt'], /input b\.txt/],
  ])('refuses %s', (_what, cmd, names, problem) => {
    expect(caseProblems(cmd, names).join('; ')).toMatch(problem);
  });

  test('accepts one command, and several with their line', () => {
    expect(caseProblems(`${about}\n["./in.txt"]\n`, ['cmd', 'in.txt', 'expected.code'])).toEqual([]);
    expect(caseProblems(`${about}\n# Several runs: why.\n[]\n[]\n`, ['cmd', 'stdin'])).toEqual([]);
  });
});
