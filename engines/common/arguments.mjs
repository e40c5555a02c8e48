// The arguments that the commands of all engines have: options, inputs, and after -- the flags of firstseen.

import { parseArgs } from 'node:util';
import { flagValue } from './flags.mjs';
import { ownFirstseen } from './phases.mjs';
import { Refusal } from './shell.mjs';

const sharedOptions = {
  output: { type: 'string' },
  reducers: { type: 'string', default: '1' },
  states: { type: 'string' },
  again: { type: 'boolean', default: false },
  fs: { type: 'string', default: 'hadoop fs' },
  firstseen: { type: 'string', default: ownFirstseen },
  help: { type: 'boolean', default: false },
};

/** The help of the options that all engines have. */
export const sharedHelp = `Options:
  --output DIR          folder for the output; it must not exist
  --reducers N          number of reduce tasks (default: 1)
  --states DIR          go on with the partitions in this folder, and save them there
  --again               take inputs that the states have taken before
  --fs COMMAND          reads and writes states in other file systems (default: "hadoop fs")
  --firstseen COMMAND   runs firstseen on every node (default: the command of this repository)`;

/** @throws Refusal for an option that is unknown or has no value. */
function parsed(args, options) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...sharedOptions, ...options } });
  } catch (cause) {
    const [problem] = cause.message.split(/\. |\n/);
    throw new Refusal(`${problem}; flags of firstseen follow --, and --help lists the options`, { cause });
  }
}

/** Splits the arguments of a command. @param options those that only this engine has. @throws Refusal for an unknown one. */
export function parseArguments(args, options) {
  const separator = args.indexOf('--');
  const own = separator === -1 ? args : args.slice(0, separator);
  const { values, positionals } = parsed(own, options);
  return { ...values, inputs: positionals, flags: separator === -1 ? [] : args.slice(separator + 1) };
}

/** @throws Refusal for what no job can be made from. */
export function checkArguments({ inputs, output, reducers, flags }) {
  if (inputs.length === 0) throw new Refusal('no input was given; give files or folders');
  if (output === undefined) throw new Refusal('--output is missing; give a folder that does not exist');
  if (!/^[1-9][0-9]*$/.test(reducers)) throw new Refusal(`--reducers is ${reducers}; give a whole number from 1`);
  if (flagValue(flags, '--format', '-f') !== undefined) return;
  throw new Refusal('--format is missing; give it after --, because tasks do not see the names of the inputs');
}
