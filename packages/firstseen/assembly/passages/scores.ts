// Texts of scores, which are shares of elements. The host makes them, because a number has one shortest text, and the kernel keeps them.

/** Bytes of the text of a score, at most. */
export const SCORE_TEXT_BYTES: u32 = 32;
/** A place of the table: the elements that were seen, all elements, the length of the text, and the text. */
const SCORE_BYTES: u32 = 64;
export const PASSAGE_SCORE_COUNT_FIELD: u32 = 4;
export const PASSAGE_SCORE_LENGTH_FIELD: u32 = 8;
export const PASSAGE_SCORE_TEXT_FIELD: u32 = 16;
/** Places of the table. A score has one place, where it takes that of another one. */
const SCORES: u32 = 4096;
export const PASSAGE_SCORES_BYTES: u32 = SCORES * SCORE_BYTES;

/** The place of the score that was asked for last. */
export let scoreSlot: u32 = 0;

/** Tells if the text of a score is in the table. A score of 1 is the same for any number of elements. */
export function findScore(scores: u32, seen: u32, count: u32): bool {
  if (seen == count) seen = count = 1;
  scoreSlot = scores + (((count * 0x9e3779b1 + seen * 0x85ebca6b) >> 20) & (SCORES - 1)) * SCORE_BYTES;
  return load<u32>(scoreSlot) == seen && load<u32>(scoreSlot, PASSAGE_SCORE_COUNT_FIELD) == count;
}

/** Writes the text of the score that was found; returns one past it. More bytes may be written after it. */
export function writeScore(target: u32): u32 {
  const text = scoreSlot + PASSAGE_SCORE_TEXT_FIELD;
  v128.store(target, v128.load(text));
  v128.store(target, v128.load(text, 16), 16);
  return target + load<u32>(scoreSlot, PASSAGE_SCORE_LENGTH_FIELD);
}
