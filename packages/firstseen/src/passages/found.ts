// Takes passages that the kernel has cut: looks their elements up, and reads what was found of their texts.

import type { FirstseenError } from '../base/errors.js';
import {
  PASSAGE_BYTES,
  PASSAGE_ELEMENT_FIELD,
  PASSAGE_ELEMENTS_FIELD,
  PASSAGE_END_CHARACTER_FIELD,
  PASSAGE_END_FIELD,
  PASSAGE_FIRST_CHARACTER_FIELD,
  PASSAGE_SCORE_COUNT_FIELD,
  PASSAGE_SCORE_LENGTH_FIELD,
  PASSAGE_SCORE_TEXT_FIELD,
  PASSAGE_SEEN_FIELD,
  PASSAGE_TEXT_BYTES,
  PASSAGE_TEXT_FIELD,
} from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import type { CuttingSettings } from './cutting.js';
import type { ElementLookUp } from './lookup.js';
import type { CutRegions } from './regions.js';

const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const PASSAGE_WORDS = PASSAGE_BYTES / WORD_BYTES;
const TEXT_WORDS = PASSAGE_TEXT_BYTES / WORD_BYTES;

/** A passage that was seen: its bytes and its characters in the text, and the share of its elements that were seen. */
export interface SeenPassage {
  startByte: number;
  endByte: number;
  start: number;
  end: number;
  share: number;
}

/** The counts of a text, and its seen passages. */
export interface FoundText {
  characters: number;
  passages: number;
  /** Characters of the passages that were seen. */
  seenCharacters: number;
  /** The number of passages that were seen. */
  seenPassages: number;
  /** Characters of the passages that are not blank, and of those of them that were seen. */
  contentCharacters: number;
  seenContentCharacters: number;
  /** These passages, if they are wanted. */
  seen: readonly SeenPassage[];
  /** Their spans as JSON, with commas between them, if these are wanted: those bytes of `written`. A view for each text takes long to make. */
  written: Uint8Array;
  writtenStart: number;
  writtenEnd: number;
  /** The items that it contains, if texts are compared with items. */
  items?: readonly FoundItem[];
}

/** A test item that a text contains: its name as JSON, and the share of its n-grams that the text has. */
export interface FoundItem {
  id: Uint8Array;
  share: number;
}

/** The texts of a batch that were compared, in order, and why no more were. */
export interface FoundTexts {
  texts: readonly FoundText[];
  failure?: FirstseenError;
}

/** The finder of those passages of a batch of texts that were seen. */
export interface TextFinder {
  /** The addresses of the spans of texts and of the names of records. */
  readonly regions: { spans: number; names: number };
  /** Copies the spans of the texts of a batch, which the detector would overwrite. The host may change the copy before `find`. */
  copySpans(count: number): Uint32Array;
  /** Looks at texts. `spans` is the address of their spans. What is found is valid until the next call. */
  find(spans: number, count: number, lookUp: ElementLookUp): FoundTexts;
}

/**
 * The form in which the seen passages of a text are needed: their spans, which the kernel writes; the passages, which
 * become one if they follow one another and are `joined`; or nothing but counts.
 */
export type Wanted = 'written' | 'passages' | 'joined' | 'counts';

/** The regions in which passages were cut, and the rules by which they are taken. */
export interface TakeOptions {
  kernel: Kernel;
  regions: CutRegions;
  settings: CuttingSettings;
  wanted: Wanted;
  lookUp: ElementLookUp;
  /** The seen passages of each text of the batch, to which those that are wanted are added. */
  seen: SeenPassage[][];
}

/** A part of a batch that was cut. */
export interface CutPart {
  passages: number;
  elements: number;
  /** True if it follows the part that was taken last. */
  goesOn: boolean;
}

/** The result of taking passages that were cut. */
export interface Taken {
  /** One past the spans that the kernel has written, if it has. */
  writtenEnd: number;
  /** The text of the passage whose elements could not all be looked up, and why. */
  failed?: { text: number; failure: FirstseenError };
}

const nothingSeen: readonly SeenPassage[] = [];

/** The least share of the elements of a passage that was seen. */
function minShareOf({ by, overlap, dolmaQuirks }: CuttingSettings): number {
  const share = by === 'ngram' ? overlap : 1;
  return dolmaQuirks ? Math.fround(share) : share;
}

function fieldOf(words: Uint32Array, index: number, field: number): number {
  return words[index * PASSAGE_WORDS + field / WORD_BYTES] as number;
}

/** Counts those of the first `count` passages that have all their elements among the first `elements`. */
function passagesWithin(words: Uint32Array, count: number, elements: number): number {
  const endOf = (i: number) => fieldOf(words, i, PASSAGE_ELEMENT_FIELD) + fieldOf(words, i, PASSAGE_ELEMENTS_FIELD);
  let within = 0;
  while (within < count && endOf(within) <= elements) within++;
  return within;
}

