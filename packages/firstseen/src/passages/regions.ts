// The regions of passages in the kernel's memory, after the cells of the detector.

import {
  BATCH_CAPACITY,
  PASSAGE_BYTES,
  PASSAGE_CAPACITY,
  PASSAGE_CUT_BYTES,
  PASSAGE_REPEATS_BYTES,
  PASSAGE_SCORES_BYTES,
  PASSAGE_SPAN_BYTES,
  PASSAGE_TABLE_BYTES,
  PASSAGE_TEXT_BYTES,
  PASSAGE_WORDS_BYTES,
  SCAN_SPARE_BYTES,
} from '../kernel/abi.js';
import { wholeCacheLines } from '../kernel/kernel.js';
import type { CuttingSettings } from './cutting.js';

/** The regions in which the texts of a batch are cut into passages. */
export interface CutRegions {
  texts: number;
  passages: number;
  maxPassages: number;
  words: number;
  /** The classes of characters. */
  table: number;
  elements: number;
  maxElements: number;
  /** A byte for each element: 1 if it was seen. */
  verdicts: number;
  /** The spans of seen passages, as they are written. */
  written: number;
  /** The texts of their scores. */
  scores: number;
  /** The elements that a text has several times. */
  repeats: number;
  /** The address of the names of the records of a batch. */
  names: number;
}

export interface PassageRegions extends CutRegions {
  /** The bytes between paragraphs, which the host writes once. */
  separator: number;
  /** The spans of the texts of a batch. */
  spans: number;
  end: number;
}

/** The regions of a seat of threads, at which all texts of a batch are cut at once. */
export interface SeatRegions extends CutRegions {
  /** The address of the counts of the texts, passages and elements that were cut. */
  cut: number;
}

/** Passages and elements of the batch of a seat, at most, and of all seats together. What has no room is cut by one thread. */
const SEAT_PASSAGES = 2 ** 17;
const SEAT_NGRAMS = 2 ** 19;
const ALL_PASSAGES = 2 ** 21;
const ALL_NGRAMS = 2 ** 23;

type Take = (bytes: number) => number;

/** Takes regions one after the other. Memory that is never touched costs only address space, so each has the size of its worst case. */
export function regionsFrom(offset: number): { take: Take; end: () => number } {
  let next = offset;
  const take = (bytes: number): number => {
    const start = next;
    next += wholeCacheLines(bytes + SCAN_SPARE_BYTES);
    return start;
  };
  return { take, end: () => next };
}

/** Takes the regions that each seat has for itself. */
function takeCut(take: Take, { maxPassages, maxElements }: Pick<CutRegions, 'maxPassages' | 'maxElements'>) {
  return {
    ...{ maxPassages, maxElements },
    texts: take(BATCH_CAPACITY * PASSAGE_TEXT_BYTES),
    passages: take(maxPassages * PASSAGE_BYTES),
    words: take(PASSAGE_WORDS_BYTES),
    elements: take(maxElements * BigUint64Array.BYTES_PER_ELEMENT),
    verdicts: take(maxElements),
    written: take(maxPassages * PASSAGE_SPAN_BYTES),
    names: take(BATCH_CAPACITY * 2 * Uint32Array.BYTES_PER_ELEMENT),
  };
}

/** The bytes between paragraphs. */
export function separatorBytes({ separator }: CuttingSettings): Uint8Array {
  return new TextEncoder().encode(separator);
}

export function layOutPassages(settings: CuttingSettings, maxTextBytes: number, offset: number): PassageRegions {
  const { take, end } = regionsFrom(offset);
  // A passage is taken whole. Each of its n-grams ends with another word, and a word has at least one byte.
  const maxElements = PASSAGE_CAPACITY + (settings.by === 'ngram' ? maxTextBytes : 0) + 1;
  const regions = {
    separator: take(separatorBytes(settings).length),
    spans: take(BATCH_CAPACITY * 2 * Uint32Array.BYTES_PER_ELEMENT),
    table: take(PASSAGE_TABLE_BYTES),
    scores: take(PASSAGE_SCORES_BYTES),
    repeats: take(PASSAGE_REPEATS_BYTES),
    ...takeCut(take, { maxPassages: PASSAGE_CAPACITY, maxElements }),
  };
  return { ...regions, end: end() };
}

/** The regions of this number of seats of threads, from `offset` on. They share three tables with the thread of the caller. */
export function layOutSeats(
  { by }: CuttingSettings,
  {
    table,
    scores,
    repeats,
    offset,
    seats,
  }: Pick<CutRegions, 'table' | 'scores' | 'repeats'> & { offset: number; seats: number },
): { seats: SeatRegions[]; end: number } {
  const { take, end } = regionsFrom(offset);
  const maxPassages = Math.min(SEAT_PASSAGES, Math.floor(ALL_PASSAGES / seats));
  const maxElements = by === 'ngram' ? Math.min(SEAT_NGRAMS, Math.floor(ALL_NGRAMS / seats)) : maxPassages;
  const seatRegions = Array.from({ length: seats }, () => ({
    ...takeCut(take, { maxPassages, maxElements }),
    // All threads write and read the same table of characters; the thread of the caller alone has scores and repeats.
    ...{ table, scores, repeats },
    cut: take(PASSAGE_CUT_BYTES),
  }));
  return { seats: seatRegions, end: end() };
}
