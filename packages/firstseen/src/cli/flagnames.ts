// The flag of each option of the library, for the messages of its errors.

import { kafkaRows } from '../options/kafka.js';
import { longFlag } from '../options/longflag.js';
import { type OptionRows, optionRows } from '../options/rows.js';
import { serveRows } from '../options/serve.js';

const PARAMETER = 'parameters.';

function flagsOf(rows: OptionRows): ReadonlyMap<string, string> {
  const named = rows.filter(({ flag }) => flag !== undefined);
  return new Map(named.flatMap((row) => [row.name, ...(row.aliases ?? [])].map((name) => [name, longFlag(row)])));
}

const flags = flagsOf([...serveRows, ...kafkaRows, ...optionRows]);

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
