// A detector of near-duplicates, as a parent uses it.

import type { NearAnswer } from '../near/answer.js';
import { createNear } from '../near/create.js';
import type { NearDetector } from '../near/detector.js';
import { loadNear } from '../near/load.js';
import type { SnapshotStream } from '../snapshot/readstream.js';
import { checkTextLengths, partsIn, readTexts } from './keys.js';
import type { JsonObject, Request } from './request.js';

const NUMBER_BYTES = 8;
/** The bytes of an answer for a document: its similarity, the number of the other one, and its verdict. */
const DOCUMENT_BYTES = 2 * NUMBER_BYTES + 1;
/** The number of the other document if it is not known. */
const NONE = -1n;

/** The form of the numbers that documents get here. A state of the command has names of its own. */
const NUMBER = /^\d{1,15}$/;

/** The facts by which the document that an answer names is numbered. */
interface NumberingFacts {
  verify: boolean;
  /** The documents that were added before this one. */
  earlierDocuments: number;
  age: number;
}

/** The number of the document that an answer names. */
function numberOf({ set, nearest }: NearAnswer, { verify, earlierDocuments, age }: NumberingFacts): bigint {
  if (set !== undefined) return BigInt(set);
  if (verify && age > 0) return BigInt(earlierDocuments - age);
  return nearest && NUMBER.test(nearest.id) ? BigInt(nearest.id) : NONE;
}

export class NearHeld {
  readonly type = 'near-duplicates';
  readonly savable: NearDetector;

  private constructor(near: NearDetector) {
    this.savable = near;
  }

  /** @throws FirstseenError as `createNear` */
  static async create(options: JsonObject): Promise<NearHeld> {
    return new NearHeld(await createNear(options));
  }

  /** @throws FirstseenError as `loadNear` */
  static async load(snapshot: SnapshotStream, options: JsonObject): Promise<NearHeld> {
    return new NearHeld(await loadNear(snapshot, options));
  }

  get description(): object {
    return { settings: this.savable.toJSON() };
  }

  stats(): object {
    return this.savable.stats();
  }

  /** Observes all documents of a frame or none. */
  observe(request: Request): void {
    this.#answer(request, (document, number) => this.savable.observe(document, String(number)));
  }

  test(request: Request): void {
    this.#answer(request, (document) => this.savable.test(document));
  }

  advance(timeMilliseconds: number): void {
    this.savable.advance(timeMilliseconds);
  }

  close(): void {
    this.savable.close();
  }

  #answer(request: Request, ask: (document: Uint8Array, number: number) => NearAnswer): void {
    const near = this.savable;
    const { verify, add } = near.settings;
    const parts = readTexts(request.body, request.context.offsets);
    checkTextLengths(parts, 'a document');
    const { count } = parts;
    const documents = partsIn(parts);
    this.#check(documents);
    request.answer(count * DOCUMENT_BYTES, (body) => {
      const view = new DataView(body.buffer, body.byteOffset);
      for (const [i, document] of documents.entries()) {
        const { observed, duplicates } = near.stats();
        const earlierDocuments = add === 'all' ? observed : observed - duplicates;
        const answer = ask(document, earlierDocuments);
        const number = numberOf(answer, { verify, earlierDocuments, age: verify ? near.nearestAge : 0 });
        view.setFloat64(i * NUMBER_BYTES, answer.similarity ?? answer.nearest?.similarity ?? Number.NaN, true);
        view.setBigInt64((count + i) * NUMBER_BYTES, number, true);
        body[2 * count * NUMBER_BYTES + i] = answer.verdict === 'duplicate' ? 1 : 0;
      }
    });
  }

  /**
   * Refuses what one of the documents would be refused for, before any of them is added.
   * @throws FirstseenError as `NearDetector.test` for a document of another length; E_FULL when not all of them may fit
   */
  #check(documents: readonly Uint8Array[]): void {
    const near = this.savable;
    // Documents of a fixed length are short, and a test finds what is wrong with one.
    if (near.settings.documentBytes > 0) for (const document of documents) near.test(document);
    near.checkRoom(documents.length);
  }
}
