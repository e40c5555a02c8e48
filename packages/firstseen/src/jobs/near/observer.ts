// Gives the documents of a batch their verdicts: the observer that a run over documents puts in the place of its detector.

import { type ErrorCode, FirstseenError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { NearAnswer, NearDetector } from '../../near/detector.js';
import { decisions } from '../../records/classes.js';
import type { RunCounts } from '../../run/counts.js';
import type { Observer } from '../../run/job.js';
import type { ErrorPolicy, MissingKeyPolicy } from '../../run/options.js';
import { readDocument } from './files.js';
import { type PlacedDocument, placeReader } from './span.js';

export interface ObserverOptions {
  kernel: Kernel;
  near: NearDetector;
  /** Whether a key is the path of the file that is the document. */
  isFiles: boolean;
  isJson: boolean;
  hasId: boolean;
  maxRecordBytes: number;
  onError: ErrorPolicy;
  missingKey: MissingKeyPolicy;
  counts: RunCounts;
}

/** What is wrong with one document, and not with the run. */
const documentErrors: ReadonlySet<ErrorCode> = new Set(['E_RECORD', 'E_INPUT', 'E_COMPRESSION', 'E_KEY_MISSING']);

const DISTINCT = 0;
const DUPLICATE = 1;
const WORDS_OF_PLACE = 2;

/** The error with what would have the run go on. */
function withAdvice(error: FirstseenError, passing: string): FirstseenError {
  const [flag = ''] = passing.split(' ');
  const advice = `${passing} passes such documents on, ${flag} drop leaves them out`;
  return new FirstseenError(error.code, `${error.message}; ${advice}`, { cause: error });
}

export class NearObserver implements Observer {
  /** What was found of each document of the last batch; nothing of one that could not be read. */
  answers: (NearAnswer | undefined)[] = [];
  /** Of the documents observed. */
  textBytes = 0;
  /** Documents that were asked about, also those that could not be read. */
  observed = 0;
  readonly #options: ObserverOptions;
  readonly #placeOf: (start: number, end: number) => PlacedDocument;

  constructor(options: ObserverOptions) {
    this.#options = options;
    const { kernel, isJson, hasId, isFiles } = options;
    const read = placeReader(kernel, isJson, hasId);
    this.#placeOf = isFiles ? (start, end) => this.#readFile(start, end) : read;
  }

  advance(timeMilliseconds: number): void {
    this.#options.near.advance(timeMilliseconds);
  }

  observePlaced(count: number): void {
    this.#observeBatch(count, undefined);
  }

  observePlacedTimed(count: number): void {
    this.#observeBatch(count, this.#options.kernel.times.slice(0, count));
  }

  /** The table works in the batch's own memory, so what stands there is taken out first. */
  #observeBatch(count: number, times: Float64Array | undefined): void {
    const { kernel } = this.#options;
    const { buffer, byteOffset } = kernel.fingerprints;
    const places = new Uint32Array(buffer, byteOffset, count * WORDS_OF_PLACE).slice();
    const verdicts = new Uint8Array(count);
    this.answers = [];
    try {
      for (let i = 0; i < count; i++) {
        if (times) this.advance(times[i] as number);
        const start = places[i * WORDS_OF_PLACE] as number;
        verdicts[i] = this.#verdictOf(start, places[i * WORDS_OF_PLACE + 1] as number);
        this.observed++;
      }
    } finally {
      kernel.verdicts.set(verdicts);
    }
  }

  #verdictOf(start: number, end: number): number {
    try {
      const answer = this.#observeDocument(this.#placeOf(start, end));
      this.answers.push(answer);
      return answer.verdict === 'duplicate' ? DUPLICATE : DISTINCT;
    } catch (error) {
      return this.#decide(error);
    }
  }

  #observeDocument(document: PlacedDocument): NearAnswer {
    const { near } = this.#options;
    const answer = near.observePlaced(document.start, document.end, () => this.#nameOf(document));
    this.textBytes += document.end - document.start;
    return answer;
  }

  /** A document without a name of its own has its number among all. */
  #nameOf({ id }: PlacedDocument): string {
    return id === undefined ? String(this.#options.near.observed) : this.#textAt(...id);
  }

  /** What the policies make of a document that cannot be read, or that is not there. */
  #decide(error: unknown): number {
    const { onError, missingKey, counts } = this.#options;
    if (!(error instanceof FirstseenError) || !documentErrors.has(error.code)) throw error;
    const isMissing = error.code === 'E_KEY_MISSING';
    const policy = isMissing ? missingKey : onError;
    if (policy === 'fail') throw withAdvice(error, isMissing ? '--missing-key distinct' : '--on-error pass');
    counts[isMissing ? 'missing_key' : 'invalid']++;
    this.answers.push(undefined);
    return policy === 'drop' ? decisions.DROPPED : decisions.PASSED;
  }

  #readFile(start: number, end: number): PlacedDocument {
    const { near, maxRecordBytes } = this.#options;
    const bytes = readDocument(this.#textAt(start, end), maxRecordBytes);
    const [from, to] = near.placeBytes(bytes);
    return { start: from, end: to, id: [start, end] };
  }

  #textAt(start: number, end: number): string {
    return new TextDecoder().decode(this.#options.kernel.bytes.subarray(start, end));
  }
}
