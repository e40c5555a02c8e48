// Commands that run side by side. The output of each is a block.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Clock ticks in a second, in which Linux counts processor time for programs. */
const TICKS = 100;

/** The processor time of the processes that this one has started and that have ended, with theirs; undefined where Linux is not the system. */
function childrenSeconds() {
  if (process.platform !== 'linux') return undefined;
  // The name of the program, in parentheses, may contain spaces. The text after it starts with the third field of proc(5).
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** Tells the processor seconds that were used since the last call. Steps that run side by side end one after the other. */
function lapTimer() {
  let before = childrenSeconds();
  return () => {
    const now = childrenSeconds();
    const seconds = now === undefined ? undefined : now - before;
    before = now;
    return seconds;
  };
}

/** Runs a command; resolves to whether it ends with 0, its output and its times. */
function runOne({ name, command, args, env }, { cwd, lap, isShown }) {
  const begin = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', ...(isShown ? ['inherit', 'inherit'] : ['pipe', 'pipe'])],
      shell: process.platform === 'win32',
    });
    const chunks = [];
    let processorSeconds;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk));
    child.on('exit', () => {
      processorSeconds = lap();
    });
    const end = (isDone) => {
      const seconds = (performance.now() - begin) / 1000;
      resolve({ name, isDone, output: Buffer.concat(chunks).toString(), seconds, processorSeconds });
    };
    child.on('error', () => end(false));
    child.on('close', (code) => end(code === 0));
  });
}

/**
 * Runs steps side by side and writes the output of each when it ends. The output of the step `shown` goes to the terminal at once, and
 * that of the others after it.
 * @param steps { name, command, args, env }
 * @returns the results in the order of the steps: { name, isDone, output, seconds, processorSeconds }
 */
export async function runSideBySide(steps, { cwd, write, shown }) {
  const lap = lapTimer();
  const running = steps.map((step) => runOne(step, { cwd, lap, isShown: step.name === shown }));
  const first = Promise.resolve(running[steps.findIndex(({ name }) => name === shown)]);
  return Promise.all(
    running.map(async (ending) => {
      const [result] = await Promise.all([ending, first]);
      if (result.output.trim() !== '') write(`\n${result.name}\n${result.output.trimEnd()}\n`);
      return result;
    }),
  );
}

/** A line for each step with its times. */
export function timeLines(results) {
  return results.map(({ name, seconds, processorSeconds, isDone }) => {
    const processor = processorSeconds === undefined ? '' : `, ${processorSeconds.toFixed(0)} s of processors`;
    return `${name}: ${isDone ? '' : 'failed after '}${seconds.toFixed(0)} s${processor}`;
  });
}
