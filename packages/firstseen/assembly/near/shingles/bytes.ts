// Copies of documents by the first rules of words, which states of version 0.1.0 have: characters beyond ASCII are bytes of words.

import { BLANK, isBlankByte, LANES, lowercase, lowercaseByte, tokenLanes, wordLanes } from '../../lib/lanes';

/** Copies a document with blanks in place of all bytes that belong to no word, and returns the end of the copy. */
export function copyByteWords(start: u32, end: u32, copy: u32, isOfTokens: bool, folds: bool): u32 {
  const blanks = i8x16.splat(<i8>BLANK);
  const shift = copy - start;
  for (let at = start; at < end; at += LANES) {
    const bytes = v128.load(at);
    const kept = isOfTokens ? tokenLanes(bytes) : wordLanes(bytes);
    v128.store(at + shift, v128.bitselect(folds ? lowercase(bytes) : bytes, blanks, kept));
  }
  return end + shift;
}

/** Copies a document with every run of blanks reduced to one, and none at either end. Returns the end of the copy. */
export function copyByteCharacters(start: u32, end: u32, copy: u32, folds: bool): u32 {
  let written = copy;
  let isOwed = false;
  for (let at = start; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (isBlankByte(byte)) {
      isOwed = written > copy;
      continue;
    }
    if (isOwed) store<u8>(written++, BLANK);
    isOwed = false;
    store<u8>(written++, folds ? lowercaseByte(byte) : byte);
  }
  return written;
}
