// Runs a command and measures the time that it takes of the clock and of the processors.

import { spawn } from 'node:child_process';

/**
 * Runs the command that its arguments are. The shell then writes to the descriptor 3, which the command does not have, the times of the
 * command: `times` is in every shell of POSIX, and counts a process once its parent has seen it end.
 */
const TIMED = '"$@" 3>&-; code=$?; times >&3; exit $code';
const OF_CHILDREN = 1;

/** The seconds of a line of `times`, such as `0m1.25s 0m0.31s`, for the user and for the system. */
function secondsIn(line) {
  return [...line.matchAll(/(\d+)m([\d.,]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds.replace(',', '.')),
    0,
  );
}

function started(words, { cwd, env, isShown }) {
  const outputs = isShown ? ['inherit', 'inherit'] : ['pipe', 'pipe'];
  const options = { cwd, env: { ...process.env, ...env }, stdio: ['ignore', ...outputs, 'pipe'] };
  if (process.platform === 'win32') return spawn(words[0], words.slice(1), { ...options, shell: true });
  return spawn('sh', ['-c', TIMED, 'sh', ...words], options);
}

/**
 * Runs a command to its end.
 * @param words the program and its arguments
 * @param options cwd; env: more variables; isShown: the outputs go to the terminal, and the texts are empty
 * @returns isDone: it ended with 0; output, errors: the texts of its two outputs; text: both as they came; seconds; processorSeconds: undefined
 * where the system has no shell of POSIX
 */
export function measured(words, options) {
  return new Promise((resolve) => {
    const begin = performance.now();
    const child = started(words, options);
    const both = [];
    const textOf = (stream, all = []) => {
      const chunks = [];
      stream?.on('data', (chunk) => {
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

/** The words that run a command of the shell. */
export function wordsOf(command) {
  return process.platform === 'win32' ? [command] : ['sh', '-c', command];
}

/** The time of a command, as `12 s, 20 s of processors`. */
export function timeText({ seconds, processorSeconds }) {
  const ofProcessors = processorSeconds === undefined ? '' : `, ${Math.round(processorSeconds)} s of processors`;
  return `${Math.round(seconds)} s${ofProcessors}`;
}
