// Every error that a caller can meet: a stable code, and a message that says what was given, what was
// expected and what to do. The catalogue stands in docs/ERRORS.md; a test keeps the two in step.

export const errorCodes = {
  E_ALGORITHM: 'the algorithm is not one of the registry',
  E_PARAMETER: 'a parameter is unknown to the family, malformed or outside its range',
  E_MEMORY: 'the memory asked for is below or above what a detector can have',
  E_BOUND: 'what is asked for breaks a bound that no structure, or none of these, can break',
  E_FULL: 'an exact detector holds as many elements as its memory allows',
  E_KEY: 'a key is of a type, or has a value, that cannot be fingerprinted',
  E_CLAIMS_FULL: 'as many keys are claimed and pending as may be',
  E_CLAIM_ABORTED: 'a claim was committed after it had been aborted',
  E_DELIVERY: 'a sink failed with something that is no Error',
  E_SNAPSHOT: 'the bytes are not a whole, intact snapshot of a known version',
  E_STATE_DIFFERS: 'a state was saved with other settings than those asked for',
  E_STATE_RUN: 'a state holds an unfinished run over other inputs or outputs',
  E_STATE_FILE: 'a state file cannot be read or written',
  E_USAGE: 'the command line contradicts itself or misses something',
  E_INPUT: 'an input cannot be read',
  E_OUTPUT: 'an output cannot be written',
  E_RECORD: 'a record is invalid in its format, or longer than allowed',
  E_KEY_MISSING: 'a record lacks the key that decides identity',
  E_COMPRESSION: 'the running Node cannot read this compression',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** What an error of any kind is called where an error is one word: its code, or else `unexpected`. */
export function errorCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unexpected';
}

export class FirstseenError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'FirstseenError';
    this.code = code;
  }
}
