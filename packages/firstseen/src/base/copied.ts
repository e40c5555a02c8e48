// Copies of the options of calls that take time. A program may change what it gave as soon as the call returns: a secret is wiped, an object
// of options is used for the next call.

import { isBytes } from './bytes.js';

function copyOf(value: unknown): unknown {
  if (isBytes(value)) return new Uint8Array(value);
  if (Array.isArray(value)) return [...value];
  // An object of a class, such as a module or a detector, is used as it is.
  return (value as object | null | undefined)?.constructor === Object ? { ...(value as object) } : value;
}

/** A copy of options, and of the arrays and the objects in them. An object of a class passes as it is, and so does what is not an object, which the check of the options refuses. */
export function copied<Options>(options: Options): Options {
  if ((options as object | null | undefined)?.constructor !== Object) return options;
  return Object.fromEntries(Object.entries(options as object).map(([name, value]) => [name, copyOf(value)])) as Options;
}
