// A detector of passages, as a parent uses it.

import { type CreatePassagesOptions, createPassages } from '../passages/create.js';
import type { PassageAnswer, PassageDetector } from '../passages/detector.js';
import { loadPassages } from '../passages/load.js';
import type { SnapshotStream } from '../snapshot/readstream.js';
import { checkTextLengths, partsIn, readTexts } from './keys.js';
import type { JsonObject, Request } from './request.js';

const WORD_BYTES = 4;
/** The bytes of an answer for a text: its spans, passages and characters, and those of its characters that were seen. */
const TEXT_BYTES = 4 * WORD_BYTES;
/** The bytes of a span: the share of it that was seen, its start and its end. */
const SPAN_BYTES = 8 + 2 * WORD_BYTES;

function writeAnswers(body: Uint8Array, answers: readonly PassageAnswer[]): void {
  const view = new DataView(body.buffer, body.byteOffset);
  let at = answers.length * TEXT_BYTES;
  for (const [i, { spans, passages, characters, seenCharacters }] of answers.entries()) {
    const numbers = [spans.length, passages, characters, seenCharacters];
    for (const [j, number] of numbers.entries()) view.setUint32(i * TEXT_BYTES + j * WORD_BYTES, number, true);
    for (const { start, end, share } of spans) {
      view.setFloat64(at, share, true);
      view.setUint32(at + 8, start, true);
      view.setUint32(at + 8 + WORD_BYTES, end, true);
      at += SPAN_BYTES;
    }
  }
}

export class PassagesHeld {
  readonly type = 'passages';
  readonly savable: PassageDetector;

  private constructor(passages: PassageDetector) {
    this.savable = passages;
  }

  /** @throws FirstseenError as `createPassages` */
  static async create(options: JsonObject): Promise<PassagesHeld> {
    return new PassagesHeld(await createPassages(options as CreatePassagesOptions));
  }

  /** @throws FirstseenError as `loadPassages` */
  static async load(snapshot: SnapshotStream, options: JsonObject): Promise<PassagesHeld> {
    return new PassagesHeld(await loadPassages(snapshot, options));
  }

  get description(): object {
    return { settings: this.savable.toJSON() };
  }

  stats(): object {
    return this.savable.stats();
  }

  /** Observes all texts of a frame or none. */
  observe(request: Request): void {
    this.#answer(request, (texts) => this.savable.observeWhole(texts));
  }

  test(request: Request): void {
    this.#answer(request, (texts) => texts.map((text) => this.savable.test(text)));
  }

  advance(timeMilliseconds: number): void {
    this.savable.advance(timeMilliseconds);
  }

  close(): void {
    this.savable.close();
  }

  #answer(request: Request, ask: (texts: readonly Uint8Array[]) => readonly PassageAnswer[]): void {
    const parts = readTexts(request.body, request.context.offsets);
    checkTextLengths(parts, 'a text');
    const answers = ask(partsIn(parts));
    const spans = answers.reduce((sum, answer) => sum + answer.spans.length, 0);
    request.answer(parts.count * TEXT_BYTES + spans * SPAN_BYTES, (body) => writeAnswers(body, answers));
  }
}
