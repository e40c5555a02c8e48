// One folder a case in cases/TOPIC/: `cmd` holds the arguments of each run as a JSON array on a line of its own, `stdin` what
// every run reads, `expected.stdout` and `expected.stderr` what all runs together say (nothing when absent; a file
// `expected.stderr.regex` is matched instead), `expected.code` their exit codes (0 when absent), and the folder `expected`
// the files that stand there afterwards. Everything else is input.

import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type CommandResult, runFirstseen, temporaryFolder } from './support/command.js';

const casesFolder = fileURLToPath(new URL('./cases', import.meta.url));
const cases = readdirSync(casesFolder, { recursive: true, encoding: 'utf8' })
  .filter((path) => basename(path) === 'cmd')
  .map((path) => dirname(path).replaceAll('\\', '/'))
  .sort();
const controlFiles = new Set(['cmd', 'stdin', 'expected', 'expected.stdout', 'expected.stderr', 'expected.code']);

function readIfThere(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

function copyInputs(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (!controlFiles.has(name)) cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

async function runAll(folder: string, cwd: string): Promise<CommandResult[]> {
  const commands = readFileSync(join(folder, 'cmd'), 'utf8').trim().split('\n');
  const results: CommandResult[] = [];
  for (const command of commands) {
    results.push(await runFirstseen(JSON.parse(command), { cwd, stdin: [readIfThere(join(folder, 'stdin'))] }));
  }
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
  test.concurrent.for(cases)('%s', async (name, { onTestFinished }) => {
    const folder = join(casesFolder, name);
    const cwd = temporaryFolder(onTestFinished);
    copyInputs(folder, cwd);
    const results = await runAll(folder, cwd);

    const stdout = bytesText(Buffer.concat(results.map((result) => result.stdout)));
    expect(stdout).toBe(bytesText(readIfThere(join(folder, 'expected.stdout'))));
    expectMessages(folder, results.map((result) => result.stderr).join(''));
    const codes = readIfThere(join(folder, 'expected.code')).toString().trim();
    expect(results.map((result) => result.code).join('\n')).toBe(codes || results.map(() => 0).join('\n'));
    expectFiles(join(folder, 'expected'), cwd);
  });
});
