// Complete programs, measured from start to end, with their output written to a file.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { timed } from './rounds.mjs';

const commandPath = fileURLToPath(new URL('../../packages/firstseen/dist/cli/main.js', import.meta.url));
/** The command as it is installed. */
export const binPath = fileURLToPath(new URL('../../packages/firstseen/bin/firstseen.js', import.meta.url));
const peakModule = new URL('./peak.mjs', import.meta.url).href;

/**
 * @typedef {object} Program
 * @property {string} command
 * @property {readonly string[]} args
 * @property {Record<string, string>} [env] added to the current environment
 */

/**
 * The project's own command.
 * @param {readonly string[]} args
 * @returns {Program}
 */
export function firstseen(...args) {
  return { command: process.execPath, args: [commandPath, ...args] };
}

/**
 * Runs a program to its end; returns the seconds it took.
 * @param {Program} program
 * @param {string} outputPath receives its standard output; created before the measured time
 * @throws Error with the program's output if it fails
 */
export function runProgram({ command, args, env = {} }, outputPath) {
  rmSync(outputPath, { force: true });
  const output = openSync(outputPath, 'w');
  try {
    let result;
    const seconds = timed(() => {
      result = spawnSync(command, args, { stdio: ['ignore', output, 'pipe'], env: { ...process.env, ...env } });
    });
    if (result.error) throw result.error;
    if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${result.stderr}`);
    return seconds;
  } finally {
    closeSync(output);
  }
}

/**
 * Runs a Node program like `runProgram`; also returns its peak resident set size.
 * @param {Program} program
 * @param {string} outputPath
 * @returns {{seconds: number, peakBytes: number}}
 */
export function runMeasuringMemory({ command, args, env = {} }, outputPath) {
  const peakPath = `${outputPath}.peak`;
  const program = { command, args: ['--import', peakModule, ...args], env: { ...env, PEAK_MEMORY_FILE: peakPath } };
  const seconds = runProgram(program, outputPath);
  return { seconds, peakBytes: Number(readFileSync(peakPath, 'utf8')) };
}

/** The first line of a program's version output; undefined if the program is not installed. */
export function versionOf(command) {
  // Every awk except mawk accepts the long option.
  for (const flags of [['--version'], ['-W', 'version']]) {
    const { error, status, stdout } = spawnSync(command, flags, { encoding: 'utf8', input: '' });
    if (error) return undefined;
    if (status === 0 && stdout !== '') return stdout.split('\n')[0];
  }
  return 'of unknown version';
}
