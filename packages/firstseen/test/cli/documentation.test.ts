// The pages of docs/command match the help and the statistics of the command, and are short enough to read.

import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { commandIndex, commandPages } from '../support/pages.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const text = commandPages.join('\n');

/** The largest pages that a person reads at once: 30 KB, and 8 KB for the index. */
const [PAGE_BYTES, INDEX_BYTES] = [30_000, 8000];

describe('the pages of the command', () => {
  test('are short', () => {
    expect(commandPages.map((page) => Buffer.byteLength(page)).filter((bytes) => bytes > PAGE_BYTES)).toEqual([]);
    expect(Buffer.byteLength(commandIndex)).toBeLessThanOrEqual(INDEX_BYTES);
  });

  test.each([
    [[]],
    [['inspect']],
    [['algorithms']],
    [['plan']],
    [['plan', 'near']],
    [['motifs']],
    [['near']],
    [['passages']],
    [['serve']],
    [['kafka']],
    [['pipe']],
    [['lab']],
    [['lab', 'run']],
    [['lab', 'reproduce']],
    [['lab', 'advise']],
  ])('contain the help of firstseen %j', async (command) => {
    const { stdout } = await runCommand([...command, '--help'], { cwd: temporaryFolder() });
    const heading = ['firstseen', ...command, '--help'].join(' ');
    expect(text).toContain(`## ${heading}\n\n\`\`\`text\n${stdout.toString().trimEnd()}\n\`\`\`\n`);
  });

  test('explain every flag outside the help', () => {
    const prose = text.replaceAll(/```text[\s\S]*?```/g, '');
    const program = buildProgram(() => {});
    const near = program.commands.find((command) => command.name() === 'near');
    const options = [...program.options, ...(near?.options ?? [])];
    const unexplained = options.map(({ long }) => long ?? '').filter((flag) => !prose.includes(flag));
    expect(unexplained).toEqual([]);
  });

  test.each([[[]], [['near']], [['motifs', '--record-bytes', '1']]])(
    'describe every member of --stats=json for %j',
    async (command) => {
      const { stderr } = await runCommand([...command, '--stats=json'], { cwd: temporaryFolder() });
      const stats = JSON.parse(stderr);
      const unnamed = Object.keys({ ...stats, ...stats.near }).filter((name) => !text.includes(`\`${name}\``));
      expect(unnamed).toEqual([]);
    },
  );
});
