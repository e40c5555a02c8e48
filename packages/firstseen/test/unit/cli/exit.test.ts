import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import {
  type ErrorCode,
  errorCodes,
  FirstseenError,
  invalidOption,
  optionName,
  phrase,
} from '../../../src/base/errors.js';
import { endingOf, type LogEntry, lineOf, warningEntry } from '../../../src/cli/exit.js';
import { Interrupted } from '../../../src/cli/signals.js';
import { OutputClosed } from '../../../src/io/sink.js';

/** The exit code and the line of text of an ending. */
function shown(error: unknown): { exitCode: number; line: string } {
  const { exitCode, entry } = endingOf(error);
  return { exitCode, line: lineOf(entry as LogEntry) };
}

const usageCodes: readonly ErrorCode[] = [
  ...(['E_ALGORITHM', 'E_PARAMETER', 'E_MEMORY', 'E_BOUND', 'E_SAMPLE', 'E_USAGE', 'E_FRAME'] as const),
];

function exitCodeFor(code: ErrorCode): number {
  if (code === 'E_OVERLOAD') return 3;
  return usageCodes.includes(code) ? 2 : 1;
}

test.each(Object.keys(errorCodes) as ErrorCode[])('%s', (code) => {
  expect(shown(new FirstseenError(code, 'what went wrong'))).toEqual({
    exitCode: exitCodeFor(code),
    line: `firstseen: what went wrong [${code}]`,
  });
});

test('an error names flags, not options of the library', () => {
  const error = invalidOption({ option: 'distinctElements', given: 0, expected: 'a number of elements, 1 or more' });
  expect(shown(error).line).toBe(
    'firstseen: --expect-distinct is 0, but must be a number of elements, 1 or more [E_PARAMETER]',
  );
});

test('a closed output is not a failure', () => expect(endingOf(new OutputClosed())).toEqual({ exitCode: 0 }));

test('an interruption exits as shells expect', () => {
  expect(endingOf(new Interrupted('SIGHUP', 'after 3 records')).exitCode).toBe(129);
  expect(endingOf(new Interrupted('SIGINT', 'after 3 records')).exitCode).toBe(130);
  expect(shown(new Interrupted('SIGTERM', 'after 3 records'))).toEqual({
    exitCode: 143,
    line: 'firstseen: stopped by SIGTERM after 3 records',
  });
});

test('showing the help or the version is not a failure', () => {
  expect(endingOf(new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'))).toEqual({ exitCode: 0 });
});

test("the parser's message fits on one line and keeps its suggestion", () => {
  const message = "error: unknown option '--memry'\n(Did you mean --memory?); see firstseen --help";
  expect(shown(new CommanderError(1, 'commander.unknownOption', message))).toEqual({
    exitCode: 2,
    line: "firstseen: unknown option '--memry' (Did you mean --memory?); see firstseen --help [E_USAGE]",
  });
});

test('an unexpected error is a failure with its own code', () => {
  expect(shown(Object.assign(new Error('too many open files'), { code: 'EMFILE' }))).toEqual({
    exitCode: 1,
    line: 'firstseen: too many open files [EMFILE]',
  });
  expect(shown(new TypeError('x is\nno function')).line).toBe('firstseen: x is no function [unexpected]');
});

test('a message as data has the flag at fault and what to do, also in the message', () => {
  const details = { option: 'distinctElements', remedy: phrase`give ${optionName('maxRecordBytes')}` };
  const error = new FirstseenError('E_USAGE', 'too few', details);
  const told = { code: 'E_USAGE', option: '--expect-distinct', remedy: 'give --max-record' };
  expect(endingOf(error).entry).toEqual({ ...told, level: 'error', message: 'too few; give --max-record' });
  expect(lineOf(warningEntry(error))).toBe('firstseen: warning: too few; give --max-record [E_USAGE]');
});
