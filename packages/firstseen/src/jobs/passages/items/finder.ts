// Finds test items in the texts of a batch.

import { formatCount } from '../../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../../base/errors.js';
import {
  BATCH_CAPACITY,
  ITEM_CHARACTERS_BYTES,
  ITEM_HIT_BYTES,
  ITEM_HIT_END_FIELD,
  ITEM_HIT_START_FIELD,
  ITEM_SLOT_BYTES,
  ITEM_WORDS_BYTES,
  PASSAGE_MAX_WORDS,
  SHINGLE_COPY_GROWTH,
} from '../../../kernel/abi.js';
import type { Kernel } from '../../../kernel/kernel.js';
import type { FoundItem, FoundText, FoundTexts, SeenPassage, TextFinder } from '../../../passages/found.js';
import { regionsFrom } from '../../../passages/regions.js';
import type { ItemCounts } from '../passageoptions.js';
import type { PassageSettings } from '../passagesettings.js';
import { type Hit, type ItemNgrams, type MatchedPart, matchOf, withMargins } from './match.js';
import type { TestItem } from './read.js';

const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/** N-grams of a text that are taken at a time. */
const MAX_HITS = 2 ** 14;
/** Slots of the table at most, which have room for half as many n-grams. */
const MAX_SLOTS = 2 ** 26;

export interface ItemFinderOptions {
  items: readonly TestItem[];
  settings: PassageSettings;
  /** True if the spans of texts have the quotes of JSON at their ends. */
  hasQuotes: boolean;
  /** True if a text or an item may be several texts with boundaries between them. */
  hasBoundaries: boolean;
  maxTextBytes: number;
}

/** Slots for all n-grams that the items can have: a word has at least one byte, and is apart from the next. */
function slotsFor(items: readonly TestItem[]): number {
  const bytes = items.reduce((sum, { text }) => sum + text.length, 0);
  return Math.min(MAX_SLOTS, 2 ** Math.ceil(Math.log2(Math.max(2, 2 * bytes))));
}

function layOut({ items, maxTextBytes }: Pick<ItemFinderOptions, 'items' | 'maxTextBytes'>, offset: number) {
  const { take, end } = regionsFrom(offset);
  const longest = items.reduce((most, { text }) => Math.max(most, text.length), maxTextBytes);
  const regions = {
    spans: take(BATCH_CAPACITY * 2 * WORD_BYTES),
    names: take(BATCH_CAPACITY * 2 * WORD_BYTES),
    characters: take(ITEM_CHARACTERS_BYTES),
    words: take(ITEM_WORDS_BYTES),
    lengths: take(PASSAGE_MAX_WORDS * WORD_BYTES),
    hits: take(MAX_HITS * ITEM_HIT_BYTES),
    text: take(longest),
    copy: take(SHINGLE_COPY_GROWTH * longest + WORD_BYTES),
    table: take(slotsFor(items) * ITEM_SLOT_BYTES),
  };
  return { ...regions, end: end() };
}

/** The end of the regions of a finder, which start at `offset`. */
export function itemRegionsEnd(options: Pick<ItemFinderOptions, 'items' | 'maxTextBytes'>, offset: number): number {
  return layOut(options, offset).end;
}

