// Commands of the shell, with the time that they take of the clock and of the processors.

import { spawn } from 'node:child_process';

/**
 * Runs the command that is its argument. The shell writes to the descriptor 3, which the command does not have, what it and its children have
 * used: `times` is in every shell of POSIX, and counts the descendants for whose end their parents have waited.
 */
const TIMED = 'sh -c "$1" 3>&-; code=$?; times >&3; exit $code';
const OF_CHILDREN = 1;

/** The seconds of a line of `times`, such as `0m1.25s 0m0.31s`, for the user and for the system. */
function secondsIn(line) {
  return [...line.matchAll(/(\d+)m([\d.,]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds.replace(',', '.')),
    0,
  );
}

function started(command, { cwd, isPatient }) {
  const options = { cwd, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] };
  if (process.platform === 'win32') return spawn(command, { ...options, shell: true });
  const words = ['sh', '-c', TIMED, 'sh', command];
  const [program, ...args] = isPatient ? ['nice', ...words] : words;
  return spawn(program, args, options);
}

/**
 * Runs a command of the shell to its end.
 * @param options cwd; isPatient: the processors first do what else there is
 * @returns isDone: it ended with 0; output, errors: the texts of its two outputs; text: both as they came; seconds; processorSeconds: undefined
 * where the system has no shell of POSIX
 */
export function measured(command, options) {
  return new Promise((resolve) => {
    const begin = performance.now();
    const child = started(command, options);
    const both = [];
    const textOf = (stream, all = []) => {
      const chunks = [];
      stream.on('data', (chunk) => {
        chunks.push(chunk);
        all.push(chunk);
      });
      return () => Buffer.concat(chunks).toString();
    };
    const [output, errors, times] = [textOf(child.stdout, both), textOf(child.stderr, both), textOf(child.stdio[3])];
    const ended = (isDone, message = '') => {
      const line = times().split('\n')[OF_CHILDREN];
      resolve({
        isDone,
        output: output(),
        errors: `${errors()}${message}`,
        text: `${Buffer.concat(both)}${message}`,
        seconds: (performance.now() - begin) / 1000,
        processorSeconds: line ? secondsIn(line) : undefined,
      });
    };
    child.on('error', ({ message }) => ended(false, message));
    child.on('close', (code) => ended(code === 0));
  });
}
