// The options of a detector in the words of a command: the names of the flags without their dashes, in upper or lower case.

import { millisecondsOf } from '../../base/check.js';
import { FirstseenError, invalidOption, shownValue } from '../../base/errors.js';
import { checkPending } from '../../claims/options.js';
import { exactFamily, exactWindowFamily } from '../../detectors/registry.js';
import { fingerprintNames } from '../../fingerprint/fingerprint.js';
import { detectorOptions, witnessMemory } from '../../options/detector.js';
import { kinds } from '../../options/kinds.js';
import { entryOf } from '../../options/longflag.js';
import { nameOf } from '../../options/own.js';
import type { OptionRow } from '../../options/row.js';
import { parseWhole } from '../../options/values.js';
import type { CreateOptions } from '../../plan/keys.js';
import type { ClaimsRequest, DetectorRequest } from '../store/request.js';

/** The word of an option, such as EXPECT-DISTINCT for `--expect-distinct <n>`. */
function wordOf(row: OptionRow): string {
  return entryOf(row).toUpperCase();
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
export const MAX_CLAIM_MILLISECONDS = 86_400_000;

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

function valueAt(words: readonly string[], index: number): string {
  const value = words[index];
  if (value !== undefined) return value;
  const word = (words[index - 1] as string).toUpperCase();
  throw new FirstseenError('E_USAGE', `${word} has no value`, { remedy: 'give one after it' });
}

/** The value of a word of claims. @throws FirstseenError E_USAGE or E_PARAMETER for anything that it does not take */
function claimValue(word: string, text: string): number {
  if (word === 'PENDING') return checkPending('pending', parseWhole(text, word, 1));
  const lease = millisecondsOf('lease', /^\d+$/.test(text) ? Number(text) : text);
  if (lease <= MAX_CLAIM_MILLISECONDS) return lease;
  throw invalidOption({ option: 'lease', given: text, expected: 'at most a day' });
}

/** A detector for claims is exact if it is not told otherwise: a false positive is work that is never done. */
function claimingOptions(options: CreateOptions): CreateOptions {
  const { name } = options.window === undefined ? exactFamily : exactWindowFamily;
  return { ...options, algorithm: options.algorithm ?? name };
}

/** Kinds of options whose values are gathered when they are given several times. */
const gathered: readonly OptionRow['kind'][] = ['parameters', 'texts'];

/** @throws FirstseenError E_USAGE for a word that came before: one of its values would have no effect */
function checkOnce(word: string, seen: Set<string>): void {
  if (!seen.has(word)) {
    seen.add(word);
    return;
  }
  const row = createWords.get(word);
  if (row && gathered.includes(row.kind)) return;
  throw new FirstseenError('E_USAGE', `${word} is given twice`, { remedy: 'leave one of them out' });
}

/**
 * The detector that the words of FS.CREATE describe.
 * @throws FirstseenError E_USAGE for an unknown word, one that is given twice or a missing value; otherwise as flags do.
 */
export function readRequest(words: readonly string[]): DetectorRequest {
  const options: Record<string, unknown> = {};
  const claims: ClaimsRequest = {};
  const seen = new Set<string>();
  let isForClaims = false;
  for (let i = 0; i < words.length; i++) {
    const text = words[i] as string;
    const word = text.toUpperCase();
    checkOnce(word, seen);
    const row = createWords.get(word);
    const ofClaims = claimWords[word];
    if (word === CLAIMS) isForClaims = true;
    else if (ofClaims) claims[ofClaims] = claimValue(word, valueAt(words, ++i));
    else if (row === undefined) throw unknownWord(text);
    else if (row.kind === 'presence') options[nameOf(row)] = row.gives ?? true;
    else {
      const name = nameOf(row);
      const value = kinds[row.kind].read?.({
        text: valueAt(words, ++i),
        flag: word,
        row,
        words: wordsOf(row),
        before: options[name],
      });
      options[name] = word === WITNESS ? { memory: value } : value;
    }
  }
  if (isForClaims) return { options: claimingOptions(options as CreateOptions), claims };
  if (Object.keys(claims).length === 0) return { options: options as CreateOptions };
  throw new FirstseenError('E_USAGE', 'LEASE and PENDING need CLAIMS', { remedy: `give ${CLAIMS} too` });
}

/** @throws FirstseenError E_USAGE for a number that JSON may have rounded */
function textOf(name: string, value: string | number): string {
  if (typeof value === 'string' || !Number.isInteger(value) || Number.isSafeInteger(value)) return String(value);
  throw new FirstseenError('E_USAGE', `${name} is a number above 2^53, which JSON may have rounded`, {
    remedy: 'give it as a text, in quotes',
  });
}

/** @throws FirstseenError E_USAGE for a value of a word that has none, such as `"claims": "true"` */
function checkSwitch(name: string, member: unknown): void {
  const word = name.toUpperCase();
  if (word !== CLAIMS && createWords.get(word)?.kind !== 'presence') return;
  throw new FirstseenError('E_USAGE', `${name} is ${shownValue(member)}, but must be true or false`);
}

/** The words for an option: `"claims": true` is a word, and a list repeats its word. */
function wordsFor(name: string, member: unknown): string[] {
  if (typeof member === 'boolean') return member ? [name] : [];
  checkSwitch(name, member);
  const values = Array.isArray(member) ? member : [member];
  const wrong = values.find((value) => typeof value !== 'string' && typeof value !== 'number');
  if (wrong === undefined) return values.flatMap((value) => [name, textOf(name, value)]);
  const problem = `${name} is ${shownValue(wrong)}, but must be a text, a number, true, or a list`;
  throw new FirstseenError('E_USAGE', problem);
}

/** The detector that an object describes, whose members are the words of FS.CREATE. Throws as `readRequest`. */
export function requestOf(options: Readonly<Record<string, unknown>>): DetectorRequest {
  return readRequest(Object.entries(options).flatMap(([word, value]) => wordsFor(word, value)));
}

/** The same for what is not a detector for claims. */
export function readDetectorOptions(words: readonly string[]): CreateOptions {
  const { options, claims } = readRequest(words);
  if (claims === undefined) return options;
  throw new FirstseenError('E_USAGE', `a plan does not use ${CLAIMS}`, { remedy: 'leave it out' });
}
