// Near-duplicate detection in fixed memory: the signature of a document consists of bands, each band is an element, and a table,
// which can be any detector, says which elements it has seen.

import { isBytes } from '../base/bytes.js';
import { checkAttached } from '../base/check.js';
import { formatCounted } from '../base/count.js';
import { type ClosedDescription, Described, describedOpen } from '../base/description.js';
import { dispose } from '../base/dispose.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { runInTurns } from '../base/steps.js';
import { Detector, kernelOf } from '../detectors/detector.js';
import { detectorClosed } from '../detectors/home.js';
import type { HostOptions } from '../detectors/host.js';
import { type SignatureExports, signatureExports } from '../kernel/abi.js';
import { makeCalls } from '../kernel/calls.js';
import type { Kernel } from '../kernel/kernel.js';
import { wholeKernel } from '../kernel/wholekernel.js';
import { documentScheme } from '../records/keyscheme.js';
import { allRegisters } from '../snapshot/registers.js';
import { encodeJobNote } from '../snapshot/savedjob.js';
import { partsOfDetector, type SnapshotParts } from '../snapshot/snapshots.js';
import type { NearAnswer, SignedDocument } from './answer.js';
import { type BandDecision, BandTable, type DocumentTable } from './bandtable.js';
import { configureCalls } from './configure.js';
import { decodeDocument } from './hex.js';
import type { NearDescription, NearStats } from './nearstats.js';
import { checkNearNote, jobNoteOf, type NearNote } from './note.js';
import { layOutNearRegions, type NearRegions, signatureBytes, sketchOffset } from './regions.js';
import { SignatureRing } from './ring.js';
import { type NearOptions, type NearSettings, nearInSteps, type SignatureSettings } from './settings.js';
import { type RingFill, ringFillOf, SketchTable } from './sketchtable.js';
import { inForm, isHostForm } from './text.js';

export interface NearHostOptions extends HostOptions {
  /** Bytes of the longest document. */
  maxTextBytes?: number;
}

/** The longest document that the library accepts. Memory is used only up to the longest document seen. */
export const MAX_TEXT_BYTES = 2 ** 24;

const encoder = new TextEncoder();

/** The span of a document in the kernel's memory. */
type Span = [start: number, end: number];

/** The end of the regions that near-duplicate detection needs after the table's cells, which end at `offset`. */
export function nearRegionsEnd(settings: SignatureSettings, maxTextBytes: number, offset: number): number {
  return layOutNearRegions({ ...settings, maxTextBytes }, offset).end;
}

/** The objects that have views or functions of the kernel's memory. */
interface KernelUsers {
  ring: SignatureRing;
  signatures: SignatureExports;
  table: DocumentTable;
}

/** Reports documents that are similar to one seen before (docs/NEAR.md). `createNear` makes it. */
export class NearDetector extends Described {
  readonly #settings: NearSettings;
  readonly #note: Uint8Array;
  readonly #table: Detector;
  readonly #regions: NearRegions;
  readonly #maxTextBytes: number;
  #users: KernelUsers | undefined;
  #observed = 0;
  /** Shingles of the last document, if it was signed elsewhere. */
  #signedShingles: number | undefined;
  #duplicates = 0;

