// The processor time of programs, which other programs on the same machine change less than the time until they end.

import { spawnSync } from 'node:child_process';

/** Runs the program so many times, and tells what it took as the last line. */
const SCRIPT =
  'left=$1; shift; while [ "$left" -gt 0 ]; do "$@" >/dev/null 2>&1 || exit; left=$((left - 1)); done; times';

/**
 * Runs a program, or several times one after the other; returns the seconds of processor time that it took each time, and
 * those until it had ended.
 */
export function secondsOf(args, { count = 1, env = {} } = {}) {
  const startedMilliseconds = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', SCRIPT, 'sh', String(count), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const wall = (performance.now() - startedMilliseconds) / 1000 / count;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  const spent = stdout
    .trim()
    .split('\n')
    .at(-1)
    .matchAll(/(\d+)m([\d.]+)s/g);
  const processor = [...spent].reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
  return { processor: processor / count, wall };
}
