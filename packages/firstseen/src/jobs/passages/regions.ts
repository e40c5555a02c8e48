// The regions of passages in the kernel's memory, after the cells of the detector.

import {
  BATCH_CAPACITY,
  PASSAGE_BYTES,
  PASSAGE_CAPACITY,
  PASSAGE_SPAN_BYTES,
  PASSAGE_TABLE_BYTES,
  PASSAGE_TEXT_BYTES,
  PASSAGE_WORDS_BYTES,
  SCAN_SPARE_BYTES,
} from '../../kernel/abi.js';
import { wholeCacheLines } from '../../kernel/kernel.js';
import { parseKeyPath } from '../../records/keypath.js';
import { encodePath } from '../../records/settings.js';
import type { PassageSettings } from './settings.js';

export interface PassageRegions {
  /** The bytes between paragraphs. */
  separator: number;
  /** The paths of the text and of the name of a record, as the scanner reads them. */
  textPath: number;
  idPath: number;
  /** The spans of the texts of a batch. */
  spans: number;
  texts: number;
  passages: number;
  words: number;
  /** The classes of characters. */
  table: number;
  elements: number;
  /** A byte for each element: 1 if it was seen. */
  verdicts: number;
  /** The spans of a part, as they are written. */
  written: number;
  end: number;
}

/** What the host writes there once. */
export function constantsOf({ separator, textKey, idKey }: PassageSettings) {
  return {
    separator: new TextEncoder().encode(separator),
    textPath: encodePath(parseKeyPath(textKey)),
    idPath: encodePath(parseKeyPath(idKey)),
  };
}

/** Memory that is never touched costs only address space, so every region has the size of the worst case. */
export function layOutPassages(settings: PassageSettings, mostTextBytes: number, offset: number): PassageRegions {
  let next = offset;
  const take = (bytes: number): number => {
    const start = next;
    next += wholeCacheLines(bytes + SCAN_SPARE_BYTES);
    return start;
  };
  const constants = constantsOf(settings);
  // A passage is taken whole. Each of its n-grams ends with another word, and a word has at least one byte.
  const mostElements = PASSAGE_CAPACITY + (settings.by === 'ngram' ? mostTextBytes : 0) + 1;
  return {
    separator: take(constants.separator.length),
    textPath: take(constants.textPath.length),
    idPath: take(constants.idPath.length),
    spans: take(BATCH_CAPACITY * 2 * Uint32Array.BYTES_PER_ELEMENT),
    texts: take(BATCH_CAPACITY * PASSAGE_TEXT_BYTES),
    passages: take(PASSAGE_CAPACITY * PASSAGE_BYTES),
    words: take(PASSAGE_WORDS_BYTES),
    table: take(PASSAGE_TABLE_BYTES),
    elements: take(mostElements * BigUint64Array.BYTES_PER_ELEMENT),
    verdicts: take(mostElements),
    written: take(PASSAGE_CAPACITY * PASSAGE_SPAN_BYTES),
    end: next,
  };
}
