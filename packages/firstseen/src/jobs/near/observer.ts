// Gives the documents of a batch their verdicts, from the spans of their keys.

import { type ErrorCode, FirstseenError } from '../../base/errors.js';
import type { Observation } from '../../framing/batch.js';
import type { ExceptionCounts } from '../../framing/counts.js';
import { policyRemedy } from '../../framing/exceptions.js';
import { pathOfBytes } from '../../io/system/paths.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { NearAnswer, SignedDocument } from '../../near/answer.js';
import type { NearDetector } from '../../near/detector.js';
import { decisions } from '../../records/classes.js';
import type { ErrorPolicy, MissingKeyPolicy } from '../../records/policies.js';
import type { ObservingThreads } from '../../run/job.js';
import type { Crew } from '../../threads/crew.js';
import type { ThreadBatch } from '../../threads/owners.js';
import type { Call, ResultOf } from '../../threads/tasks.js';
import { withoutMark } from './document.js';
import type { DocumentFiles } from './documentfiles.js';
import type { ClusterMembers } from './members.js';
import type { AddedNames, NameJson } from './names.js';
import type { NearReview } from './review.js';
import { type SignedBatch, Signing } from './signing.js';
import { type DocumentSpan, type SpanForm, spanReader } from './span.js';
import type { NearWatch } from './watch.js';
import type { FoundDocument } from './writers.js';

export interface ObserverOptions {
  kernel: Kernel;
  near: NearDetector;
  /** The files that are the documents, if keys are their paths. */
  files: DocumentFiles | undefined;
  form: SpanForm;
  maxRecordBytes: number;
  /** Only tests documents. */
  isReadOnly: boolean;
  onError: ErrorPolicy;
  missingKey: MissingKeyPolicy;
  watch: NearWatch;
  /** The names of documents, if they are written while documents are compared. */
  names: AddedNames | undefined;
  /** The members of clusters, if another one than the first is kept. */
  members: ClusterMembers | undefined;
  /** The address of memory for the rank of a document. */
  rankAt: number;
  /** True if the lengths of texts are written too. */
  hasLengths: boolean;
  /** Notes documents for a report, if there is to be one. */
  review: NearReview | undefined;
}

/** Returns the addresses of a document's signature and elements; undefined for a document that was not signed. */
type Signed = (document: DocumentSpan) => SignedDocument | undefined;

/** The span of a key, and that of the value that ranks its document, if one does. */
interface KeyedDocument {
  start: number;
  end: number;
  rank: Uint32Array | undefined;
}

interface MemberRequest {
  members: ClusterMembers;
  rank: Uint32Array | undefined;
}

interface BatchRequest {
  /** The spans of the keys. */
  spans: Uint32Array;
  count: number;
  times?: Float64Array | undefined;
  /** Returns the addresses of a document that threads have signed; absent if no thread has signed the batch. */
  signed?: SignedBatch;
}

interface ObservedBatch {
  observation: Observation;
  verdicts: Uint8Array;
}

/** Errors that concern one document, not the whole run. */
const documentErrors: ReadonlySet<ErrorCode> = new Set(['E_RECORD', 'E_INPUT', 'E_COMPRESSION', 'E_KEY_MISSING']);

export class NearObserver {
  /** The answer for each document of the last batch; undefined for one that could not be read. */
  answers: (NearAnswer | undefined)[] = [];
  /**
   * The values to write for each document of the last batch, if names are written; undefined for a document that could
   * not be read.
   */
  found: (FoundDocument | undefined)[] = [];
  /** Bytes of the documents observed. */
  textBytes = 0;
  readonly #options: ObserverOptions;
  readonly #spanOf: (start: number, end: number) => DocumentSpan;
  #signing: Signing | undefined;
  /** Documents that were not added because the state is only read. */
  #tested = 0;

  constructor(options: ObserverOptions) {
    this.#options = options;
    const { kernel, form, files } = options;
    const read = spanReader(kernel, form);
    this.#spanOf = files ? (start, end) => this.#readFile(files, start, end) : read;
  }

  advance(timeMilliseconds: number): void {
    this.#options.near.advance(timeMilliseconds);
  }

  observe(count: number): Observation {
    return this.#observePlaced(count, undefined);
  }

