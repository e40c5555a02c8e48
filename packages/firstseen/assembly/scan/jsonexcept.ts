// The object without some of its members, as it is written: a member goes with the comma after it, or with the one before it if it is the
// last one.

import { BAD_STRUCTURE, KEY_MISSING, KEYED, UNTERMINATED_STRING } from '../lib/classes';
import { QUOTE } from './bytes';
import {
  beginWalk,
  byteAt,
  COLON,
  COMMA,
  fail,
  failure,
  followPath,
  isWanted,
  pathAfter,
  pathEnd,
  skipBlanks,
  skipValue,
} from './jsonwalk';
import { keepScratch, scratch } from './keys';
import { CLOSE_BRACE, OPEN_BRACE } from './objects';
import { noteCut } from './records';
import { exceptCount, exceptPlaces } from './settings';
import { stringEnd } from './strings';

/** Removes the bytes [from, to) from the text that ends at `end`; returns its new end. */
function remove(from: u32, to: u32, end: u32): u32 {
  noteCut();
  memory.copy(from, to, end - to);
  return end - (to - from);
}

/** Removes all members of this name from the object at `object`, in place; returns the new end of the text, or 0. */
function cutNamed(object: u32, textEnd: u32, name: u32, nameBytes: u32): u32 {
  let end = textEnd;
  let position = skipBlanks(object + 1, end);
  if (byteAt(position, end) == CLOSE_BRACE) return end;
  // One past the last value that stays.
  let staying: u32 = 0;
  while (true) {
    if (byteAt(position, end) != QUOTE) return fail(BAD_STRUCTURE);
    const member = position;
    const nameEnd = stringEnd(member + 1, end);
    if (nameEnd == end) return fail(UNTERMINATED_STRING);
    const isCut = isWanted(member + 1, nameEnd, name, nameBytes);
    if (failure != KEYED) return 0;
    position = skipBlanks(nameEnd + 1, end);
    if (byteAt(position, end) != COLON) return fail(BAD_STRUCTURE);
    const valueEnd = skipValue(skipBlanks(position + 1, end), end);
    if (valueEnd == 0) return 0;
    const after = skipBlanks(valueEnd, end);
    if (byteAt(after, end) == CLOSE_BRACE) return isCut ? remove(staying == 0 ? member : staying, valueEnd, end) : end;
    if (byteAt(after, end) != COMMA) return fail(BAD_STRUCTURE);
    const next = skipBlanks(after + 1, end);
    if (isCut) end = remove(member, next, end);
    else staying = valueEnd;
    position = isCut ? member : next;
  }
}

/** Removes the members at a path from the text in place; returns its new end, or 0. */
function cutPath(path: u32, start: u32, end: u32): u32 {
  const parents = load<u32>(path) - 1;
  const object = followPath(path, parents, skipBlanks(start, end), end);
  if (object == 0) {
    if (failure != KEY_MISSING) return 0;
    beginWalk();
    return end;
  }
  if (byteAt(object, end) != OPEN_BRACE) return end;
  return cutNamed(object, end, pathEnd + 8, load<u32>(pathEnd, 4));
}

/** Copies the object in [start, end) to the scratch region without what is left out of it; returns one past it, or 0. */
export function cutMembers(start: u32, end: u32): u32 {
  const text = scratch();
  memory.copy(text, start, end - start);
  let textEnd = text + (end - start);
  // Names are decoded after the text.
  keepScratch(textEnd);
  let path = exceptPlaces;
  for (let left = exceptCount; left > 0 && textEnd != 0; left--) {
    textEnd = cutPath(path, text, textEnd);
    path = pathAfter(path);
  }
  return textEnd;
}
