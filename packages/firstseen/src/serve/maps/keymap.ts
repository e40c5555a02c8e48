// A map of keys of Redis to a detector, as an administrator writes it: `dedup:*=events`, or `idem:*=requests,claim,committed=processed`.

import { FirstseenError, optionName, phrase, shownValue } from '../../base/errors.js';

/** The meaning of commands on keys: a key is seen, or claimed while its work is done. */
export type Meaning = 'seen' | 'claims';

export interface KeyMap {
  /** As it was given, for errors. */
  readonly text: string;
  /** The bytes of keys before the star, or all of a key. */
  readonly prefix: Buffer;
  /** The bytes after the star; undefined for the one key that is the prefix. */
  readonly suffix: Buffer | undefined;
  /** The name of the detector. */
  readonly detector: string;
  readonly meaning: Meaning;
  /** The answer of GET for a key that was committed. */
  readonly committed: string;
}

const STAR = '*';
const CLAIM = 'claim';
const COMMITTED = 'committed=';
const DEFAULT_COMMITTED = 'committed';

function badMap(text: string, problem: string, remedy: string): FirstseenError {
  const name = optionName('maps');
  return new FirstseenError('E_USAGE', phrase`${name} is ${shownValue(text)}, ${problem}`, {
    ...{ option: 'maps', given: text, remedy },
  });
}

/** The bytes before the star and after it. */
function readPattern(text: string, pattern: string): Pick<KeyMap, 'prefix' | 'suffix'> {
  const [prefix = '', suffix, ...furtherParts] = pattern.split(STAR);
  if (furtherParts.length === 0 && pattern !== '') {
    return { prefix: Buffer.from(prefix), suffix: suffix === undefined ? undefined : Buffer.from(suffix) };
  }
  throw badMap(text, 'whose keys are not a text with at most one star', 'give a pattern such as dedup:*');
}

/**
 * Reads a map.
 * @throws FirstseenError E_USAGE unless it is one.
 */
export function parseKeyMap(text: string): KeyMap {
  const equals = text.indexOf('=');
  const [detector = '', ...words] = text.slice(equals + 1).split(',');
  if (equals < 0 || detector === '') {
    throw badMap(text, 'which names no detector', 'give the keys and the detector, such as dedup:*=events');
  }
  let [meaning, committed]: [Meaning, string | undefined] = ['seen', undefined];
  for (const word of words) {
    if (word === CLAIM) meaning = 'claims';
    else if (word.startsWith(COMMITTED) && word.length > COMMITTED.length) committed = word.slice(COMMITTED.length);
    else
      throw badMap(text, `in which ${shownValue(word)} is unknown`, `give ${CLAIM} or ${COMMITTED}WORD after the name`);
  }
  if (committed !== undefined && meaning === 'seen') {
    throw badMap(text, 'whose keys are not claimed', `give ${CLAIM} too, or leave ${COMMITTED}${committed} out`);
  }
  const pattern = readPattern(text, text.slice(0, equals));
  return { text, ...pattern, detector, meaning, committed: committed ?? DEFAULT_COMMITTED };
}