  observeTimed(count: number): Observation {
    return this.#observePlaced(count, this.#options.kernel.times.slice(0, count));
  }

  /** Prepares the seats of threads to sign documents. */
  async prepareThreads(crew: Crew): Promise<void> {
    const { kernel, near, maxRecordBytes, form } = this.#options;
    this.#signing = new Signing({ kernel, settings: near.settings, maxRecordBytes, form }, crew);
    await this.#signing.configure();
  }

  /** Returns the calls that sign the documents of a batch. */
  callsAhead(seat: number, count: ResultOf): Call[] {
    return [(this.#signing as Signing).callOf(seat, count)];
  }

  /** Observes batches that threads have signed side by side. After a failure no further batch has an observation. */
  async observeOnThreads(
    batches: readonly ThreadBatch[],
    { crew, meanwhile }: ObservingThreads,
  ): Promise<Observation[]> {
    const results: ObservedBatch[] = [];
    const kernelOf = (batch: number) => crew.kernels[(batches[batch] as ThreadBatch).seat] as Kernel;
    await (this.#signing as Signing).sign(batches, {
      meanwhile,
      finish: (batch, signer) => {
        if (results.at(-1)?.observation.failure) return;
        const { spans } = kernelOf(batch);
        results.push(this.#observeBatch({ spans, count: (batches[batch] as ThreadBatch).count, signed: signer }));
      },
    });
    // The table uses the memory of the first batch, so the verdicts are written when it has seen all batches.
    for (const [batch, { verdicts }] of results.entries()) kernelOf(batch).verdicts.set(verdicts);
    return results.map(({ observation }) => observation);
  }

  #observePlaced(count: number, times: Float64Array | undefined): Observation {
    const { spans, verdicts } = this.#options.kernel;
    const observed = this.#observeBatch({ spans, count, times });
    verdicts.set(observed.verdicts);
    return observed.observation;
  }

  /** The table uses the same memory as the batch, so the spans are copied first. */
  #observeBatch({ spans: placedSpans, count, times, signed: signer }: BatchRequest): ObservedBatch {
    const spans = placedSpans.slice(0, 2 * count);
    const ranks = this.#rankSpans(count);
    const verdicts = new Uint8Array(count);
    const exceptions: Partial<ExceptionCounts> = {};
    this.answers = [];
    this.found = [];
    let index = 0;
    try {
      for (; index < count; index++) {
        if (times) this.advance(times[index] as number);
        const [start, end] = [spans[2 * index] as number, spans[2 * index + 1] as number];
        const document = { start, end, rank: ranks?.subarray(2 * index, 2 * index + 2) };
        verdicts[index] = this.#verdictOf(document, exceptions, signer && ((one) => signer(index, one)));
      }
      return { observation: { taken: index, exceptions }, verdicts };
    } catch (failure) {
      if (failure instanceof FirstseenError) return { observation: { taken: index, exceptions, failure }, verdicts };
      throw failure;
    }
  }