function tableFull(ngrams: number): FirstseenError {
  return new FirstseenError('E_FULL', `the items have more than ${formatCount(ngrams)} n-grams`, {
    option: 'against',
    remedy: phrase`divide the items of ${optionName('against')} among several runs`,
  });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const noBytes = new Uint8Array();

const nothing = { seen: [], written: noBytes, writtenStart: 0, writtenEnd: 0, items: [] } as const;
const emptyText: FoundText = {
  ...{ characters: 0, passages: 0, seenCharacters: 0, seenPassages: 0, contentCharacters: 0, seenContentCharacters: 0 },
  ...nothing,
};

export class ItemFinder implements TextFinder {
  readonly regions: ReturnType<typeof layOut>;
  /** Items that have too few words to be looked for. */
  #leftOut = 0;
  /** The items that texts had so far. */
  readonly #found = new Set<number>();
  readonly #kernel: Kernel;
  readonly #options: ItemFinderOptions;
  readonly #ngrams: ItemNgrams;

  constructor(kernel: Kernel, options: ItemFinderOptions) {
    this.#kernel = kernel;
    this.#options = options;
    this.regions = layOut(options, kernel.regionOffset);
    const { table, characters, words, copy, hits } = this.regions;
    const slots = slotsFor(options.items);
    kernel.exports.itemsConfigure(table, slots, characters, words, copy, hits, MAX_HITS, options.hasBoundaries ? 1 : 0);
    this.#ngrams = this.#addItems(slots / 2);
  }

  counts(): ItemCounts {
    return { items: this.#options.items.length, found: this.#found.size, leftOut: this.#leftOut };
  }

  copySpans(count: number): Uint32Array {
    const { spans, bytes } = this.#kernel;
    const copy = new Uint32Array(bytes.buffer, this.regions.spans, 2 * count);
    copy.set(spans.subarray(0, 2 * count));
    return copy;
  }

  find(spansAt: number, count: number): FoundTexts {
    const spans = new Uint32Array(this.#kernel.bytes.buffer, spansAt, 2 * count);
    const quote = this.#options.hasQuotes ? 1 : 0;
    const texts = Array.from({ length: count }, (_, i) => {
      const [start, end] = [(spans[2 * i] as number) + quote, (spans[2 * i + 1] as number) - quote];
      return start < end ? this.#findIn(start, end) : emptyText;
    });
    return { texts };
  }

  /** Reads n-grams of these numbers of words. */
  #setLengths(lengths: readonly number[], takesAll: boolean): void {
    const { bytes, exports } = this.#kernel;
    new Uint32Array(bytes.buffer, this.regions.lengths, lengths.length).set(lengths);
    exports.itemsLengths(this.regions.lengths, lengths.length, takesAll ? 1 : 0);
  }

  /** Adds the n-grams of all items. One with fewer words than an n-gram is looked for as a whole, or left out if it has too few of them. */
  #addItems(maxNgrams: number): ItemNgrams {
    const { items, settings } = this.#options;
    const { ngram, minWords } = settings;
    const itemsOf: number[][] = [];
    const lengths = new Set([ngram]);
    const counts = items.map(({ text }, item) => {
      let numbers = this.#numbersOf(text, ngram, itemsOf.length);
      const words = this.#kernel.exports.itemsWords();
      if (numbers.size === 0 && words > 0 && minWords > 0 && words >= minWords) {
        numbers = this.#numbersOf(text, words, itemsOf.length);
        lengths.add(words);
      }
      if (numbers.size === 0) this.#leftOut++;
      for (const number of numbers) {
        if (number > maxNgrams) throw tableFull(maxNgrams);
        if (number > itemsOf.length) itemsOf.push([]);
        itemsOf[number - 1]?.push(item);
      }
      return numbers.size;
    });
    this.#setLengths(
      [...lengths].sort((a, b) => a - b),
      false,
    );
    return { itemsOf, counts };
  }

  /** The numbers of the n-grams of an item, of which `known` are known so far. */
  #numbersOf(text: Uint8Array, length: number, knownNgrams: number): Set<number> {
    const { bytes, exports } = this.#kernel;
    const { text: at, hits } = this.regions;
    bytes.set(text, at);
    this.#setLengths([length], true);
    exports.itemsBegin(at, at + text.length);
    const numbers = new Set<number>();
    let next = knownNgrams + 1;
    for (let count = exports.itemsTake(); count > 0; count = exports.itemsTake()) {
      for (let hit = hits; hit < hits + count * ITEM_HIT_BYTES; hit += ITEM_HIT_BYTES) {
        const number = exports.itemsAdd(hit, next) >>> 0;
        if (number === next) next++;
        numbers.add(number);
      }
    }
    return numbers;
  }

  #findIn(start: number, end: number): FoundText {
    const { exports, bytes } = this.#kernel;
    const { ngram } = this.#options.settings;
    const characters = exports.itemsBegin(start, end) >>> 0;
    const hits = this.#takeHits();
    const passages = Math.max(0, (exports.itemsWords() >>> 0) - ngram + 1);
    const contentCharacters = exports.itemsBlank() === 1 ? 0 : characters;
    const text = { ...emptyText, characters, passages, contentCharacters };
    return hits.length === 0 ? text : { ...text, ...this.#foundIn(bytes.subarray(start, end), characters, hits) };
  }

  #takeHits(): Hit[] {
    const { exports, bytes } = this.#kernel;
    const hits: Hit[] = [];
    for (let count = exports.itemsTake(); count > 0; count = exports.itemsTake()) {
      const words = new Uint32Array(bytes.buffer, this.regions.hits, (count * ITEM_HIT_BYTES) / WORD_BYTES);
      for (let at = 0; at < words.length; at += ITEM_HIT_BYTES / WORD_BYTES) {
        const [number, startByte, endByte] = [0, ITEM_HIT_START_FIELD, ITEM_HIT_END_FIELD].map(
          (field) => words[at + field / WORD_BYTES] as number,
        ) as [number, number, number];
        hits.push({ number, startByte, endByte });
      }
    }
    return hits;
  }

  /** Returns the items and the seen parts of a text that has n-grams of items. */
  #foundIn(text: Uint8Array, characters: number, hits: readonly Hit[]): Partial<FoundText> {
    const { items, settings } = this.#options;
    const { itemShare, emit, margin } = settings;
    const match = matchOf(hits, this.#ngrams, itemShare);
    const { hasBoundaries } = this.#options;
    const parts =
      emit === 'rewritten' ? withMargins(text, match.parts, { characters: margin, hasBoundaries }) : match.parts;
    const spans = inCharacters(text, parts);
    for (const { item } of match.items) this.#found.add(item);
    const seenCharacters = spans.reduce((sum, { start, end }) => sum + end - start, 0);
    const bytes = encoder.encode(spans.map(({ start, end, share }) => `[${start},${end},${share}]`).join(','));
    return {
      ...{ seen: spans, seenPassages: spans.length, seenCharacters },
      seenContentCharacters: isBlankWithout(text, parts) ? characters : seenCharacters,
      ...{ written: bytes, writtenEnd: bytes.length },
      items: match.items.map(({ item, share }): FoundItem => ({ id: (items[item] as TestItem).id, share })),
    };
  }
}

/** The parts with their first character and one past their last. */
function inCharacters(text: Uint8Array, parts: readonly MatchedPart[]): SeenPassage[] {
  let [at, characters] = [0, 0];
  const charactersBefore = (end: number) => {
    for (; at < end; at++) if (((text[at] as number) & 0xc0) !== 0x80) characters++;
    return characters;
  };
  return parts.map((part) => ({
    ...part,
    start: charactersBefore(part.startByte),
    end: charactersBefore(part.endByte),
  }));
}

/** Tells if what is left of a text without these parts is blank. */
function isBlankWithout(text: Uint8Array, parts: readonly MatchedPart[]): boolean {
  const starts = [0, ...parts.map(({ endByte }) => endByte)];
  const ends = [...parts.map(({ startByte }) => startByte), text.length];
  return starts.every((start, i) => decoder.decode(text.subarray(start, ends[i])).trim() === '');
}
