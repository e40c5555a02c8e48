// A value that a shell has cut from its unit, such as `--window 1 h`: the parser would read the unit as the name of a file.

import { parseMilliseconds } from '../base/duration.js';
import { FirstseenError } from '../base/errors.js';
import { parseBytes } from '../base/memory.js';
import { parseMeasure } from '../base/number.js';
import type { KindName } from '../options/row.js';
import { type OptionRows, optionRows } from '../options/rows.js';

const measuredKinds: ReadonlySet<KindName> = new Set(['size', 'bytes', 'duration', 'number', 'elements']);

/** The flags, long and short, whose values may have a unit. */
function measuredFlags(rows: OptionRows): ReadonlySet<string> {
  const measured = rows.filter(({ kind, flag }) => flag !== undefined && measuredKinds.has(kind));
  return new Set(measured.flatMap(({ flag = '' }) => flag.match(/--?[a-z0-9][a-z0-9-]*/g) ?? []));
}

function isUnit(text: string): boolean {
  if (!/^(?:[a-z]+|%)$/i.test(text)) return false;
  return text === '%' || parseMilliseconds(`1${text}`) !== undefined || parseBytes(`1${text}`) !== undefined;
}

/** @throws FirstseenError E_USAGE for a number that a unit follows as an argument of its own. Arguments after `--` are files. */
export function checkUnits(args: readonly string[]): void {
  const flags = measuredFlags(optionRows);
  const separator = args.indexOf('--');
  const flagArguments = separator === -1 ? args : args.slice(0, separator);
  for (const [i, flag] of flagArguments.entries()) {
    const [number = '', unit = ''] = flagArguments.slice(i + 1, i + 3);
    if (!flags.has(flag) || parseMeasure(number)?.unit !== '' || !isUnit(unit)) continue;
    throw new FirstseenError('E_USAGE', `${flag} ${number} is followed by ${unit}, which would be read as a file`, {
      remedy: `give ${flag} ${number}${unit}, or ./${unit} for a file of that name`,
    });
  }
}
