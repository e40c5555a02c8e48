// Finds the passages of the texts of a batch that were seen before.

import type { FirstseenError } from '../../base/errors.js';
import { type Detector, kernelOf } from '../../detectors/detector.js';
import { observed } from '../../framing/batch.js';
import {
  BATCH_CAPACITY,
  PASSAGE_BYTES,
  PASSAGE_DOCUMENT,
  PASSAGE_ELEMENT_FIELD,
  PASSAGE_ELEMENTS_FIELD,
  PASSAGE_END_CHARACTER_FIELD,
  PASSAGE_END_FIELD,
  PASSAGE_FIRST_CHARACTER_FIELD,
  PASSAGE_NGRAM,
  PASSAGE_PARAGRAPH,
  PASSAGE_SEEN_FIELD,
  PASSAGE_TEXT_BYTES,
  PASSAGE_TEXT_FIELD,
} from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import { GrowingBytes } from './growing.js';
import type { PassageUnit } from './options.js';
import { constantsOf, layOutPassages, type PassageRegions } from './regions.js';
import type { PassageSettings } from './settings.js';

const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const PASSAGE_WORDS = PASSAGE_BYTES / WORD_BYTES;
const TEXT_WORDS = PASSAGE_TEXT_BYTES / WORD_BYTES;
const ELEMENT_BYTES = BigUint64Array.BYTES_PER_ELEMENT;
/** No passage has so many characters, so none is compared. */
const NOTHING = 0xffffffff;

const units: Readonly<Record<PassageUnit, number>> = {
  paragraph: PASSAGE_PARAGRAPH,
  line: PASSAGE_PARAGRAPH,
  ngram: PASSAGE_NGRAM,
  document: PASSAGE_DOCUMENT,
};

/** A passage that was seen: its bytes and its characters in the text, and the share of its elements that were seen. */
export interface SeenPassage {
  startByte: number;
  endByte: number;
  start: number;
  end: number;
  share: number;
}

/** What is known of a text. */
export interface FoundText {
  characters: number;
  passages: number;
  /** Characters of the passages that were seen. */
  seenCharacters: number;
  /** The number of passages that were seen. */
  seenPassages: number;
  /** These passages, if the host writes them. For rewritten texts, those that follow one another are one. */
  seen: readonly SeenPassage[];
  /** Their spans as JSON, with commas between them, if the kernel has written them. */
  written: Uint8Array;
}

/** The texts of a batch that were compared, in order, and why no more were. */
export interface FoundTexts {
  texts: readonly FoundText[];
  failure?: FirstseenError;
}

export interface FinderOptions {
  settings: PassageSettings;
  mostTextBytes: number;
  /** Only looks elements up. */
  isReadOnly: boolean;
  /** How many elements may be observed before the detector must be looked at again. */
  elementsAhead: () => number;
}

const nothingSeen: readonly SeenPassage[] = [];

/** Who writes what was found: the kernel writes spans of whole passages, the host shares and rewritten texts. */
function writerOf({ emit, by }: PassageSettings): 'kernel' | 'host' | 'nobody' {
  if (emit === 'documents') return 'nobody';
  return emit === 'spans' && by !== 'ngram' ? 'kernel' : 'host';
}

export class PassageFinder {
  readonly regions: PassageRegions;
  readonly #detector: Detector;
  readonly #kernel: Kernel;
  readonly #options: FinderOptions;
  /** The least share of the elements of a passage that was seen. */
  readonly #leastShare: number;
  readonly #writer: ReturnType<typeof writerOf>;
  /** The spans of a batch that the kernel has written. */
  readonly #written = new GrowingBytes();

