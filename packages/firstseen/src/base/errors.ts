// The errors that a caller can meet. Each has a stable code, a message of one line (what is wrong; what to do) and the same
// facts as data. The table of docs/ERRORS.md is written from `errorCodes`.

interface CodeDescription {
  /** The condition under which an error has this code. */
  readonly when: string;
  /** The remedy: the action that resolves the error. */
  readonly remedy: string;
}

import { formatCounted } from './count.js';

/** Gives the table a type that names the codes only. With their texts, the declarations would be several kilobytes longer. */
function described<Code extends string>(
  codes: Readonly<Record<Code, CodeDescription>>,
): Readonly<Record<Code, CodeDescription>> {
  return codes;
}

/** Every code of an error, with its cause and what to do about it. The mark lets bundlers leave the texts out. */
export const errorCodes = /* @__PURE__ */ described({
  E_ALGORITHM: {
    when: 'the registry has no algorithm of this name',
    remedy: 'choose one of the names that the message lists',
  },
  E_PARAMETER: {
    when: 'an option or parameter is unknown, malformed or out of range',
    remedy: 'give a value that the message allows',
  },
  E_MEMORY: {
    when: 'the memory size is malformed, too small, or more than WebAssembly or the machine provides',
    remedy: 'change the memory size',
  },
  E_COMPILE: {
    when: 'WebAssembly cannot be compiled, because a content security policy or the host forbids it',
    remedy: "give the option module, or allow 'wasm-unsafe-eval' in the policy",
  },
  E_BOUND: {
    when: 'no structure, or no algorithm of the registry, can meet the request',
    remedy: 'allow more memory, a higher rate of false positives or a smaller window',
  },
  E_FULL: {
    when: 'an exact detector has no room for another element',
    remedy: 'give it more memory, or choose an algorithm that forgets',
  },
  E_OVERLOAD: {
    when: 'a detector is past what it was planned for, and the run was asked to fail then',
    remedy: 'start again with more memory or a higher target rate, or go on with a warning',
  },
  E_MISSED: {
    when: 'more than 1 % of the repeats passed, as the witness measured, or near forgot more than 1 % of the documents; only a warning',
    remedy: 'give more memory, a window, or a spill folder',
  },
  E_CLOCK: {
    when: 'the time of a window is far ahead of the clock of this machine',
    remedy: 'correct the clock, or set the time of the window back',
  },
  E_SAMPLE: {
    when: 'a sample is too small a part of its stream for a recommendation',
    remedy: 'read at least as many elements as the message says',
  },
  E_KEY: {
    when: 'a key has a type or a value that cannot be fingerprinted',
    remedy: 'pass a string, bytes, or a whole number from 0 to 2^64 - 1',
  },
  E_PARTITION: {
    when: 'an element belongs to a partition that the detector does not hold',
    remedy: 'give each partition only its own elements, or merge the partitions first',
  },
  E_THREAD: {
    when: 'a thread ended before its work was done',
    remedy: 'repeat the work since the last saved state, with fewer threads if memory is short',
  },
  E_ORDER: {
    when: 'the elements of a partition do not come in the order of their positions',
    remedy: 'sort them by partition and position',
  },
  E_CLAIMS_FULL: {
    when: 'the maximum number of claims is pending',
    remedy: 'commit or abort a claim, wait for a lease to expire, or raise the limit',
  },
  E_CLAIM_ABORTED: {
    when: 'a claim is committed after it was aborted',
    remedy: 'settle each claim once',
  },
  E_DELIVERY: {
    when: 'a delivery took longer than its timeout, its stream was closed early, or it ended with a value that is not an Error',
    remedy: 'deliver the item again, allow more time, or end a failed delivery with an Error',
  },
  E_SNAPSHOT: {
    when: 'the bytes are not a complete, intact snapshot of a known version',
    remedy: 'restore the snapshot from a copy, or start without it',
  },
  E_STATE_DIFFERS: {
    when: 'the state was saved with settings other than those of this run, or the keys of a snapshot are made differently',
    remedy: 'use the settings of the state or the keys of the snapshot, or another file',
  },
  E_STATE_RUN: {
    when: 'the state belongs to an unfinished run over other inputs or outputs',
    remedy: 'repeat the command of that run, or start a new run',
  },
  E_STATE_FILE: {
    when: 'a state file cannot be read, written or locked',
    remedy: 'correct what the message names',
  },
  E_USAGE: {
    when: 'the command line is incomplete or contradicts itself, or something is used in a way that it does not allow',
    remedy: 'correct the options; the help of the command describes every flag',
  },
  E_CLOSED: {
    when: 'a detector or a state is used after it was closed, or a detector after it left its pool',
    remedy: 'create or open it again, or get the detector from the pool again',
  },
  E_SERVER: {
    when: 'a server does not answer, or is not ready',
    remedy: 'start it, or read its messages',
  },
  E_KAFKA: {
    when: 'Kafka does not answer, refuses, or has another worker in this place',
    remedy: 'correct what the message names, and start again',
  },
  E_OTHER_KEY: {
    when: 'the key of a message of Kafka is another one than the key that is compared',
    remedy: 'give the option that the message names if equal keys are in one partition all the same',
  },
  E_FRAME: {
    when: 'the input of a pipe is not as docs/PIPE.md says',
    remedy: 'correct the program',
  },
  E_INPUT: {
    when: 'an input cannot be read',
    remedy: 'correct what the message names',
  },
  E_OUTPUT: {
    when: 'an output cannot be written, or holds what another run or program has written',
    remedy: 'correct what the message names, or name another output',
  },
  E_SPILL: {
    when: 'a file of the spill folder cannot be written or read',
    remedy: 'free space on its disk, or name another folder',
  },
  E_RECORD: {
    when: 'a record is invalid in its format, or longer than allowed',
    remedy: 'correct the record, or choose to pass or drop such records',
  },
  E_KEY_MISSING: {
    when: 'a record has no value for the key',
    remedy: 'correct the record or the key, or choose to pass or drop such records',
  },
  E_COMPRESSION: {
    when: 'this version of Node cannot read the compression of an input',
    remedy: 'upgrade Node, or decompress the input first',
  },
  E_INVARIANT: {
    when: 'a rule that no input and no option can break is broken; nothing is written after it',
    remedy: 'stop, keep the files as they are, and report the message: it is a defect, or memory or a disk is damaged',
  },
  E_PACKAGE: {
    when: 'an optional package that an input or output needs is not installed',
    remedy: 'install the packages that the message names',
  },
});

