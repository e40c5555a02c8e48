// Commands as they were parsed: the spans of their arguments in a buffer. No object is made for an argument.

/** Commands that came together, and the arguments of each. */
export interface ParsedCommands {
  readonly bytes: Buffer;
  /** Offset of the first byte of each argument of all commands, one command after the other. */
  readonly starts: Uint32Array;
  /** Offset after the last byte of each argument. */
  readonly ends: Uint32Array;
  /** Index of the first argument of each command, and of the argument after the last command. */
  readonly firsts: ArrayLike<number>;
  /** For each command, 1 if it has the bytes of the one before it up to its last argument, which is as long. */
  readonly repeats: ArrayLike<number>;
  /** The number of commands. */
  readonly count: number;
}

/** Arguments and pipelines that are not larger are taken. */
export interface RequestLimits {
  /** The most bytes of an argument. */
  readonly argumentBytes: number;
  /** The most arguments of a command. */
  readonly commandArguments: number;
  /** The most bytes of all arguments of a command. */
  readonly requestBytes: number;
  /** Commands are parsed together until they have this many arguments. One command can have more. */
  readonly batchArguments: number;
  /** The word for a length that is larger, in an error. */
  readonly refusal: 'invalid' | 'unauthenticated';
}
