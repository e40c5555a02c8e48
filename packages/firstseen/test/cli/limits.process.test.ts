// Limits that a shell sets on the command.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isLongForm } from '../support/form.js';
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

test.each([1_500_000, 3_000_000, 8_000_000])(
  'a limit of %i KiB of address space is named with threads, or is enough',
  (kibibytes) => {
    const { status, stderr } = limited(`ulimit -v ${kibibytes}`, '--threads', '4');
    // Node 24 reserves less than Node 20 and 22.
    if (status === 0 && kibibytes > 4_000_000) return expect(stderr).toBe('');
    expect(stderr).toMatch(/^firstseen: .*\(ulimit -v\).* is .*\[E_MEMORY\]\n$/);
    expect(status).toBe(2);
  },
);

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

// A child keeps the files that were left open by what started these tests, such as the pipes of a shell.
function inheritedFiles(): number {
  const { stdout } = spawnSync('ls', ['/proc/self/fd'], { encoding: 'utf8' });
  const ownFiles = 4; // Standard input, output and error, and the folder that `ls` reads.
  return stdout.trim().split('\n').length - ownFiles;
}

// How many files Node itself has open, and how many modules it opens side by side, differs between machines and versions. So the
// limit goes over a range: below some value the command names it, and from there on it does its work.
test.each([
  ['a run', ['--state', 's'], /^0 $/],
  ['motifs', ['motifs', '-b', '8', '-'], /^1 firstseen: the last record .*\[E_RECORD\]\n$/],
] as const)('a limit of open files is named before anything is opened: %s', (_name, args, work) => {
  requires(process.platform === 'linux', 'only Linux shows the limits of a process in /proc');
  const inherited = inheritedFiles();
  const steps = 13;
  // In the short form, the ends of the range and one limit between them.
  const places = isLongForm ? Array.from({ length: steps + 1 }, (_, i) => i) : [0, 1, 7, steps - 1, steps];
  const answers = places
    .map((place) => inherited + 22 + 2 * place)
    .map((files) => limited(`ulimit -n ${files}`, ...args));
  const named = answers.filter(({ stderr }) => stderr.includes('(ulimit -n)'));
  expect(named.length).toBeGreaterThanOrEqual(2);
  for (const { status, stderr } of named) {
    expect(stderr).toMatch(
      /^firstseen: (this process may have \d+ open files|the system does not let).* \(ulimit -n\) \[E_INPUT\]\n$/,
    );
    expect(status).toBe(1);
  }
  expect(named).toEqual(answers.slice(0, named.length));
  const working = answers.slice(named.length);
  expect(working.length).toBeGreaterThanOrEqual(2);
  for (const { status, stderr } of working) expect(`${status} ${stderr}`).toMatch(work);
});

test('motifs name the limit of the address space, and their own flags', () => {
  const { status, stderr } = limited(
    'ulimit -v 3000000',
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
    /did not grant [\d.]+GiB of memory; give fewer --hashes or --address-bits, or .*\(ulimit -v\), which is 2\.86GiB/,
  );
  expect(status).toBe(2);
});
