// The standard streams of a command line: those of the process, or those that a caller gives in their place.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';

export interface StandardStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly error: Writable;
}

const STANDARD_INPUT_DESCRIPTOR = 0;
const STANDARD_OUTPUT_DESCRIPTOR = 1;

/** Node makes each of these streams when it is first used, which takes time. */
const ofProcess: StandardStreams = {
  get input() {
    return process.stdin;
  },
  get output() {
    return process.stdout;
  },
  get error() {
    return process.stderr;
  },
};

const streamsOfCaller = new AsyncLocalStorage<StandardStreams>();

/** Runs a function, in which and after which whatever it awaits uses these standard streams. */
export function withStandardStreams<Result>(streams: StandardStreams, run: () => Result): Result {
  return streamsOfCaller.run(streams, run);
}

export function standardStreams(): StandardStreams {
  return streamsOfCaller.getStore() ?? ofProcess;
}

/** The descriptor of standard input; undefined for a stream that a caller gave. */
export function inputDescriptor(): number | undefined {
  return streamsOfCaller.getStore() === undefined ? STANDARD_INPUT_DESCRIPTOR : undefined;
}

/** The descriptor of standard output; undefined for a stream that a caller gave. */
export function outputDescriptor(): number | undefined {
  return streamsOfCaller.getStore() === undefined ? STANDARD_OUTPUT_DESCRIPTOR : undefined;
}
