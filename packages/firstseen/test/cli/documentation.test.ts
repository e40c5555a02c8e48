// docs/COMMAND.md matches the help and the statistics of the command.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const text = readFileSync(new URL('../../../../docs/COMMAND.md', import.meta.url), 'utf8');

describe('docs/COMMAND.md', () => {
  test.each([
    [[]],
    [['inspect']],
    [['algorithms']],
    [['plan']],
    [['motifs']],
    [['near']],
    [['lab']],
    [['lab', 'run']],
    [['lab', 'reproduce']],
    [['lab', 'advise']],
  ])('contains the help of firstseen %j', async (command) => {
    const { stdout } = await runCommand([...command, '--help'], { cwd: temporaryFolder() });
    const heading = ['firstseen', ...command, '--help'].join(' ');
    expect(text).toContain(`## ${heading}\n\n\`\`\`text\n${stdout.toString().trimEnd()}\n\`\`\`\n`);
  });

  test('explains every flag outside the help', () => {
    const prose = text.replaceAll(/```text[\s\S]*?```/g, '');
    const program = buildProgram(() => {});
    const near = program.commands.find((command) => command.name() === 'near');
    const options = [...program.options, ...(near?.options ?? [])];
    const unexplained = options.map(({ long }) => long ?? '').filter((flag) => !prose.includes(flag));
    expect(unexplained).toEqual([]);
  });

  test.each([[[]], [['near']], [['motifs', '--record-bytes', '1']]])(
    'describes every member of --stats=json for %j',
    async (command) => {
      const { stderr } = await runCommand([...command, '--stats=json'], { cwd: temporaryFolder() });
      const stats = JSON.parse(stderr);
      const unnamed = Object.keys({ ...stats, ...stats.near }).filter((name) => !text.includes(`\`${name}\``));
      expect(unnamed).toEqual([]);
    },
  );
});
