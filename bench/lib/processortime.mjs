// The processor time of programs, which other programs on the same machine change less than the time until they end.

import { spawnSync } from 'node:child_process';

/** Runs a program; returns the seconds of processor time that it took, and those until it had ended. */
export function secondsOf(args) {
  const startedMilliseconds = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', '"$@" >/dev/null 2>&1 && times', 'sh', ...args], {
    encoding: 'utf8',
  });
  const wall = (performance.now() - startedMilliseconds) / 1000;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  const spent = stdout
    .trim()
    .split('\n')
    .at(-1)
    .matchAll(/(\d+)m([\d.]+)s/g);
  const processor = [...spent].reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
  return { processor, wall };
}
