// Runs commands of the shell.

import { spawn } from 'node:child_process';

/** A failure that its message explains. */
export class Refusal extends Error {}

/**
 * Runs a command; resolves to its output. Its messages go to standard error.
 * @param input what it reads from standard input
 * @throws Refusal when it fails
 */
export function shell(command, { cwd, input = '' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    // A command that does not read its input may end before it is written.
    child.stdin.on('error', () => {}).end(input);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output).toString());
      else reject(new Refusal(`${command.split(' ').slice(0, 4).join(' ')} ... failed with exit code ${code}`));
    });
  });
}

/** A word as the shell reads it. */
export function shellWord(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
