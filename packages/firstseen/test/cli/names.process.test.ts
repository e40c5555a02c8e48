// Names of files that are not UTF-8.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requires } from '../support/platform.js';
import { mainPath, temporaryFolder } from './support/command.js';

test('inputs, outputs and the state can have names that are not UTF-8', () => {
  requires(process.platform === 'linux', 'only Linux has file names of any bytes and shows them in /proc');
  const cwd = temporaryFolder();
  const nameOf = (name: string) => Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from(name, 'latin1')]);
  writeFileSync(nameOf('in\xff.txt'), 'a\nb\na\n');
  writeFileSync(nameOf('in\xfe.txt'), 'b\nc\n');
  // Node encodes arguments as UTF-8, a shell passes on any bytes.
  const run = () =>
    spawnSync(
      '/bin/sh',
      [
        '-c',
        `i=$(printf 'in\\377.txt') j=$(printf 'in\\376.txt'); o=$(printf 'o\\377') s=$(printf 's\\377')
        exec "$0" "$1" "$i" "$j" -m 64KiB -o "$o" --state "$s"`,
        process.execPath,
        mainPath,
      ],
      { cwd, encoding: 'utf8' },
    );
  expect(run()).toMatchObject({ stderr: '', status: 0 });
  // The state has recognized its inputs and its output.
  expect(run()).toMatchObject({ stderr: expect.stringContaining('this run was finished before'), status: 0 });
  const names = readdirSync(cwd, 'latin1' as BufferEncoding);
  expect(names.sort()).toEqual(['in\xfe.txt', 'in\xff.txt', 'o\xff', 's\xff']);
  expect(spawnSync('/bin/sh', ['-c', 'cat o*'], { cwd, encoding: 'utf8' }).stdout).toBe('a\nb\nc\n');
});

test('near reads folders and files with names that are not UTF-8', () => {
  requires(process.platform === 'linux', 'only Linux has file names of any bytes and shows them in /proc');
  const cwd = temporaryFolder();
  const nameOf = (name: string) => Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from(name, 'latin1')]);
  mkdirSync(nameOf('d\xff'));
  writeFileSync(nameOf('d\xff/a\xfe'), 'some text of a document');
  writeFileSync(nameOf('d\xff/b\xfe'), 'some text of a document');
  writeFileSync(nameOf('d\xff/c'), 'other words in another file');
  const script = `d=$(printf 'd\\377'); exec "$0" "$1" near "$d" -m 1MiB`;
  const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', script, process.execPath, mainPath], { cwd });
  expect({ stdout: stdout.toString('latin1'), stderr: stderr.toString(), status }).toEqual({
    stdout: 'd\xff/a\xfe\nd\xff/c\n',
    stderr: '',
    status: 0,
  });
});
