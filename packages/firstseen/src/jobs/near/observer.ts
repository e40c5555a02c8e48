// Gives the documents of a batch their verdicts, from the spans of their keys.

import { type ErrorCode, FirstseenError } from '../../errors.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { NearAnswer, NearDetector } from '../../near/detector.js';
import { decisions } from '../../records/classes.js';
import type { ExceptionCounts } from '../../run/counts.js';
import { policyRemedy } from '../../run/exceptions.js';
import type { Observation } from '../../run/job.js';
import type { ErrorPolicy, MissingKeyPolicy } from '../../run/options.js';
import { pathOfBytes } from '../../run/paths.js';
import { readDocument } from './document.js';
import { type DocumentSpan, spanReader } from './span.js';

export interface ObserverOptions {
  kernel: Kernel;
  near: NearDetector;
  /** Whether a key is the path of a file that is the document. */
  isFiles: boolean;
  isJson: boolean;
  hasId: boolean;
  maxRecordBytes: number;
  /** Only tests documents. */
  isReadOnly: boolean;
  onError: ErrorPolicy;
  missingKey: MissingKeyPolicy;
}

/** Errors that concern one document, not the whole run. */
const documentErrors: ReadonlySet<ErrorCode> = new Set(['E_RECORD', 'E_INPUT', 'E_COMPRESSION', 'E_KEY_MISSING']);

export class NearObserver {
  /** The answer for each document of the last batch; undefined for one that could not be read. */
  answers: (NearAnswer | undefined)[] = [];
  /** Bytes of the documents observed. */
  textBytes = 0;
  readonly #options: ObserverOptions;
  readonly #spanOf: (start: number, end: number) => DocumentSpan;

  constructor(options: ObserverOptions) {
    this.#options = options;
    const { kernel, isJson, hasId, isFiles } = options;
    const read = spanReader(kernel, isJson, hasId);
    this.#spanOf = isFiles ? (start, end) => this.#readFile(start, end) : read;
  }

  advance(timeMilliseconds: number): void {
    this.#options.near.advance(timeMilliseconds);
  }

  observe(count: number): Observation {
    return this.#observeBatch(count, undefined);
  }

  observeTimed(count: number): Observation {
    return this.#observeBatch(count, this.#options.kernel.times.slice(0, count));
  }

  /** The table uses the same memory as the batch, so the spans are copied first. */
  #observeBatch(count: number, times: Float64Array | undefined): Observation {
    const { kernel } = this.#options;
    const spans = kernel.spans.slice(0, 2 * count);
    const verdicts = new Uint8Array(count);
    const exceptions: Partial<ExceptionCounts> = {};
    this.answers = [];
    let taken = 0;
    try {
      for (; taken < count; taken++) {
        if (times) this.advance(times[taken] as number);
        const [start, end] = spans.subarray(2 * taken) as unknown as [number, number];
        verdicts[taken] = this.#verdictOf(start, end, exceptions);
      }
      return { taken, exceptions };
    } catch (failure) {
      if (failure instanceof FirstseenError) return { taken, exceptions, failure };
      throw failure;
    } finally {
      kernel.verdicts.set(verdicts);
    }
  }

  #verdictOf(start: number, end: number, exceptions: Partial<ExceptionCounts>): number {
    try {
      const answer = this.#observeDocument(this.#spanOf(start, end));
      this.answers.push(answer);
      return answer.verdict === 'duplicate' ? DUPLICATE : DISTINCT;
    } catch (error) {
      return this.#decide(error, exceptions);
    }
  }

  #observeDocument(document: DocumentSpan): NearAnswer {
    const { near, isReadOnly } = this.#options;
    const { start, end } = document;
    this.textBytes += end - start;
    return isReadOnly ? near.testPlaced(start, end) : near.observePlaced(start, end, () => this.#nameOf(document));
  }

  /** The name of a document; its number among all documents if it has none. */
  #nameOf({ id }: DocumentSpan): string {
    return id === undefined ? String(this.#options.near.observed) : this.#textAt(...id);
  }

  /** Applies the policies to a document that is missing or cannot be read. */
  #decide(error: unknown, exceptions: Partial<ExceptionCounts>): number {
    const { onError, missingKey } = this.#options;
    if (!(error instanceof FirstseenError) || !documentErrors.has(error.code)) throw error;
    const isMissing = error.code === 'E_KEY_MISSING';
    const policy = isMissing ? missingKey : onError;
    if (policy === 'fail') throw error.orRemedy(policyRemedy(isMissing ? 'KEY_MISSING' : 'INVALID'));
    const name = isMissing ? 'missingKey' : 'invalid';
    exceptions[name] = (exceptions[name] ?? 0) + 1;
    this.answers.push(undefined);
    return policy === 'drop' ? decisions.DROPPED : decisions.PASSED;
  }

  #readFile(start: number, end: number): DocumentSpan {
    const { near, maxRecordBytes } = this.#options;
    const path = pathOfBytes(this.#options.kernel.bytes.subarray(start, end));
    const bytes = readDocument(path, maxRecordBytes);
    const [from, to] = near.placeBytes(bytes);
    return { start: from, end: to, id: [start, end] };
  }

  #textAt(start: number, end: number): string {
    return new TextDecoder().decode(this.#options.kernel.bytes.subarray(start, end));
  }
}
