// The words of a text: runs of letters and digits, and every other character that is not blank, each with the marks that follow it. A sign
// such as the apostrophe of "don't" or the point of "2.0" is inside a word if it is between letters, or between digits.

import {
  ATTACHED,
  BLANK,
  characterBytes,
  characterClass,
  DIGIT,
  LETTER,
  MID_BOTH,
  MID_DIGIT,
  MID_LETTER,
  SINGLE,
} from './characters';

/** The start of the word that `nextWord` found. */
export let wordStart: u32 = 0;

function isInside(found: u32, before: u32, after: u32): bool {
  if (before != after) return false;
  if (before == LETTER) return found == MID_LETTER || found == MID_BOTH;
  return found == MID_DIGIT || found == MID_BOTH;
}

/** One past the character at `at` and what is attached to it. */
function afterCharacter(at: u32, end: u32): u32 {
  at += characterBytes(at);
  while (at < end && characterClass(at) == ATTACHED) at += characterBytes(at);
  return at;
}

/** Tells if a run goes on after the character of the class `before`, at `at`. */
function goesOn(at: u32, end: u32, before: u32): bool {
  if (at >= end) return false;
  const found = characterClass(at);
  if (found == LETTER || found == DIGIT) return true;
  const next = afterCharacter(at, end);
  return found > SINGLE && next < end && isInside(found, before, characterClass(next));
}

/** Finds the first word in [position, end): returns one past it, or 0 if there is none. */
export function nextWord(position: u32, end: u32): u32 {
  let at = position;
  while (at < end && characterClass(at) == BLANK) at += characterBytes(at);
  if (at >= end) return 0;
  wordStart = at;
  let before = characterClass(at);
  at = afterCharacter(at, end);
  if (before != LETTER && before != DIGIT) return min(at, end);
  while (goesOn(at, end, before)) {
    before = characterClass(at);
    at = afterCharacter(at, end);
  }
  return min(at, end);
}

/** Tells if [start, end) has at least this number of words. */
export function hasWords(start: u32, end: u32, least: u32): bool {
  let at = start;
  for (let found: u32 = 0; found < least; found++) {
    at = nextWord(at, end);
    if (at == 0) return false;
  }
  return true;
}
