// Runs commands of the shell.

import { spawn } from 'node:child_process';

/** A failure that its message explains. */
export class Refusal extends Error {}

/** Runs a command; resolves to its output. Its messages go to standard error. @throws Refusal when it fails. */
export function shell(command, { cwd, isQuiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', isQuiet ? 'ignore' : 'inherit'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
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