  constructor(detector: Detector, options: FinderOptions) {
    this.#detector = detector;
    this.#kernel = kernelOf(detector);
    this.#options = options;
    const { settings, mostTextBytes } = options;
    const { by, overlap, dolmaQuirks } = settings;
    const share = by === 'ngram' ? overlap : 1;
    this.#leastShare = dolmaQuirks ? Math.fround(share) : share;
    this.#writer = writerOf(settings);
    this.regions = layOutPassages(settings, mostTextBytes, this.#kernel.regionOffset);
    this.#configure(settings);
  }

  /** The spans of texts that the host may change before `find`: two numbers for each. */
  copySpans(count: number): Uint32Array {
    const { spans } = this.#kernel;
    const copy = new Uint32Array(this.#kernel.bytes.buffer, this.regions.spans, 2 * count);
    copy.set(spans.subarray(0, 2 * count));
    return copy;
  }

  /** Looks the passages of the first texts up, whose spans `copySpans` has copied, and adds them. */
  find(count: number): FoundTexts {
    const { exports } = this.#kernel;
    exports.passagesBegin(this.regions.spans, count);
    const seen: SeenPassage[][] = [];
    this.#written.clear();
    for (;;) {
      const passages = exports.passagesTake();
      if (passages === 0) return { texts: this.#textsUpTo(count, seen) };
      const { taken, failure } = this.#lookUp(exports.passagesElements());
      if (failure) return { texts: this.#textsUpTo(this.#textOf(taken, passages), seen), failure };
      this.#settle(seen);
    }
  }

  /** Takes what was seen of a part. */
  #settle(seen: SeenPassage[][]): void {
    const { exports, bytes } = this.#kernel;
    const { verdicts, written } = this.regions;
    const target = this.#writer === 'kernel' ? written : 0;
    const kept = exports.passagesSettle(verdicts, this.#leastShare, target);
    if (this.#writer === 'host') this.#gather(kept, bytes, seen);
    if (target !== 0) this.#written.append(bytes.subarray(target, exports.passagesWritten() >>> 0));
  }

  #configure(settings: PassageSettings): void {
    const { by, ngram, minLength, minWords, skipEmpty, dolmaQuirks } = settings;
    const { exports, bytes } = this.#kernel;
    const { separator, textPath, idPath, passages, elements, words, texts, table } = this.regions;
    const constants = constantsOf(settings);
    bytes.set(constants.separator, separator);
    bytes.set(constants.textPath, textPath);
    bytes.set(constants.idPath, idPath);
    exports.passagesRegions(passages, elements, words, texts, table);
    // With `min_words`, Dolma 1.2.1 compares nothing.
    const least = dolmaQuirks && minWords > 0 ? NOTHING : minLength;
    const flags = [skipEmpty ? 1 : 0, dolmaQuirks ? 1 : 0] as const;
    exports.passagesConfigure(units[by], separator, constants.separator.length, ngram, least, minWords, ...flags);
  }

  /** Looks elements up, in batches of the detector. */
  #lookUp(count: number): { taken: number; failure?: FirstseenError } {
    const { bytes, fingerprints, verdicts } = this.#kernel;
    const { elements } = this.regions;
    for (let from = 0; from < count; ) {
      const { isReadOnly, elementsAhead } = this.#options;
      const some = Math.min(count - from, BATCH_CAPACITY, elementsAhead());
      const start = elements + from * ELEMENT_BYTES;
      bytes.copyWithin(fingerprints.byteOffset, start, start + some * ELEMENT_BYTES);
      const { taken, failure } = observed(this.#detector, some, () => {
        if (isReadOnly) this.#detector.testPlaced(some);
        else this.#detector.observePlaced(some);
      });
      if (failure) return { taken: from + taken, failure };
      bytes.copyWithin(this.regions.verdicts + from, verdicts.byteOffset, verdicts.byteOffset + some);
      from += some;
    }
    return { taken: count };
  }

  #passage(words: Uint32Array, index: number, field: number): number {
    return words[index * PASSAGE_WORDS + field / WORD_BYTES] as number;
  }

  /** The text of the passage whose elements were looked up only in part. */
  #textOf(taken: number, passages: number): number {
    const words = new Uint32Array(this.#kernel.bytes.buffer, this.regions.passages, passages * PASSAGE_WORDS);
    let index = 0;
    const endOf = (i: number) =>
      this.#passage(words, i, PASSAGE_ELEMENT_FIELD) + this.#passage(words, i, PASSAGE_ELEMENTS_FIELD);
    while (index < passages - 1 && endOf(index) <= taken) index++;
    return this.#passage(words, index, PASSAGE_TEXT_FIELD);
  }

  /** Adds the seen passages of a part to those of their texts. */
  #gather(count: number, { buffer }: Uint8Array, seen: SeenPassage[][]): void {
    const words = new Uint32Array(buffer, this.regions.passages, count * PASSAGE_WORDS);
    const joins = this.#options.settings.emit === 'rewritten';
    for (let i = 0; i < count; i++) {
      const text = this.#passage(words, i, PASSAGE_TEXT_FIELD);
      const startByte = this.#passage(words, i, 0);
      const last = joins ? seen[text]?.at(-1) : undefined;
      if (last?.endByte === startByte) {
        last.endByte = this.#passage(words, i, PASSAGE_END_FIELD);
        last.end = this.#passage(words, i, PASSAGE_END_CHARACTER_FIELD);
        continue;
      }
      const passage = {
        startByte,
        endByte: this.#passage(words, i, PASSAGE_END_FIELD),
        start: this.#passage(words, i, PASSAGE_FIRST_CHARACTER_FIELD),
        end: this.#passage(words, i, PASSAGE_END_CHARACTER_FIELD),
        share: this.#passage(words, i, PASSAGE_SEEN_FIELD) / this.#passage(words, i, PASSAGE_ELEMENTS_FIELD),
      };
      const before = seen[text];
      if (before) before.push(passage);
      else seen[text] = [passage];
    }
  }

  #textsUpTo(count: number, seen: SeenPassage[][]): FoundText[] {
    const words = new Uint32Array(this.#kernel.bytes.buffer, this.regions.texts, count * TEXT_WORDS);
    let at = 0;
    return Array.from({ length: count }, (_, i) => {
      const from = i * TEXT_WORDS;
      const start = at;
      at += words[from + 4] as number;
      return {
        characters: words[from] as number,
        passages: words[from + 1] as number,
        seenCharacters: words[from + 2] as number,
        seenPassages: words[from + 3] as number,
        seen: seen[i] ?? nothingSeen,
        // Each span has a comma before it.
        written: this.#written.between(Math.min(start + 1, at), at),
      };
    });
  }
}
