// The flag of each option of the library, for the messages of its errors.

import { memory } from '../options/detector.js';
import { longFlag } from '../options/longflag.js';
import { type OptionRows, optionRows } from '../options/rows.js';

const PARAMETER = 'parameters.';

function flagsOf(rows: OptionRows): ReadonlyMap<string, string> {
  const named = rows.filter(({ flag }) => flag !== undefined);
  return new Map(named.flatMap((row) => [row.name, ...(row.aliases ?? [])].map((name) => [name, longFlag(row)])));
}

/** The memory of a server is given by the flag of a detector's. Its row is not loaded for other commands. */
const TOTAL_MEMORY = 'totalMemory';

const flags = new Map([...flagsOf(optionRows), [TOTAL_MEMORY, longFlag(memory)]]);

/** A flag of a command without rows is its option in kebab-case. */
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `--expect-distinct` for `distinctElements`, `--param K` for `parameters.K`; flags stay as they are. */
export function flagOfOption(option: string): string {
  if (option.startsWith('-')) return option;
  const [name, parameter] = option.startsWith(PARAMETER) ? ['parameters', option.slice(PARAMETER.length)] : [option];
  const flag = flags.get(name) ?? `--${kebabCase(name)}`;
  return parameter === undefined ? flag : `${flag} ${parameter}`;
}
