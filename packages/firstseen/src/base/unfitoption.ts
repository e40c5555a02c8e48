// The error for an option that does not fit what else was given.

import { type ErrorCode, type ErrorDetails, FirstseenError, optionName, type Phrase, phrase } from './errors.js';

/** "spill was given, but why; remedy", for an option that does not fit what else was given; `E_USAGE` by default. */
export function unfitOption(
  option: string,
  why: string | Phrase,
  { code = 'E_USAGE', ...details }: Pick<ErrorDetails, 'given' | 'expected' | 'remedy'> & { code?: ErrorCode },
): FirstseenError {
  return new FirstseenError(code, phrase`${optionName(option)} was given, but ${why}`, { option, ...details });
}