  /**
   * The kernel of the table must have room for the regions after the cells (`nearRegionsEnd`).
   * @internal
   */
  constructor(settings: NearSettings, table: Detector, maxTextBytes: number, note: Uint8Array = new Uint8Array(0)) {
    super();
    this.#note = note;
    const { lsh, hashes, explain } = settings;
    const kernel = kernelOf(table);
    this.#settings = settings;
    this.#table = table;
    this.#maxTextBytes = maxTextBytes;
    this.#regions = layOutNearRegions({ ...settings, maxTextBytes }, kernel.regionOffset);
    const stride = sketchOffset(settings);
    const rows = { stride, rows: hashes, rowBytes: lsh.rowBytes };
    this.#users = {
      ring: new SignatureRing(kernel, { capacity: explain, offset: this.#regions.ring, ...rows }),
      signatures: signatureExports[lsh.name](kernel.exports),
      table: settings.verify ? new SketchTable(table, settings) : new BandTable(table, settings),
    };
    makeCalls(kernel, configureCalls(settings, this.#regions));
  }

  /**
   * An empty detector.
   * @throws FirstseenError E_PARAMETER, E_ALGORITHM, E_MEMORY or E_BOUND when the request is impossible.
   */
  static async create(options: NearOptions = {}, host: NearHostOptions = {}): Promise<NearDetector> {
    return NearDetector.ofSettings(await runInTurns(nearInSteps(options)), host);
  }

  /**
   * An empty detector with resolved settings.
   * @internal
   */
  static async ofSettings(settings: NearSettings, host: NearHostOptions = {}): Promise<NearDetector> {
    const maxTextBytes = host.maxTextBytes ?? MAX_TEXT_BYTES;
    const regionBytes = nearRegionsEnd(settings, maxTextBytes, 0) + (host.regionBytes ?? 0);
    const module = host.module ?? (await wholeKernel());
    const table = await Detector.ofSettings(settings.table, { ...host, regionBytes, module });
    return new NearDetector(settings, table, maxTextBytes);
  }

  /** Everything that decides the answers. */
  get settings(): NearSettings {
    return this.#settings;
  }

  /** The note of the snapshot from which the detector was loaded; empty for a new detector. */
  get note(): Uint8Array {
    return this.#note;
  }

  get #kernel(): Kernel {
    return kernelOf(this.#table);
  }

  /** @throws FirstseenError E_CLOSED after the detector was disposed of. */
  get #open(): KernelUsers {
    if (this.#users === undefined) throw detectorClosed();
    return this.#users;
  }

  /** Releases the memory. Later calls throw E_CLOSED. */
  close(): void {
    this.#users = undefined;
    this.#table.close();
  }

  /** As `close`, for `using`. */
  [dispose](): void {
    this.close();
  }

  /** Documents observed so far. */
  get observed(): number {
    return this.#observed;
  }

  /** With `verify`, the documents added since the nearest one of the last answer, itself included; 0 if none. @internal */
  get nearestAge(): number {
    return this.#kernel.exports.sketchesNearestAge() >>> 0;
  }

  /** With `verify`, the documents that the table remembers now, and the slots of its ring that were filled so far. @internal */
  get ring(): RingFill {
    return ringFillOf(this.#kernel);
  }

  /** A short description for logs. */
  toJSON(): NearDescription | ClosedDescription {
    const { lsh, hashes, bands, table } = this.#settings;
    return describedOpen(() => ({
      algorithm: lsh.name,
      hashes,
      bands,
      table: table.family.name,
      memoryBytes: table.memoryBytes,
      ...this.stats(),
    }));
  }

  /** Returns the counts so far. */
  stats(): NearStats {
    return { observed: this.#observed, duplicates: this.#duplicates, sets: this.#open.table.opened };
  }

  /**
   * Tests whether a document is near one that was kept, and adds it. Later answers name it by `id` in `nearest`.
   * @throws FirstseenError E_RECORD for a document that is too long, or has another length than `documentBytes`; E_KEY for one
   * that is neither text nor bytes; E_PARAMETER for an `id` that is not text; E_FULL from a full exact table.
   */
  observe(document: string | Uint8Array, id = ''): NearAnswer {
    if (typeof id !== 'string') {
      throw invalidOption({ option: 'id', given: id, expected: 'a text, the name of the document' });
    }
    const span = this.#write(document);
    this.#table.keepTime();
    return this.#observeIn(span, () => id);
  }

  /** The answer without adding the document. */
  test(document: string | Uint8Array): NearAnswer {
    const span = this.#write(document);
    this.#table.keepTime();
    return this.#testIn(span);
  }

  /** The similarity of two documents, estimated from their signatures. The detector does not change. */
  similarity(left: string | Uint8Array, right: string | Uint8Array): number {
    const { lsh, hashes } = this.settings;
    const other = this.#regions.signature + signatureBytes(this.settings);
    this.#signIn(this.#write(left));
    this.#kernel.bytes.copyWithin(other, this.#regions.signature, other);
    this.#signIn(this.#write(right));
    const agreeing = this.#kernel.exports.agreeingRows(this.#regions.signature, other, hashes, lsh.rowBytes);
    return lsh.similarity(agreeing / hashes);
  }

  /**
   * Sets the time of the table, in milliseconds since 1970, as `Detector.advance` does.
   * @throws FirstseenError E_PARAMETER and E_USAGE as `Detector.advance`.
   */
  advance(timeMilliseconds: number): void {
    this.#table.advance(timeMilliseconds);
  }

  /**
   * Observes the document in [start, end) of the kernel's memory. The 16 bytes after it must be readable.
   * @internal
   */
  observePlaced(start: number, end: number, idOf: () => string): NearAnswer {
    return this.#observeIn(this.#inForm(start, end), idOf);
  }

  /**
   * Tests the document in [start, end) of the kernel's memory. The 16 bytes after it must be readable.
   * @internal
   */
  testPlaced(start: number, end: number): NearAnswer {
    return this.#testIn(this.#inForm(start, end));
  }

  /**
   * Observes a document that was signed.
   * @internal
   */
  observeSigned({ signature, elements, shingles }: SignedDocument, idOf: () => string): NearAnswer {
    this.#signedShingles = shingles;
    this.#kernel.exports.placeElements(elements);
    return this.#observeElements(signature, idOf);
  }

  /** The number of shingles of the last document. @internal */
  get shingles(): number {
    return this.#signedShingles ?? this.#kernel.exports.documentShingles();
  }

  /** As `Detector.checkRoom`, for documents. @internal */
  checkRoom(documents: number): void {
    this.#table.checkRoom(documents * this.settings.bands);
  }

  #testIn(span: Span): NearAnswer {
    this.#signIn(span);
    this.#placeElements();
    const { signature } = this.#regions;
    return this.#answer(this.#open.table.test(signature), signature);
  }

  #observeIn(span: Span, idOf: () => string): NearAnswer {
    this.#signIn(span);
    this.#placeElements();
    return this.#observeElements(this.#regions.signature, idOf);
  }

  /** Observes the document whose elements are at the front of the table's batch. */
  #observeElements(signature: number, idOf: () => string): NearAnswer {
    const answer = this.#answer(this.#open.table.observe(signature), signature);
    this.#observed++;
    if (answer.verdict === 'duplicate') this.#duplicates++;
    else if (this.settings.explain > 0) this.#open.ring.add(signature, idOf());
    return answer;
  }

  #placeElements(): void {
    this.#kernel.exports.bandElements(this.#regions.signature, this.#kernel.fingerprints.byteOffset);
  }

  /**
   * Copies a document into the kernel's memory and returns its span.
   * @internal
   */
  placeBytes(bytes: Uint8Array): Span {
    const { text } = this.#regions;
    if (bytes.length > this.#maxTextBytes) throw this.#tooLong(formatCounted(bytes.length, 'byte'));
    this.#kernel.bytes.set(bytes, text);
    return [text, text + bytes.length];
  }

  /** @internal */
  contents(): NearNote {
    return { ...this.stats(), ring: this.#open.ring.note() };
  }

  /** @internal */
  get kernelModule(): WebAssembly.Module | undefined {
    return this.#table.kernelModule;
  }

  /**
   * As `Snapshotable.snapshotParts`: a snapshot of the table, with a note that has the rest.
   * @internal
   */
  snapshotParts(note: Uint8Array): SnapshotParts {
    const job = jobNoteOf(this.settings, this.contents());
    const settings = { ...this.#table.settings, keyScheme: documentScheme };
    return partsOfDetector(this.#table, encodeJobNote({ job, note }), settings);
  }

  /** @internal */
  registers(): BigUint64Array {
    // A document that is near another one need not change the table.
    return BigUint64Array.of(BigInt(this.#observed), ...allRegisters(this.#table));
  }

  /**
   * Restores the contents of a snapshot apart from the table.
   * @throws FirstseenError E_SNAPSHOT when they do not fit this detector.
   * @internal
   */
  restore(note: unknown): void {
    const { observed, duplicates, sets, ring } = checkNearNote(note, this.settings);
    this.#open.table.opened = sets;
    this.#observed = observed;
    this.#duplicates = duplicates;
    this.#open.ring.restore(ring);
  }

  #write(document: string | Uint8Array): Span {
    if (typeof document === 'string') return this.#decoded(...this.#writeText(inForm(document, this.settings)));
    if (isBytes(document)) {
      checkAttached(document, 'a document', 'E_KEY');
      return this.#inForm(...this.placeBytes(document));
    }
    throw new FirstseenError('E_KEY', `a document has the type ${typeof document}`, {
      given: document,
      expected: 'a string or bytes',
      remedy: 'pass a string or bytes',
    });
  }

  #writeText(text: string): Span {
    const { text: start } = this.#regions;
    const region = this.#kernel.bytes.subarray(start, start + this.#maxTextBytes);
    const { read, written } = encoder.encodeInto(text, region);
    if (read < text.length) throw this.#tooLong(`${text.length} characters`);
    return [start, start + written];
  }

  /** The document in the required form of Unicode. */
  #inForm(start: number, end: number): Span {
    if (!isHostForm(this.settings)) return this.#decoded(start, end);
    return this.#writeText(inForm(new TextDecoder().decode(this.#kernel.bytes.subarray(start, end)), this.settings));
  }

  /** The decoded bytes of a document in hexadecimal digits. */
  #decoded(start: number, end: number): Span {
    const { encoding, documentBytes } = this.settings;
    if (encoding === 'bytes') return [start, end];
    const { text } = this.#regions;
    decodeDocument(this.#kernel.bytes.subarray(start, end), this.#kernel.bytes.subarray(text), documentBytes);
    return [text, text + documentBytes];
  }

  #signIn([start, end]: Span): void {
    const { shingle, documentBytes } = this.settings;
    if (shingle === undefined && end - start !== documentBytes) {
      const size = formatCounted(end - start, 'byte');
      const problem = phrase`a document has ${size}, but ${optionName('documentBytes')} is ${documentBytes}`;
      throw new FirstseenError('E_RECORD', problem);
    }
    this.#signedShingles = undefined;
    this.#open.signatures.sign(start, end, this.#regions.signature);
  }

  #answer({ isDuplicate, bands, set, estimate }: BandDecision, signature: number): NearAnswer {
    const { hashes, lsh, explain } = this.settings;
    const nearest = explain > 0 ? this.#open.ring.nearest(signature) : undefined;
    return {
      verdict: isDuplicate ? 'duplicate' : 'distinct',
      bands,
      ...(set === undefined ? {} : { set }),
      ...estimate,
      ...(nearest && { nearest: { id: nearest.id, similarity: lsh.similarity(nearest.agreeingRows / hashes) } }),
    };
  }

  #tooLong(length: string): FirstseenError {
    return new FirstseenError(
      'E_RECORD',
      `a document has ${length}, but the limit is ${formatCounted(this.#maxTextBytes, 'byte')}`,
      { remedy: 'cut it into parts' },
    );
  }
}