/** The code of an error. docs/ERRORS.md lists all. */
export type ErrorCode = keyof typeof errorCodes;

/** The code of an error; `unexpected` for an error without one. */
export function errorCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unexpected';
}

/** An option that a text mentions. The library and the command show it under different names. */
export interface OptionReference {
  readonly option: string;
}

/** A text in which options are mentioned by reference, so that they can be named in the words of the reader. */
export type Phrase = readonly (string | OptionReference)[];

type PhraseValue = string | number | bigint | OptionReference | Phrase;

/** The name of an option for some reader, from its name in the library. */
export type OptionNaming = (option: string) => string;

/** Mentions an option of the library, such as `fpr`, `witness.memory` or `parameters.K`. */
export function optionName(option: string): OptionReference {
  return { option };
}

function partsOf(value: PhraseValue): Phrase {
  if (typeof value !== 'object') return [String(value)];
  return 'option' in value ? [value] : value;
}

/** Tag of template literals: the text, with the values that are options or phrases kept as such. */
export function phrase(strings: TemplateStringsArray, ...values: readonly PhraseValue[]): Phrase {
  return strings.flatMap((characters, i) =>
    i === 0 ? [characters] : [...partsOf(values[i - 1] as PhraseValue), characters],
  );
}

/** `, ` between the parts of a list. */
export function joinPhrases(parts: readonly Phrase[], separator: string): Phrase {
  return parts.flatMap((part, i) => (i === 0 ? part : [separator, ...part]));
}

/** The text of a phrase for a reader. */
export function rendered(text: Phrase, nameOf: OptionNaming): string {
  return text.map((part) => (typeof part === 'string' ? part : nameOf(part.option))).join('');
}

const libraryName: OptionNaming = (option) => option;

export interface ErrorDetails {
  /** The option at fault, by its name in the library. */
  option?: string;
  /** The value that was given for it. */
  given?: unknown;
  /** The requirement for the value, such as "a number between 0 and 1". */
  expected?: string | Phrase;
  /** The remedy, such as "give a higher rate". It ends the message. */
  remedy?: string | Phrase;
  cause?: unknown;
}

function asPhrase(text: string | Phrase): Phrase {
  return typeof text === 'string' ? [text] : text;
}

/** A FirstseenError as data that can be sent to another thread. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly problem: Phrase;
  readonly details: ErrorDetails;
}

const ERROR_MARK: unique symbol = Symbol.for('firstseen.FirstseenError');

/** An error with a code; `message` reads "problem; remedy", with the library's names of options. */
export class FirstseenError extends Error {
  /** A field, which is defined and not assigned, so that `Error.prototype` may be frozen. @internal */
  override name = 'FirstseenError';
  /** The code of the error, which does not change between releases. */
  readonly code: ErrorCode;
  /** The option at fault, by its name in the library: `fpr`, `witness.memory`, `parameters.K`. */
  declare readonly option?: string;
  /** The value that was given for the option: the beginning of a long text or array, and in words if it is a bigint, an object or a function. */
  declare readonly given?: unknown;
  /** The requirement for the value of the option. */
  declare readonly expected?: string;
  /** The remedy: the action that resolves the error. */
  declare readonly remedy?: string;
  readonly #problem: Phrase;
  readonly #details: ErrorDetails;
  readonly #phrase: Phrase;

  /** Marks the errors of every copy of the package in a process, such as one that was imported and one that was required. @internal */
  get [ERROR_MARK](): true {
    return true;
  }

