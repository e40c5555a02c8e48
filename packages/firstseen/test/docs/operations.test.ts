// The console sessions of docs/OPERATIONS.md run as they are, each in an empty folder, and its units and cron lines are command
// lines that the command accepts.

import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { mainPath, temporaryFolder } from '../cli/support/command.js';
import { blocks, stepsOf } from '../support/blocks.js';
import { repositoryFolder } from '../support/folders.js';
import { sampleNote, sampleOf } from '../support/form.js';
import { requiresPosix } from '../support/platform.js';

const document = readFileSync(join(repositoryFolder, 'docs/OPERATIONS.md'), 'utf8');

const LINE_MILLISECONDS = 20_000;

let folder: string;
let bin: string;

/** Runs a line of a shell, with `firstseen` on its path. What it prints goes to a file, which a command in the background may keep. */
function runLine(line: string, environment: Readonly<Record<string, string>> = {}): string {
  const printed = join(bin, 'printed');
  const file = openSync(printed, 'w');
  try {
    execFileSync('/bin/sh', ['-c', line], {
      cwd: folder,
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, ...environment },
      stdio: ['ignore', file, 'ignore'],
      timeout: LINE_MILLISECONDS,
    });
  } finally {
    closeSync(file);
  }
  return readFileSync(printed, 'utf8');
}

beforeEach(() => {
  requiresPosix('a POSIX shell');
  bin = temporaryFolder();
  folder = temporaryFolder();
  writeFileSync(join(bin, 'firstseen'), `#!/bin/sh\nexec "${process.execPath}" "${mainPath}" -m 64KiB "$@"\n`);
  chmodSync(join(bin, 'firstseen'), 0o755);
});

describe('docs/OPERATIONS.md', () => {
  const sessions = blocks('console', document);

  it('has a session for each situation', () => {
    expect(sessions.length).toBeGreaterThan(10);
    const all = sessions.join('\n');
    for (const part of ['--follow', 'tail -n +1 -F', '--new-run', '>> all.txt', 'app.log.2.gz', ': > app.log']) {
      expect(all).toContain(part);
    }
  });

  const numbered = sessions.map((session, i) => [i + 1, session] as const);
  it.each(sampleOf(numbered, 2))(
    `session %i prints what it says${sampleNote}`,
    (_, session) => {
      for (const { command, printed } of stepsOf(session)) expect(runLine(command), command).toBe(printed);
    },
    60_000,
  );

  it('has units and a cron line that run as they are', () => {
    const lines = [...blocks('ini', document), ...blocks('text', document)].flatMap((block) => block.split('\n'));
    const commands = lines.flatMap((line) => /(?:ExecStart=|\* )(firstseen .*)$/.exec(line)?.[1] ?? []);
    expect(commands).toHaveLength(3);
    mkdirSync(join(folder, 'log'));
    mkdirSync(join(folder, 'lib/firstseen'), { recursive: true });
    writeFileSync(join(folder, 'log/app.log'), 'a\nb\na\n');
    for (const command of commands.filter((one) => !one.includes('--follow'))) {
      const here = command.replaceAll('/var/log', `${folder}/log`).replaceAll('/var/lib', `${folder}/lib`);
      runLine(here, { STATE_DIRECTORY: `${folder}/lib/firstseen` });
      expect(readFileSync(join(folder, 'lib/firstseen/app.out'), 'utf8')).toBe('a\nb\n');
    }
  });
});
