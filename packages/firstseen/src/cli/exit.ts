// How the command ends: its exit code, and the message that says why.

import { CommanderError } from 'commander';
import { defined } from '../base/defined.js';
import { type ErrorCode, errorCodeOf, FirstseenError, type OptionNaming } from '../base/errors.js';
import { OutputClosed } from '../io/sink.js';
import { flagOfOption } from '../options/flagnames.js';
import { Interrupted } from './signals.js';

/** The exit codes of the command. */
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
  'E_FRAME',
]);

/** The exit code for an error of this code. */
export function exitCodeOf(code: ErrorCode): number {
  if (code === 'E_OVERLOAD') return exitCodes.overload.code;
  return usageCodes.has(code) ? exitCodes.usage.code : exitCodes.failed.code;
}

/** A message as data. The JSON of the command has the same names. */
export interface LogEntry {
  level: 'info' | 'warning' | 'error';
  /** The code of the error or warning, the name of the signal, or NOTICE. */
  code: string;
  message: string;
  /** The flag at fault. */
  option?: string;
  /** The remedy; the message ends with it. */
  remedy?: string;
}

export interface Ending {
  exitCode: number;
  /** The message about the end, if there is one. */
  entry?: LogEntry;
}

/** The argument parser's message without "error:", but with its suggestion. */
function parserMessage(error: CommanderError): string {
  if (error.code === 'commander.help') return 'no command was given; choose one of those that the help lists';
  return error.message.replace(/^error: /, '');
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

/** A message as a line of text. */
export function lineOf({ level, code, message }: LogEntry): string {
  if (level === 'info') return `firstseen: ${message}`;
  return `firstseen: ${level === 'warning' ? 'warning: ' : ''}${message} [${code}]`;
}

function entryOf(error: FirstseenError, level: 'warning' | 'error', nameOf: OptionNaming): LogEntry {
  const { code, option } = error;
  return {
    level,
    code,
    message: oneLine(error.render(nameOf)),
    ...defined({ option: option === undefined ? undefined : nameOf(option), remedy: error.renderRemedy(nameOf) }),
  };
}

export function warningEntry(warning: FirstseenError, nameOf: OptionNaming = flagOfOption): LogEntry {
  return entryOf(warning, 'warning', nameOf);
}

/** The message for what else is worth knowing about a run. */
export function noticeEntry(notice: string): LogEntry {
  return { level: 'info', code: 'NOTICE', message: notice };
}

function failure(exitCode: number, code: string, message: string): Ending {
  return { exitCode, entry: { level: 'error', code, message: oneLine(message) } };
}

/** The exit code and the message for an error; `nameOf` names options by their flags. A closed output pipe is not a failure. */
export function endingOf(error: unknown, nameOf: OptionNaming = flagOfOption): Ending {
  if (error instanceof OutputClosed) return { exitCode: exitCodes.done.code };
  if (error instanceof Interrupted) {
    const { signal, message } = error;
    return { exitCode: exitCodes[signal].code, entry: { level: 'info', code: signal, message: oneLine(message) } };
  }
  if (error instanceof FirstseenError)
    return { exitCode: exitCodeOf(error.code), entry: entryOf(error, 'error', nameOf) };
  if (error instanceof CommanderError) {
    if (error.exitCode === exitCodes.done.code) return { exitCode: exitCodes.done.code };
    return failure(exitCodes.usage.code, 'E_USAGE', parserMessage(error));
  }
  return failure(exitCodes.failed.code, errorCodeOf(error), error instanceof Error ? error.message : String(error));
}
