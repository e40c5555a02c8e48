// What is shown of an object of the library when a program logs or prints it.

import { FirstseenError } from './errors.js';

/** Node, Deno and Bun print an object by its method of this name. */
const inspectSymbol: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/** The description of an object that was closed, for logs. */
export interface ClosedDescription {
  /** Always true. */
  isClosed: true;
}

/** A description; of an object that was closed, whose counts are gone, that it is closed. A log must not fail for it. */
export function describedOpen<Description>(describe: () => Description): Description | ClosedDescription {
  try {
    return describe();
  } catch (error) {
    if (error instanceof FirstseenError && error.code === 'E_CLOSED') return { isClosed: true };
    throw error;
  }
}

type Inspect = (value: unknown, options: object) => string;

/**
 * A value that cannot be cloned, so that `structuredClone` and `postMessage` of its object throw a DataCloneError, whose message has this
 * text. A clone would be an empty object, because it has neither private members nor methods.
 */
const notCloneable = Symbol(
  'an object of firstseen, whose contents a clone would lose; save a snapshot, and load it where the clone is needed',
);

/**
 * Objects that a program may log. JSON, `console.log` and loggers show a short description. The members are private, so that
 * nothing reaches the memory of the object, which contains keys and the secret.
 */
export abstract class Described {
  /**
   * A clone takes only members that are enumerable and named by text.
   * @internal
   */
  readonly notCloneable = notCloneable;

  /**
   * Returns a description for logs: plain data, without a bigint. It takes no pass over the memory, and changes
   * nothing.
   */
  abstract toJSON(): object;

  /** @internal */
  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    const { name } = this.constructor;
    return depth < 0 ? `[${name}]` : `${name} ${inspect(this.toJSON(), options)}`;
  }
}
