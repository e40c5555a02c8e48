import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.js';
import { flagOfOption } from '../../../src/options/flagnames.js';
import { longFlag } from '../../../src/options/longflag.js';
import { type OptionRows, optionRows } from '../../../src/options/rows.js';

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

test.each([
  ['columns', '--key'],
  ['windowElements', '--window'],
  ['hasHeader', '--no-header'],
  ['isFollowing', '--follow'],
  ['sampleRecords', '--sample-records'],
])('%s is %s, by its row, or by its name without one', (option, flag) => expect(flagOfOption(option)).toBe(flag));

test('every flag of a row is a flag of the command', () => {
  const flags = new Set(flagsOf(buildProgram(() => undefined)));
  const rows: OptionRows = optionRows;
  const named = rows.filter(({ flag }) => flag !== undefined).map(longFlag);
  expect(named.length).toBeGreaterThan(70);
  for (const flag of named) expect(flags).toContain(flag);
});
