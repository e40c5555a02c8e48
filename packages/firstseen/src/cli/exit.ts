// How the command ends: the number it exits with, and the one line it says why.

import { CommanderError } from 'commander';
import { type ErrorCode, errorCodeOf, FirstseenError } from '../errors.js';
import { OutputClosed } from '../run/output/contract.js';
import { Interrupted } from './signals.js';

const DONE = 0;
const FAILED = 1;
const WRONG_USE = 2;

/** Errors that a different command line would not have met. */
const wrongUseCodes: ReadonlySet<ErrorCode> = new Set(['E_USAGE', 'E_ALGORITHM', 'E_PARAMETER', 'E_MEMORY', 'E_BOUND']);

/** What the library calls the value of a flag of another name, at the front of its messages. */
const flagsByOption: Readonly<Record<string, string>> = {
  distinctElements: '--expect-distinct',
  lengthElements: '--expect-length',
  recordBytes: '--record-bytes',
  sets: '--sets',
  hashes: '--hashes',
  addressBits: '--address-bits',
  threshold: '--threshold',
  batchRecords: '--batch-records',
  threads: '--threads',
  maxRecordBytes: '--max-record',
};

/** A message of the library for somebody who gave flags. */
function inFlags(message: string): string {
  return message.replace(/^\w+(?= is )/, (name) => flagsByOption[name] ?? name);
}

export interface Ending {
  exitCode: number;
  /** For standard error; nothing is said when absent. */
  message?: string;
}

/** The argument parser's message without its "error:", its suggestion kept. */
function parserMessage(error: CommanderError): string {
  if (error.code === 'commander.help') return 'a command is missing; the help above lists them';
  return error.message.replace(/^error: /, '');
}

function line(message: string, code?: string): string {
  const text = `firstseen: ${message.trim().replace(/\s*\n\s*/g, ' ')}`;
  return code === undefined ? text : `${text} [${code}]`;
}

/** What an error means to the shell. A pipe that its reader closed is no failure. */
export function endingOf(error: unknown): Ending {
  if (error instanceof OutputClosed) return { exitCode: DONE };
  if (error instanceof Interrupted) return { exitCode: error.exitCode, message: line(error.message) };
  if (error instanceof FirstseenError) {
    return {
      exitCode: wrongUseCodes.has(error.code) ? WRONG_USE : FAILED,
      message: line(inFlags(error.message), error.code),
    };
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === DONE) return { exitCode: DONE };
    return { exitCode: WRONG_USE, message: line(parserMessage(error), 'E_USAGE') };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: FAILED, message: line(message, errorCodeOf(error)) };
}
