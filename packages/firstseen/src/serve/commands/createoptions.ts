// The options of a detector in the words of a command: the names of the flags without their dashes, in upper or lower case.

import { FirstseenError, shownValue } from '../../base/errors.js';
import { fingerprintNames } from '../../fingerprint/fingerprint.js';
import { detectorOptions, witnessMemory } from '../../options/detector.js';
import { kinds } from '../../options/kinds.js';
import { nameOf } from '../../options/own.js';
import type { OptionRow } from '../../options/row.js';
import type { CreateOptions } from '../../plan/keys.js';
import type { Arguments } from './arguments.js';

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

/**
 * The options that follow in a command.
 * @throws FirstseenError E_USAGE for an unknown word or a missing value; otherwise as flags do.
 */
export function readCreateOptions(given: Arguments, from: number): CreateOptions {
  const options: Record<string, unknown> = {};
  for (let i = from; i < given.count; i++) {
    const word = given.word(i);
    const row = createWords.get(word);
    if (row === undefined) {
      throw new FirstseenError('E_USAGE', `${shownValue(given.text(i))} is not an option of a detector`, {
        remedy: `use ${[...createWords.keys()].join(', ')}`,
      });
    }
    const name = nameOf(row);
    if (row.kind === 'presence') {
      options[name] = row.gives ?? true;
      continue;
    }
    if (++i === given.count)
      throw new FirstseenError('E_USAGE', `${word} has no value`, { remedy: 'give one after it' });
    const text = given.text(i);
    const value = kinds[row.kind].read?.({ text, flag: word, row, words: wordsOf(row), before: options[name] });
    options[name] = word === WITNESS ? { memory: value } : value;
  }
  return options as CreateOptions;
}