  /** An error of another copy of the package is one too. @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass inherits this method
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    // Not a subclass, of which another copy has none.
    // biome-ignore lint/complexity/noThisInStatic: a subclass inherits this method
    return this === FirstseenError && (value as { [ERROR_MARK]?: unknown } | null | undefined)?.[ERROR_MARK] === true;
  }

  constructor(code: ErrorCode, problem: string | Phrase, facts: ErrorDetails = {}) {
    const details = 'given' in facts ? { ...facts, given: keptValue(facts.given) } : facts;
    const { option, expected, remedy } = details;
    const fullPhrase = remedy === undefined ? asPhrase(problem) : phrase`${asPhrase(problem)}; ${asPhrase(remedy)}`;
    super(rendered(fullPhrase, libraryName), 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.#problem = asPhrase(problem);
    this.#details = details;
    this.#phrase = fullPhrase;
    if (option !== undefined) this.option = option;
    if ('given' in details) this.given = details.given;
    if (expected !== undefined) this.expected = rendered(asPhrase(expected), libraryName);
    if (remedy !== undefined) this.remedy = rendered(asPhrase(remedy), libraryName);
  }

  /**
   * The message, for an error that contains it.
   * @internal
   */
  get phrase(): Phrase {
    return this.#phrase;
  }

  /**
   * Returns this error at a location: "location: problem; remedy", with the same code and fields.
   * @internal
   */
  at(location: string): FirstseenError {
    return new FirstseenError(this.code, phrase`${location}: ${this.#problem}`, { ...this.#details, cause: this });
  }

  /**
   * Returns this error with one more remedy: "problem; remedy, or other remedy", with the same code and fields.
   * @internal
   */
  orRemedy(other: string | Phrase): FirstseenError {
    const { remedy } = this.#details;
    const both = remedy === undefined ? other : phrase`${asPhrase(remedy)}, or ${asPhrase(other)}`;
    return new FirstseenError(this.code, this.#problem, { ...this.#details, remedy: both, cause: this });
  }

  /**
   * The error as data, without its cause. `new FirstseenError(code, problem, details)` makes it again.
   * @internal
   */
  get data(): ErrorData {
    const { cause: _cause, ...details } = this.#details;
    return { code: this.code, problem: this.#problem, details };
  }

  /** The message with other names of options, such as the flags of a command. */
  render(nameOf: OptionNaming): string {
    return rendered(this.#phrase, nameOf);
  }

  /**
   * Returns the remedy, with other names of options.
   * @internal
   */
  renderRemedy(nameOf: OptionNaming): string | undefined {
    const { remedy } = this.#details;
    return remedy === undefined ? undefined : rendered(asPhrase(remedy), nameOf);
  }
}

/** Entries of a list that an error shows. */
const MAX_SHOWN = 8;

/** Characters of a text that an error shows. */
const MAX_CHARACTERS = 100;

/** The beginning of a text for an error, and what was left out. A log must not get a whole file, or a secret that is in it. */
function cut(text: string, show: (part: string) => string): string {
  if (text.length <= MAX_CHARACTERS) return show(text);
  return `${show(text.slice(0, MAX_CHARACTERS))}... of ${formatCounted(text.length, 'character')}`;
}

/** A name or number of a program as an error shows it. */
export function shownName(name: unknown): string {
  return cut(String(name), String);
}

/** A value as an error keeps it, which loggers may write as JSON: no more of a text than is shown, and nothing of an object. */
function keptValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_SHOWN).map(keptValue);
  if (typeof value === 'string') return shownName(value);
  return ['number', 'boolean', 'undefined'].includes(typeof value) || value === null ? value : shownValue(value);
}

/** A value as an error shows it: text in quotes. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return cut(value, JSON.stringify);
  if (Array.isArray(value))
    return `[${value.slice(0, MAX_SHOWN).map(shownValue).join(', ')}${value.length > MAX_SHOWN ? ', ...' : ''}]`;
  return typeof value === 'object' && value !== null ? 'an object' : shownName(value);
}

export interface InvalidOption {
  option: string;
  given: unknown;
  expected: string | Phrase;
  remedy?: string | Phrase;
  /** The value in words, where it must not be shown, or reads better so. */
  givenText?: string;
  /** `E_PARAMETER` by default. */
  code?: ErrorCode;
}

/** Something is used after its end. */
export function closedError(problem: string, remedy: string): FirstseenError {
  return new FirstseenError('E_CLOSED', problem, { remedy });
}

/** A value as `shownValue`, and a bigint as in programs, because its digits alone look like a number. */
function suffixed(value: unknown): string {
  return shownValue(value) + (typeof value === 'bigint' ? 'n' : '');
}

/** "fpr is 2, but must be a number between 0 and 1; remedy". */
export function invalidOption({ code = 'E_PARAMETER', givenText, ...details }: InvalidOption): FirstseenError {
  const { option, given, expected } = details;
  const problem = phrase`${optionName(option)} is ${givenText ?? suffixed(given)}, but must be ${asPhrase(expected)}`;
  // A value that is not shown in the message is not kept in the error either.
  return new FirstseenError(code, problem, { ...details, given: givenText ?? given });
}