/** Adds the first `count` passages, which were seen, to those of their texts. `joins`: those that follow one another become one. */
function gatherSeen(words: Uint32Array, count: number, seenByText: SeenPassage[][], joins: boolean): void {
  for (let i = 0; i < count; i++) {
    const text = fieldOf(words, i, PASSAGE_TEXT_FIELD);
    const startByte = fieldOf(words, i, 0);
    const last = joins ? seenByText[text]?.at(-1) : undefined;
    if (last?.endByte === startByte) {
      last.endByte = fieldOf(words, i, PASSAGE_END_FIELD);
      last.end = fieldOf(words, i, PASSAGE_END_CHARACTER_FIELD);
      continue;
    }
    const passage = {
      startByte,
      endByte: fieldOf(words, i, PASSAGE_END_FIELD),
      start: fieldOf(words, i, PASSAGE_FIRST_CHARACTER_FIELD),
      end: fieldOf(words, i, PASSAGE_END_CHARACTER_FIELD),
      share: fieldOf(words, i, PASSAGE_SEEN_FIELD) / fieldOf(words, i, PASSAGE_ELEMENTS_FIELD),
    };
    const before = seenByText[text];
    if (before) before.push(passage);
    else seenByText[text] = [passage];
  }
}

const encoder = new TextEncoder();

/** The share of a passage that was seen, as a number with a point, as Dolma writes it. */
function scoreText(share: number, { dolmaQuirks }: CuttingSettings): string {
  const score = dolmaQuirks ? Math.fround(share) : share;
  return Number.isInteger(score) ? `${score}.0` : String(score);
}

/** Writes the text of a score to the place where the kernel has missed it. */
function writeScore({ exports, bytes }: Kernel, seen: number, count: number, settings: CuttingSettings): void {
  const slot = exports.passagesScoreSlot() >>> 0;
  const text = encoder.encode(scoreText(seen / count, settings));
  const isWhole = seen === count;
  const fields = new DataView(bytes.buffer, slot);
  fields.setUint32(0, isWhole ? 1 : seen, true);
  fields.setUint32(PASSAGE_SCORE_COUNT_FIELD, isWhole ? 1 : count, true);
  fields.setUint32(PASSAGE_SCORE_LENGTH_FIELD, text.length, true);
  bytes.set(text, slot + PASSAGE_SCORE_TEXT_FIELD);
}

/**
 * Gives elements that are repeated the verdict of their first occurrence, in the paragraph, or in the text if it is decided about as a whole.
 * What a text repeats of itself was not seen before.
 */
function settleRepeats(
  { kernel, regions, settings, wanted }: TakeOptions,
  { looked, goesOn }: { looked: number; goesOn: boolean },
): void {
  const inTexts = wanted === 'counts';
  if (settings.dolmaQuirks || (settings.by !== 'ngram' && !inTexts)) return;
  const { elements, verdicts, repeats } = regions;
  kernel.exports.passagesRepeats(looked, elements, verdicts, repeats, inTexts ? 1 : 0, goesOn ? 1 : 0);
}

/** Looks the elements of passages up, adds them, and takes what was seen, of the passages before one whose elements are refused. */
export function takePassages(options: TakeOptions, { passages, elements, goesOn }: CutPart): Taken {
  const { kernel, regions, settings, wanted: output, lookUp, seen: seenByText } = options;
  const { taken: takenElements, failure } = lookUp.lookUp(regions, elements);
  const words = new Uint32Array(kernel.bytes.buffer, regions.passages, passages * PASSAGE_WORDS);
  const count = failure ? passagesWithin(words, passages, takenElements) : passages;
  settleRepeats(options, { looked: count, goesOn });
  const target = output === 'written' ? regions.written : 0;
  kernel.exports.passagesSettleTo(target);
  const scores = settings.by === 'ngram' ? regions.scores : 0;
  const settle = () => kernel.exports.passagesSettle(count, regions.verdicts, minShareOf(settings), scores);
  for (let at = settle(); at < count; at = settle()) {
    writeScore(kernel, fieldOf(words, at, PASSAGE_SEEN_FIELD), fieldOf(words, at, PASSAGE_ELEMENTS_FIELD), settings);
  }
  const keptPassages = kernel.exports.passagesKept();
  if (output === 'passages' || output === 'joined') gatherSeen(words, keptPassages, seenByText, output === 'joined');
  const writtenEnd = target === 0 ? regions.written : kernel.exports.passagesWritten() >>> 0;
  return { writtenEnd, ...(failure && { failed: { text: fieldOf(words, count, PASSAGE_TEXT_FIELD), failure } }) };
}

/**
 * Returns the counts and seen passages of the first `count` texts of a batch. `written` has what the kernel has written
 * of all of them from `start` on.
 */
export function textsUpTo(
  { kernel, regions, seen: seenByText }: Pick<TakeOptions, 'kernel' | 'regions' | 'seen'>,
  count: number,
  { written, start }: { written: Uint8Array; start: number },
): FoundText[] {
  const words = new Uint32Array(kernel.bytes.buffer, regions.texts, count * TEXT_WORDS);
  const texts: FoundText[] = [];
  let end = start;
  for (let from = 0; from < words.length; from += TEXT_WORDS) {
    const before = end;
    end += words[from + 4] as number;
    texts.push({
      characters: words[from] as number,
      passages: words[from + 1] as number,
      seenCharacters: words[from + 2] as number,
      seenPassages: words[from + 3] as number,
      contentCharacters: words[from + 5] as number,
      seenContentCharacters: words[from + 6] as number,
      seen: seenByText[texts.length] ?? nothingSeen,
      written,
      // Each span has a comma before it.
      writtenStart: Math.min(before + 1, end),
      writtenEnd: end,
    });
  }
  return texts;
}
