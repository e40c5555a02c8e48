// `firstseen help [COMMAND...]`: the help of the program or of one of its commands.

import { type Command, CommanderError } from 'commander';
import { FirstseenError } from '../base/errors.js';

function commandNamed(program: Command, name: string): Command {
  const found = program.commands.find((command) => command.name() === name);
  if (found) return found;
  const names = program.commands.map((command) => command.name());
  throw new FirstseenError('E_USAGE', `unknown command ${name}`, {
    given: name,
    expected: `one of ${names.join(', ')}`,
    remedy: `choose one of ${names.join(', ')}`,
  });
}

/** Runs the laboratory with these arguments, by default those of the command line. */
export type OnLab = (args?: readonly string[]) => Promise<void>;

/** Prints the help and ends with 0. `help` of the parser ends with the exit code that the process has until the run sets another. */
function showHelp(command: Command): never {
  command.outputHelp();
  throw new CommanderError(0, 'firstseen.help', '');
}

/** Adds the command. The laboratory prints the help of its own commands. */
export function addHelpCommand(program: Command, onLab: OnLab): void {
  program
    .command('help')
    .description('display help for a command')
    .argument('[command...]', 'such as near')
    .action(async (names: string[]) => {
      const [name] = names;
      if (name === 'lab') await onLab([...names.slice(1), '--help']);
      else showHelp(name === undefined ? program : commandNamed(program, name));
    });
}
