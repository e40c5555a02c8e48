// The options of a detector in the words of a command: the names of the flags without their dashes, in upper or lower case.

import { millisecondsOf } from '../../base/check.js';
import { FirstseenError, invalidOption, shownValue } from '../../base/errors.js';
import { checkPending } from '../../claims/options.js';
import { fingerprintNames } from '../../fingerprint/fingerprint.js';
import { detectorOptions, witnessMemory } from '../../options/detector.js';
import { kinds } from '../../options/kinds.js';
import { nameOf } from '../../options/own.js';
import type { OptionRow } from '../../options/row.js';
import { parseWhole } from '../../options/values.js';
import type { CreateOptions } from '../../plan/keys.js';
import type { ClaimsRequest } from '../store/request.js';

/** The word of an option, such as EXPECT-DISTINCT for `--expect-distinct <n>`. */
function wordOf({ flag = '' }: OptionRow): string {
  const [long = ''] = flag.slice(flag.indexOf('--') + 2).split(' ');
  return long.toUpperCase();
}

const rows: readonly OptionRow[] = detectorOptions.filter(
  ({ flag, isOwn }: OptionRow) => flag !== undefined && isOwn === true,
);

/** On a server, a detector has a witness if its memory is given. */
const WITNESS = 'WITNESS';

/** The words that FS.CREATE and FS.PLAN take. */
export const createWords: ReadonlyMap<string, OptionRow> = new Map([
  ...rows.map((row) => [wordOf(row), row] as const),
  [WITNESS, witnessMemory],
]);

function wordsOf({ words, names }: OptionRow): readonly string[] {
  return words ?? (names === 'fingerprints' ? fingerprintNames : []);
}

/** The longest lease, and the longest wait for a claim: a day. */
export const MOST_CLAIM_MILLISECONDS = 86_400_000;

/** The words of a detector for claims: CLAIMS itself, and what the others say of them. */
const CLAIMS = 'CLAIMS';
export const claimWords: Readonly<Record<string, keyof ClaimsRequest>> = {
  LEASE: 'leaseMilliseconds',
  PENDING: 'pending',
};

function unknownWord(text: string): FirstseenError {
  return new FirstseenError('E_USAGE', `${shownValue(text)} is not an option of a detector`, {
    remedy: `use ${[...createWords.keys(), CLAIMS, ...Object.keys(claimWords)].join(', ')}`,
  });
}

/** Words and their values, as the arguments of a command. */
export interface Words {
  readonly count: number;
  text(index: number): string;
}

function wordAt(given: Words, index: number): string {
  return given.text(index).toUpperCase();
}

function valueAt(given: Words, index: number): string {
  if (index < given.count) return given.text(index);
  throw new FirstseenError('E_USAGE', `${wordAt(given, index - 1)} has no value`, { remedy: 'give one after it' });
}

/** The value of a word of claims. @throws FirstseenError E_USAGE or E_PARAMETER for anything that it does not take */
function claimValue(word: string, text: string): number {
  if (word === 'PENDING') return checkPending('pending', parseWhole(text, word, 1));
  const lease = millisecondsOf('lease', /^\d+$/.test(text) ? Number(text) : text);
  if (lease <= MOST_CLAIM_MILLISECONDS) return lease;
  throw invalidOption({ option: 'lease', given: text, expected: 'at most a day' });
}

/** What FS.CREATE says of a detector. */
export interface Created {
  options: CreateOptions;
  /** Undefined unless it is for claims. */
  claims: ClaimsRequest | undefined;
}

/**
 * The options of a detector that follow in a command.
 * @throws FirstseenError E_USAGE for an unknown word or a missing value; otherwise as flags do.
 */
export function readCreateOptions(given: Words, from: number): Created {
  const options: Record<string, unknown> = {};
  const claims: ClaimsRequest = {};
  let isForClaims = false;
  for (let i = from; i < given.count; i++) {
    const word = wordAt(given, i);
    const row = createWords.get(word);
    const ofClaims = claimWords[word];
    if (word === CLAIMS) isForClaims = true;
    else if (ofClaims) claims[ofClaims] = claimValue(word, valueAt(given, ++i));
    else if (row === undefined) throw unknownWord(given.text(i));
    else if (row.kind === 'presence') options[nameOf(row)] = row.gives ?? true;
    else {
      const name = nameOf(row);
      const text = valueAt(given, ++i);
      const value = kinds[row.kind].read?.({ text, flag: word, row, words: wordsOf(row), before: options[name] });
      options[name] = word === WITNESS ? { memory: value } : value;
    }
  }
  if (!isForClaims && Object.keys(claims).length > 0) {
    throw new FirstseenError('E_USAGE', 'LEASE and PENDING are of claims', { remedy: `give ${CLAIMS} too` });
  }
  return { options: options as CreateOptions, claims: isForClaims ? claims : undefined };
}

/** The same for what is not a detector for claims. */
export function readDetectorOptions(given: Words, from: number): CreateOptions {
  const { options, claims } = readCreateOptions(given, from);
  if (claims === undefined) return options;
  throw new FirstseenError('E_USAGE', `${CLAIMS} has no meaning here`, { remedy: 'leave it out' });
}

/** Whether a word has no value. */
function isAlone(word: string): boolean {
  return word === CLAIMS || createWords.get(word)?.kind === 'presence';
}

/** A member of an object as the words of a command: a list gives its word several times, an object gives names with values. */
function wordsOfMember(name: string, value: unknown): string[] {
  const word = name.toUpperCase();
  if (isAlone(word)) {
    if (typeof value === 'boolean') return value ? [name] : [];
    throw invalidOption({ code: 'E_USAGE', option: name, given: value, expected: 'true or false' });
  }
  if (typeof value === 'string' || typeof value === 'number') return [name, String(value)];
  if (Array.isArray(value)) return value.flatMap((one) => wordsOfMember(name, one));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([parameter, one]) => [name, `${parameter}=${one}`]);
  }
  throw invalidOption({ code: 'E_USAGE', option: name, given: value, expected: 'a text or a number' });
}

/** The options of a detector in an object, whose members are the words of FS.CREATE. Throws as `readCreateOptions`. */
export function readCreateObject(members: Readonly<Record<string, unknown>>): Created {
  const words = Object.entries(members).flatMap(([name, value]) => wordsOfMember(name, value));
  return readCreateOptions({ count: words.length, text: (index) => words[index] as string }, 0);
}
