// Settles passages whose elements were looked up: gathers those of which enough was seen, and writes their spans.

import {
  hasQuirks,
  PASSAGE_BLANK_FIELD,
  PASSAGE_BYTES,
  PASSAGE_ELEMENT_FIELD,
  PASSAGE_ELEMENTS_FIELD,
  PASSAGE_END_CHARACTER_FIELD,
  PASSAGE_FIRST_CHARACTER_FIELD,
  PASSAGE_SEEN_FIELD,
  PASSAGE_TEXT_BYTES,
  PASSAGE_TEXT_FIELD,
  passages,
  TEXT_SEEN_CHARACTERS_FIELD,
  TEXT_SEEN_CONTENT_FIELD,
  TEXT_SEEN_PASSAGES_FIELD,
  TEXT_WRITTEN_FIELD,
  texts,
} from './layout';
import { findScore, scoreSlot } from './scores';
import { writeScoredSpan, writeSpan } from './spans';

let written: u32 = 0;
/** The passages that were settled, and those of them that were kept. */
let settled: u32 = 0;
let kept: u32 = 0;

/** Elements among `count` verdicts that were seen. */
function countSeen(verdicts: u32, count: u32): u32 {
  let seen: u32 = 0;
  for (let i: u32 = 0; i < count; i++) seen += load<u8>(verdicts + i);
  return seen;
}

/** Begins to settle passages that were looked up. Unless it is 0, the spans of those that were seen are written at `target`. */
export function passagesSettleTo(target: u32): void {
  settled = 0;
  kept = 0;
  written = target;
}

function add(known: u32, field: u32, count: u32): void {
  store<u32>(known + field, load<u32>(known + field) + count);
}

/** Adds a passage that was seen to what is known of its text, and moves it to the front. */
function keep(passage: u32, spanBytes: u32): void {
  const known = texts + load<u32>(passage, PASSAGE_TEXT_FIELD) * PASSAGE_TEXT_BYTES;
  const length = load<u32>(passage, PASSAGE_END_CHARACTER_FIELD) - load<u32>(passage, PASSAGE_FIRST_CHARACTER_FIELD);
  if (load<u32>(passage, PASSAGE_BLANK_FIELD) == 0) add(known, TEXT_SEEN_CONTENT_FIELD, length);
  add(known, TEXT_SEEN_CHARACTERS_FIELD, length);
  add(known, TEXT_SEEN_PASSAGES_FIELD, 1);
  add(known, TEXT_WRITTEN_FIELD, spanBytes);
  const target = passages + kept++ * PASSAGE_BYTES;
  v128.store(target, v128.load(passage));
  v128.store(target, v128.load(passage, 16), 16);
  v128.store(target, v128.load(passage, 32), 32);
}

/**
 * Settles the first `looked` passages: keeps those of which at least this share was seen. `verdicts` has a byte for each element: 1 if
 * it was seen. Spans are written with a score if `scores` has the table of their texts. If the text of a score is not in it, the index
 * of its passage is returned, so that the host can write the text to `passagesScoreSlot` and call again. `looked` if all are settled.
 */
export function passagesSettle(looked: u32, verdicts: u32, minShare: f64, scores: u32): u32 {
  const writes = written != 0;
  for (; settled < looked; settled++) {
    const passage = passages + settled * PASSAGE_BYTES;
    const count = load<u32>(passage, PASSAGE_ELEMENTS_FIELD);
    const seen = countSeen(verdicts + load<u32>(passage, PASSAGE_ELEMENT_FIELD), count);
    const share = <f64>seen / <f64>count;
    if ((hasQuirks ? <f64>(<f32>share) : share) < minShare) continue;
    const first = load<u32>(passage, PASSAGE_FIRST_CHARACTER_FIELD);
    const end = load<u32>(passage, PASSAGE_END_CHARACTER_FIELD);
    // What follows a separator at the end of a text has no characters.
    if (first == end && !hasQuirks) continue;
    store<u32>(passage, seen, PASSAGE_SEEN_FIELD);
    if (!writes) {
      keep(passage, 0);
      continue;
    }
    const before = written;
    if (scores == 0) {
      written = writeSpan(first, end, written);
    } else {
      if (!findScore(scores, seen, count)) return settled;
      written = writeScoredSpan(first, end, written);
    }
    keep(passage, written - before);
  }
  return looked;
}

/** The number of passages that were kept. They are at the front. */
export function passagesKept(): u32 {
  return kept;
}

/** One past the last span that was written. */
export function passagesWritten(): u32 {
  return written;
}

/** The address of the place in the table for the score that was not found. */
export function passagesScoreSlot(): u32 {
  return scoreSlot;
}