  #verdictOf(
    { start, end, rank }: KeyedDocument,
    exceptions: Partial<ExceptionCounts>,
    signer: Signed | undefined,
  ): number {
    try {
      const document = this.#spanOf(start, end);
      const answer = this.#observeDocument(document, signer);
      this.answers.push(answer);
      if (this.#options.review) this.#reviewDocument(document, answer, this.#options.review);
      if (this.#options.names) this.found.push(this.#foundOf(document, answer, this.#options.names));
      if (this.#options.members) this.#addMember(document, answer, { members: this.#options.members, rank });
      return answer.verdict === 'duplicate' ? DUPLICATE : DISTINCT;
    } catch (error) {
      return this.#decide(error, exceptions);
    }
  }

  #observeDocument(document: DocumentSpan, signed: Signed | undefined): NearAnswer {
    const { watch } = this.#options;
    const { start, end } = document;
    this.textBytes += end - start;
    watch.look();
    const answer = this.#answerOf(document, signed);
    watch.answered(answer);
    return answer;
  }

  #answerOf(document: DocumentSpan, signer: Signed | undefined): NearAnswer {
    const { near, isReadOnly } = this.#options;
    const { start, end } = document;
    if (isReadOnly) {
      this.#tested++;
      return near.testPlaced(start, end);
    }
    const signature = signer?.(document);
    const idOf = () => this.#nameOf(document);
    return signature ? near.observeSigned(signature, idOf) : near.observePlaced(start, end, idOf);
  }

  /** The spans of the values that rank the documents of a batch, which are in place of their times. */
  #rankSpans(count: number): Uint32Array | undefined {
    const { members, kernel } = this.#options;
    if (members?.keep.field === undefined) return undefined;
    return new Uint32Array(kernel.bytes.buffer, kernel.times.byteOffset, 2 * count).slice();
  }

  /** Adds a document, of which the table has just answered, to its cluster. */
  #addMember(document: DocumentSpan, { verdict, similarity }: NearAnswer, { members, rank }: MemberRequest): void {
    const { kernel, rankAt, near } = this.#options;
    const { start, end } = document;
    const age = near.nearestAge;
    const bytesOf = ([from = 0, to = 0]: Uint32Array) =>
      kernel.bytes.slice(rankAt, rankAt + (kernel.exports.writeRank(from, to, rankAt) >>> 0));
    const length = members.keep.rule === 'longest' ? this.#characters(start, end) : 0;
    const member = {
      rank: rank ? bytesOf(rank) : length,
      name: members.hasNames ? this.#nameJsonOf(document) : undefined,
    };
    if (verdict === 'distinct') members.addFirst(member);
    else members.addNear(age, { ...member, similarity });
  }

  /**
   * Returns the values to write for a document, of which the table has just answered. If it was added, later ones can
   * be near it.
   */
  #foundOf(document: DocumentSpan, answer: NearAnswer, names: AddedNames): FoundDocument {
    const { near, hasLengths } = this.#options;
    const { similarity } = answer;
    const { start, end } = document;
    const name = this.#nameJsonOf(document);
    const nearest = names.ofAge(near.nearestAge);
    if (this.#isAdded(answer)) names.add(name);
    return { name, characters: hasLengths ? this.#characters(start, end) : 0, similarity, nearest };
  }

  /** True if later documents can be near the one that was answered. */
  #isAdded({ verdict }: NearAnswer): boolean {
    const { near, isReadOnly } = this.#options;
    return !isReadOnly && (verdict === 'distinct' || near.settings.add === 'all');
  }

  #reviewDocument({ start, end, id, file }: DocumentSpan, answer: NearAnswer, review: NearReview): void {
    review.add({
      ...{ answer, file, start, end },
      nearestAge: this.#options.near.nearestAge,
      isAdded: this.#isAdded(answer),
      name: () => id && this.#textAt(...id),
    });
  }

  /** The number of characters of a text in UTF-8. */
  #characters(start: number, end: number): number {
    const { bytes } = this.#options.kernel;
    let count = 0;
    for (let i = start; i < end; i++) if (((bytes[i] as number) & 0xc0) !== 0x80) count++;
    return count;
  }

  /** The name of a document; its number among all documents if it has none. */
  #nameOf({ id }: DocumentSpan): string {
    return id === undefined ? String(this.#options.near.observed + this.#tested) : this.#textAt(...id);
  }

  /** The name of a document as JSON. */
  #nameJsonOf(document: DocumentSpan): NameJson {
    const { id, isIdText = true } = document;
    const text = this.#nameOf(document);
    return id === undefined || !isIdText ? text : JSON.stringify(text);
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
    if (!isMissing) this.#options.files?.noteUnread(error);
    this.answers.push(undefined);
    this.found.push(undefined);
    const decision = policy === 'drop' ? decisions.DROPPED : decisions.PASSED;
    this.#options.members?.addException(decision, name);
    return decision;
  }

  #readFile(files: DocumentFiles, start: number, end: number): DocumentSpan {
    const { near, kernel } = this.#options;
    const path = pathOfBytes(kernel.bytes.subarray(start, end));
    const contents = files.read(path);
    const bytes = near.settings.shingle === undefined ? contents : withoutMark(contents);
    const [from, to] = near.placeBytes(bytes);
    return { start: from, end: to, id: [start, end], file: { path, bytes } };
  }

  #textAt(start: number, end: number): string {
    return new TextDecoder().decode(this.#options.kernel.bytes.subarray(start, end));
  }
}
