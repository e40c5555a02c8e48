// What is known of the passages and of the texts of a batch, and where it is.

/**
 * Bytes of a passage: its bytes and its characters in the text, its elements, those that were seen, its text, and 1 if it is blank. They
 * are a multiple of a vector.
 */
export const PASSAGE_BYTES: u32 = 48;
export const PASSAGE_END_FIELD: u32 = 4;
export const PASSAGE_FIRST_CHARACTER_FIELD: u32 = 8;
export const PASSAGE_END_CHARACTER_FIELD: u32 = 12;
export const PASSAGE_ELEMENT_FIELD: u32 = 16;
export const PASSAGE_ELEMENTS_FIELD: u32 = 20;
export const PASSAGE_SEEN_FIELD: u32 = 24;
export const PASSAGE_TEXT_FIELD: u32 = 28;
export const PASSAGE_BLANK_FIELD: u32 = 32;

/**
 * The counts of a text: its characters and passages, those that were seen, the bytes of their spans as they are
 * written, the characters of the passages that are not blank, and those of them that were seen.
 */
export const PASSAGE_TEXT_BYTES: u32 = 28;
export const TEXT_PASSAGES_FIELD: u32 = 4;
export const TEXT_SEEN_CHARACTERS_FIELD: u32 = 8;
export const TEXT_SEEN_PASSAGES_FIELD: u32 = 12;
export const TEXT_WRITTEN_FIELD: u32 = 16;
export const TEXT_CONTENT_FIELD: u32 = 20;
export const TEXT_SEEN_CONTENT_FIELD: u32 = 24;

/** The first passage, and what is known of the first text. */
export let passages: u32 = 0;
export let texts: u32 = 0;
/** True if characters are counted as Dolma counts them. */
export let hasQuirks: bool = false;

export function placePassages(passagesAt: u32, textsAt: u32): void {
  passages = passagesAt;
  texts = textsAt;
}

export function setQuirks(quirks: bool): void {
  hasQuirks = quirks;
}
