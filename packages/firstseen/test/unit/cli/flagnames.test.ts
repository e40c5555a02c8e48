import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { flagOfOption, flagsByOption } from '../../../src/cli/flagnames.js';
import { buildProgram } from '../../../src/cli/program.js';

function flagsOf(command: Command): string[] {
  return [...command.options.map(({ long }) => long as string), ...command.commands.flatMap(flagsOf)];
}

test.each([
  ['fpr', '--fpr'],
  ['recordBytes', '--record-bytes'],
  ['distinctElements', '--expect-distinct'],
  ['witness.memory', '--witness-memory'],
  ['parameters.K', '--param K'],
  ["parameters.r'", "--param r'"],
  ['--stats', '--stats'],
])('%s is %s', (option, flag) => expect(flagOfOption(option)).toBe(flag));

test('every flag of the table is a flag of the command', () => {
  const flags = new Set(flagsOf(buildProgram(() => undefined)));
  for (const flag of Object.values(flagsByOption)) expect(flags).toContain(flag);
});
