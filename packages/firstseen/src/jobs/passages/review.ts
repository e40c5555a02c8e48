// Notes what becomes of texts for a report: by input, by the share that was seen, and sampled texts with their seen passages.

import type { RecordBatch } from '../../io/sink.js';
import { DUPLICATE, TEXT_BOUNDARY } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { FoundText } from '../../passages/found.js';
import { recordClasses } from '../../records/classes.js';
import { countsOfBatch } from '../../review/batch.js';
import { excerptOf } from '../../review/excerpt.js';
import type { ReviewedPart, ReviewedText, RunReview } from '../../review/facts.js';
import { InputCounts } from '../../review/inputs.js';
import { Reservoir } from '../../review/reservoir.js';
import { ShareBins } from '../../review/similarities.js';
import type { RecordReview } from '../../run/job.js';
import type { FoundRecord } from './observer.js';
import { type Place, placesOf } from './place.js';
import type { RecordRegions } from './recordregions.js';

/** Texts that a report shows. */
const SHOWN_TEXTS = 20;
/** As much of a text as is held, in bytes of a record and in characters. */
const MAX_TEXT_LENGTH = 2 ** 14;

const QUOTE_BYTES = 1;

/** A span in characters. */
type Span = readonly [start: number, end: number];

export interface PassagesReviewOptions {
  recordsOf: (batch: RecordBatch) => readonly FoundRecord[];
  /** The regions and keys by which the kernel finds the texts of a record of JSON; undefined for other records. */
  texts: { regions: Pick<RecordRegions, 'textPaths' | 'strings'>; textKeys: readonly string[] } | undefined;
}

/** The text of a record that the spans count in: its strings, with a boundary between them. */
function textAt({ bytes }: Kernel, places: readonly Place[]): string {
  const strings = places.map(({ start, end }) => JSON.parse(`"${new TextDecoder().decode(bytes.slice(start, end))}"`));
  return strings.join(String.fromCharCode(TEXT_BOUNDARY));
}

/** The seen passages of a text, if they are wanted for the output. */
function spansOf({ seen, written, writtenStart, writtenEnd, seenPassages }: FoundText): readonly Span[] | undefined {
  if (seen.length > 0) return seen.map(({ start, end }) => [start, end]);
  if (writtenEnd > writtenStart) {
    const text = new TextDecoder().decode(written.slice(writtenStart, writtenEnd));
    const spans = JSON.parse(`[${text}]`) as (readonly [number, number, number])[];
    return spans.map(([start, end]) => [start, end]);
  }
  return seenPassages === 0 ? [] : undefined;
}

/** The beginning of a text in its parts. The spans are in order, and may overlap. */
export function partsOf(text: string, spans: readonly Span[]): ReviewedPart[] {
  // Spans are in code points.
  const characters = Array.from(text.slice(0, 2 * MAX_TEXT_LENGTH)).slice(0, MAX_TEXT_LENGTH);
  const parts: ReviewedPart[] = [];
  const add = (from: number, to: number, isSeen: boolean) => {
    const part = characters.slice(from, to).join('');
    if (part !== '') parts.push({ text: part, isSeen });
  };
  let at = 0;
  for (const [start, end] of spans) {
    add(at, start, false);
    add(Math.max(at, start), end, true);
    at = Math.max(at, end);
  }
  add(at, characters.length, false);
  return parts;
}

export class PassagesReview implements RecordReview {
  readonly #options: PassagesReviewOptions;
  readonly #inputs = new InputCounts();
  readonly #shares = new ShareBins();
  readonly #texts = new Reservoir<ReviewedText>(SHOWN_TEXTS);
  #withoutSeen = 0;
  #characters = 0;
  #seenCharacters = 0;
  #input = '';
  /** Records of the input before the batch. */
  #before = 0;

  constructor(options: PassagesReviewOptions) {
    this.#options = options;
  }

  beginInput(name: string): void {
    this.#input = name;
    this.#before = 0;
  }

  take(batch: RecordBatch): void {
    const { kernel, taken: takenRecords } = batch;
    this.#inputs.add(this.#input, countsOfBatch(batch));
    const records = this.#options.recordsOf(batch);
    for (let i = 0, keyed = -1; i < takenRecords; i++) {
      if (kernel.recordClasses[i] !== recordClasses.KEYED.code) continue;
      keyed++;
      const text = records[keyed]?.text;
      if (text) this.#takeText(kernel, i, this.#before + i + 1, text);
    }
    this.#before += takenRecords;
  }

  #takeText(kernel: Kernel, index: number, number: number, text: FoundText): void {
    const { characters, seenCharacters, seenPassages } = text;
    const isDropped = kernel.verdicts[index] === DUPLICATE;
    this.#inputs.add(this.#input, { characters, seenCharacters });
    this.#characters += characters;
    this.#seenCharacters += seenCharacters;
    if (seenPassages === 0 && !isDropped) {
      this.#withoutSeen++;
      return;
    }
    this.#shares.add(characters === 0 ? 0 : seenCharacters / characters, isDropped);
    this.#texts.take(() => ({
      ...{ characters, seenCharacters, seenPassages, isDropped },
      ...this.#recordAt(kernel, index, number, text),
    }));
  }

  #recordAt(kernel: Kernel, index: number, number: number, text: FoundText): Pick<ReviewedText, 'record' | 'parts'> {
    const place = { input: this.#input, number };
    const { texts } = this.#options;
    const places = texts === undefined ? [] : placesOf(kernel, texts.regions, { textKeys: texts.textKeys, index });
    const spans = spansOf(text);
    if (places.length > 0 && spans !== undefined) {
      return { record: place, parts: partsOf(textAt(kernel, places), spans) };
    }
    const { recordStarts, recordEnds, bytes } = kernel;
    const [only] = places;
    const [start, end] =
      only && places.length === 1
        ? [only.start - QUOTE_BYTES, only.end + QUOTE_BYTES]
        : [recordStarts[index] as number, recordEnds[index] as number];
    return { record: { ...place, excerpt: excerptOf(bytes, start, end, MAX_TEXT_LENGTH) } };
  }

  review(): RunReview {
    return {
      recordName: 'text',
      inputs: this.#inputs.review(),
      texts: {
        bins: this.#shares.bins,
        withoutSeen: this.#withoutSeen,
        ...{ characters: this.#characters, seenCharacters: this.#seenCharacters },
        texts: this.#texts.items,
      },
    };
  }
}
