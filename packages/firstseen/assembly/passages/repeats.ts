// Elements that a text has several times. They count as they did the first time: what a text repeats of itself was not seen before.
//
// A table has the elements of the paragraph or the text that is read: its head, and slots with an element, the number of what it belongs
// to, and 1 if it was seen. The slots of other numbers are free.

import { PASSAGE_BYTES, PASSAGE_ELEMENT_FIELD, PASSAGE_ELEMENTS_FIELD, PASSAGE_TEXT_FIELD, passages } from './layout';

const HEAD_BYTES: u32 = 16;
const SLOT_BYTES: u32 = 16;
const SLOT_NUMBER_FIELD: u32 = 8;
const SLOT_SEEN_FIELD: u32 = 12;
const SLOTS: u32 = 131072;
/** Of a paragraph or a text with more different elements, those that come later count as they were looked up. */
const MAX_ELEMENTS: u32 = SLOTS / 2;
/** Bytes of the table, which are 0 at first. */
export const PASSAGE_REPEATS_BYTES: u32 = HEAD_BYTES + SLOTS * SLOT_BYTES;

const NO_TEXT: u32 = 0xffffffff;

/** The text of the last passage that was read. */
let lastText: u32 = NO_TEXT;

let table: u32 = 0;
let number: u32 = 0;
let mask: u32 = 0;
let used: u32 = 0;

/** Begins a paragraph or a text with at most this number of elements. All kernels of one memory share the numbers. */
function begin(most: u32): void {
  number = load<u32>(table) + 1;
  if (number == 0) {
    memory.fill(table, 0, PASSAGE_REPEATS_BYTES);
    number = 1;
  }
  store<u32>(table, number);
  mask = 1;
  while (mask < 2 * most && mask < SLOTS) mask <<= 1;
  mask--;
  used = 0;
}

/** The verdict of an element: that of its first occurrence. */
function firstVerdict(element: u64, verdict: u32): u32 {
  let index = <u32>element & mask;
  while (true) {
    const slot = table + HEAD_BYTES + index * SLOT_BYTES;
    if (load<u32>(slot, SLOT_NUMBER_FIELD) != number) {
      if (used == MAX_ELEMENTS) return verdict;
      used++;
      store<u64>(slot, element);
      store<u32>(slot, number, SLOT_NUMBER_FIELD);
      store<u32>(slot, verdict, SLOT_SEEN_FIELD);
      return verdict;
    }
    if (load<u64>(slot) == element) return load<u32>(slot, SLOT_SEEN_FIELD);
    index = (index + 1) & mask;
  }
}

function hasSeen(verdicts: u32, count: u32): bool {
  for (let i: u32 = 0; i < count; i++) if (load<u8>(verdicts + i)) return true;
  return false;
}

/**
 * Gives the elements of the first `looked` passages that are repeated the verdict of their first occurrence in the passage, or with
 * `inTexts` in the text. `verdicts` has those that were looked up. With `goesOn`, the passages follow those of the last call.
 */
export function passagesRepeats(
  looked: u32,
  elements: u32,
  verdicts: u32,
  repeats: u32,
  inTexts: u32,
  goesOn: u32,
): void {
  table = repeats;
  if (!goesOn) lastText = NO_TEXT;
  for (let i: u32 = 0; i < looked; i++) {
    const passage = passages + i * PASSAGE_BYTES;
    const first = load<u32>(passage, PASSAGE_ELEMENT_FIELD);
    const count = load<u32>(passage, PASSAGE_ELEMENTS_FIELD);
    if (inTexts) {
      const text = load<u32>(passage, PASSAGE_TEXT_FIELD);
      if (text != lastText) begin(SLOTS);
      lastText = text;
    } else {
      if (!hasSeen(verdicts + first, count)) continue;
      begin(count);
    }
    for (let at = first; at < first + count; at++) {
      store<u8>(verdicts + at, firstVerdict(load<u64>(elements + (at << 3)), load<u8>(verdicts + at)));
    }
  }
}
