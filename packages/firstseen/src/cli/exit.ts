// How the command ends: its exit code, and the line on standard error that says why.

import { CommanderError } from 'commander';
import { type ErrorCode, errorCodeOf, FirstseenError, type OptionNaming } from '../errors.js';
import { OutputClosed } from '../run/output/contract.js';
import { flagOfOption } from './flagnames.js';
import { Interrupted } from './signals.js';

/** How the command ends. */
export const exitCodes = {
  done: { code: 0, meaning: 'the command succeeded, or the reader of its output closed the pipe' },
  failed: { code: 1, meaning: 'an error occurred' },
  usage: { code: 2, meaning: 'usage error: another command line would have avoided the error' },
  overload: { code: 3, meaning: 'the detector took more than it was planned for, with --on-overload fail' },
  // 128 and the number of the signal, as in shells.
  SIGHUP: { code: 129, meaning: 'SIGHUP stopped the command' },
  SIGINT: { code: 130, meaning: 'SIGINT stopped the command' },
  SIGTERM: { code: 143, meaning: 'SIGTERM stopped the command' },
} as const;

const usageCodes: ReadonlySet<ErrorCode> = new Set([
  'E_USAGE',
  'E_ALGORITHM',
  'E_PARAMETER',
  'E_MEMORY',
  'E_BOUND',
  'E_SAMPLE',
]);

/** The exit code for an error of this code. */
export function exitCodeOf(code: ErrorCode): number {
  if (code === 'E_OVERLOAD') return exitCodes.overload.code;
  return usageCodes.has(code) ? exitCodes.usage.code : exitCodes.failed.code;
}

export interface Ending {
  exitCode: number;
  /** The line for standard error, if there is one. */
  message?: string;
}

/** The argument parser's message without "error:", but with its suggestion. */
function parserMessage(error: CommanderError): string {
  if (error.code === 'commander.help') return 'no command was given; choose one of those that the help lists';
  return error.message.replace(/^error: /, '');
}

function line(message: string, code?: string): string {
  const text = `firstseen: ${message.trim().replace(/\s*\n\s*/g, ' ')}`;
  return code === undefined ? text : `${text} [${code}]`;
}

/** The line on standard error for a warning. */
export function warningLine(warning: FirstseenError, nameOf: OptionNaming = flagOfOption): string {
  return line(`warning: ${warning.render(nameOf)}`, warning.code);
}

/** The exit code and the message for an error; `nameOf` names options by their flags. A closed output pipe is not a failure. */
export function endingOf(error: unknown, nameOf: OptionNaming = flagOfOption): Ending {
  if (error instanceof OutputClosed) return { exitCode: exitCodes.done.code };
  if (error instanceof Interrupted) return { exitCode: exitCodes[error.signal].code, message: line(error.message) };
  if (error instanceof FirstseenError) {
    return { exitCode: exitCodeOf(error.code), message: line(error.render(nameOf), error.code) };
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === exitCodes.done.code) return { exitCode: exitCodes.done.code };
    return { exitCode: exitCodes.usage.code, message: line(parserMessage(error), 'E_USAGE') };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.failed.code, message: line(message, errorCodeOf(error)) };
}
