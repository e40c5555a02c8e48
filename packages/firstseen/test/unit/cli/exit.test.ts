import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { endingOf } from '../../../src/cli/exit.js';
import { Interrupted } from '../../../src/cli/signals.js';
import { type ErrorCode, errorCodes, FirstseenError, invalidOption } from '../../../src/errors.js';
import { OutputClosed } from '../../../src/run/output/contract.js';

const usageCodes: readonly ErrorCode[] = ['E_ALGORITHM', 'E_PARAMETER', 'E_MEMORY', 'E_BOUND', 'E_SAMPLE', 'E_USAGE'];

function exitCodeFor(code: ErrorCode): number {
  if (code === 'E_OVERLOAD') return 3;
  return usageCodes.includes(code) ? 2 : 1;
}

test.each(Object.keys(errorCodes) as ErrorCode[])('%s', (code) => {
  expect(endingOf(new FirstseenError(code, 'what went wrong'))).toEqual({
    exitCode: exitCodeFor(code),
    message: `firstseen: what went wrong [${code}]`,
  });
});

test('an error names flags, not options of the library', () => {
  const error = invalidOption({ option: 'distinctElements', given: 0, expected: 'a number of elements, 1 or more' });
  expect(endingOf(error).message).toBe(
    'firstseen: --expect-distinct is 0, but must be a number of elements, 1 or more [E_PARAMETER]',
  );
});

test('a closed output is not a failure', () => expect(endingOf(new OutputClosed())).toEqual({ exitCode: 0 }));

test('an interruption exits as shells expect', () => {
  expect(endingOf(new Interrupted('SIGHUP', 'after 3 records')).exitCode).toBe(129);
  expect(endingOf(new Interrupted('SIGINT', 'after 3 records')).exitCode).toBe(130);
  expect(endingOf(new Interrupted('SIGTERM', 'after 3 records'))).toEqual({
    exitCode: 143,
    message: 'firstseen: stopped by SIGTERM after 3 records',
  });
});

test('showing the help or the version is not a failure', () => {
  expect(endingOf(new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'))).toEqual({ exitCode: 0 });
});

test("the parser's message fits on one line and keeps its suggestion", () => {
  const message = "error: unknown option '--memry'\n(Did you mean --memory?); see firstseen --help";
  expect(endingOf(new CommanderError(1, 'commander.unknownOption', message))).toEqual({
    exitCode: 2,
    message: "firstseen: unknown option '--memry' (Did you mean --memory?); see firstseen --help [E_USAGE]",
  });
});

test('an unexpected error is a failure with its own code', () => {
  expect(endingOf(Object.assign(new Error('too many open files'), { code: 'EMFILE' }))).toEqual({
    exitCode: 1,
    message: 'firstseen: too many open files [EMFILE]',
  });
  expect(endingOf(new TypeError('x is\nno function')).message).toBe('firstseen: x is no function [unexpected]');
});
