import { expect, test } from 'vitest';
import { buildProgram, commandNames } from '../../../src/cli/program.js';

test('a command line that names no command is parsed without the commands, so their names are known before', () => {
  const built = buildProgram(() => undefined).commands.map((command) => command.name());
  expect(built.toSorted()).toEqual(commandNames.toSorted());
});
