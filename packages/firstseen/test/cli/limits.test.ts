// Limits that a shell sets on the command.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { requires } from '../support/platform.js';
import { mainPath, temporaryFolder } from './support/command.js';

function limited(limit: string, ...args: string[]) {
  requires(process.platform === 'linux', 'only Linux shows the limits of a process in /proc');
  const script = `${limit} && exec "$0" "$@"`;
  const { status, stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath, mainPath, ...args], {
    cwd: temporaryFolder(),
    input: 'a\n',
    encoding: 'utf8',
  });
  return { status, stderr };
}

test('a limit of the address space is named, with the flag and the value', () => {
  const { status, stderr } = limited('ulimit -v 4000000', '-m', '3.5GiB');
  expect(stderr).toMatch(
    /did not grant 3\.\d+GiB of memory; give less --memory, or .*\(ulimit -v\), which is 3\.81GiB.*\[E_MEMORY\]/,
  );
  expect(status).toBe(2);
});

test('a witness that is too large is answered with the largest one', () => {
  const { status, stderr } = limited('true', '--witness-memory', '5GiB');
  expect(stderr).toMatch(
    /--witness-memory is 5GiB, but beside the detector there is room for at most [\d,]{13} bytes; /,
  );
  const most = /at most ([\d,]+) bytes/.exec(stderr)?.[1] as string;
  expect(status).toBe(2);
  expect(limited('true', '--witness-memory', String(Number(most.replaceAll(',', '')) + 64)).stderr).toContain(
    `at most ${most} bytes`,
  );
});

test('a limit of open files is named before anything is opened', () => {
  const { status, stderr } = limited('ulimit -n 30', '--state', 's');
  expect(stderr).toMatch(/may have 30 open files.*\(ulimit -n\) \[E_INPUT\]/);
  expect(status).toBe(1);
});

// Node opens the modules of a program side by side, and fails by itself below this limit.
test('motifs name the limit of open files', () => {
  const { status, stderr } = limited('ulimit -n 30', 'motifs', '-b', '8', '-');
  expect(stderr).toMatch(/may have 30 open files.*\(ulimit -n\) \[E_INPUT\]/);
  expect(status).toBe(1);
});

test('motifs name the limit of the address space, and their own flags', () => {
  const { status, stderr } = limited(
    'ulimit -v 4000000',
    'motifs',
    '-b',
    '8',
    '--hashes',
    '255',
    '--address-bits',
    '23',
    '-',
  );
  expect(stderr).toMatch(
    /did not grant [\d.]+GiB of memory; give fewer --hashes or --address-bits, or .*\(ulimit -v\), which is 3\.81GiB/,
  );
  expect(status).toBe(2);
});
