// Near-duplicate detection in fixed memory: the signature of a document consists of bands, each band is an element, and a table,
// which can be any detector, says which elements it has seen.

import { formatCounted } from '../count.js';
import { Detector } from '../detectors/detector.js';
import type { HostOptions } from '../detectors/host.js';
import { FirstseenError, optionName, phrase } from '../errors.js';
import { type KernelExports, type SignatureExports, signatureExports } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { documentScheme } from '../records/keyscheme.js';
import type { Checksum } from '../state/frame.js';
import { partsOfDetector } from '../state/snapshots.js';
import { type BandDecision, BandTable } from './bandtable.js';
import { decodeHex } from './hex.js';
import { encodeNearNote, jobNoteOf } from './note.js';
import { type NearRegions, planNearRegions, signatureBytes } from './regions.js';
import { isRingNote, type RingNote, SignatureRing } from './ring.js';
import { type NearOptions, type NearSettings, resolveNear, type SignatureSettings } from './settings.js';
import { shingleUnitNumbers } from './shingle.js';
import { inForm, isHostForm } from './text.js';

/** The answer for a document. */
export interface NearAnswer {
  /** Whether a document like this one was seen before. */
  verdict: 'distinct' | 'duplicate';
  /** Number of bands that the table had seen. */
  bands: number;
  /** With sets, the set that took the document: a number from 0 in the order in which the sets were opened. */
  set?: number;
  /** With `explain`, the nearest of the recently kept documents. */
  nearest?: { id: string; similarity: number };
}

/** What near-duplicate detection has done so far. */
export interface NearStats {
  /** Documents observed, and the number of them that were reported duplicate. */
  observed: number;
  /** Documents that were reported duplicate. */
  duplicates: number;
  /** Sets that were opened. */
  sets: number;
}

/** The addresses of the signature of a document, and of the elements of its bands. */
export interface SignedDocument {
  signature: number;
  elements: number;
}

/** The contents of a snapshot besides the table. */
export interface NearNote extends NearStats {
  ring: RingNote;
}

export interface NearHostOptions extends HostOptions {
  /** Bytes of the longest document. */
  mostTextBytes?: number;
}

/** The longest document that the library accepts. Memory is used only up to the longest document seen. */
export const MOST_TEXT_BYTES = 2 ** 24;

const encoder = new TextEncoder();

/** The span of a document in the kernel's memory. */
type Span = [start: number, end: number];

/** The end of the regions that near-duplicate detection needs behind the table's cells, which end at `offset`. */
export function nearRegionsEnd(settings: SignatureSettings, mostTextBytes: number, offset: number): number {
  return planNearRegions({ ...settings, mostTextBytes }, offset).end;
}

/** A function of the kernel and its arguments. */
export interface ConfigureCall {
  name: keyof KernelExports;
  parameters: number[];
}

/** The calls that prepare a kernel for the signatures and bands of documents, in regions of its own. */
export function configureCalls(
  settings: SignatureSettings,
  { work, tables }: Pick<NearRegions, 'work' | 'tables'>,
): ConfigureCall[] {
  const { lsh, shingle, case: letters, bands, rowsPerBand } = settings;
  const calls: ConfigureCall[] = [
    { name: `${lsh.name}Configure`, parameters: [...lsh.kernel(settings), tables] },
    { name: 'bandsConfigure', parameters: [bands, rowsPerBand * lsh.rowBytes] },
  ];
  if (shingle === undefined) return calls;
  const parameters = [shingleUnitNumbers[shingle.unit], shingle.length, letters === 'keep' ? 0 : 1, work];
  return [...calls, { name: 'shinglesConfigure', parameters }];
}

/** @throws FirstseenError E_SNAPSHOT */
function checkNote(note: unknown, settings: Pick<NearSettings, 'sets'>): NearNote {
  const { observed, duplicates, sets, ring } = (note ?? {}) as Partial<NearNote>;
  const isCounted =
    [observed, duplicates, sets].every(Number.isSafeInteger) && Number(sets) >= 0 && Number(sets) <= settings.sets;
  if (isCounted && isRingNote(ring)) return { observed, duplicates, sets, ring } as NearNote;
  throw new FirstseenError('E_SNAPSHOT', 'the snapshot has no valid counts of documents', {
    remedy: 'restore the file from a copy',
  });
}

/** Reports documents that are similar to one seen before (docs/NEAR.md). `createNear` makes it. */
export class NearDetector {
  /** Everything that decides the answers. */
  readonly settings: NearSettings;
  /** The note of the snapshot from which the detector was loaded; empty for a new detector. */
  readonly note: Uint8Array;
  /** @internal */
  readonly table: Detector;
  readonly #kernel: Kernel;
  readonly #regions: NearRegions;
  readonly #mostTextBytes: number;
  readonly #ring: SignatureRing;
  readonly #signatures: SignatureExports;
  readonly #bands: BandTable;
  #observed = 0;
  #duplicates = 0;

  /**
   * The kernel of the table must have room for the regions behind the cells (`nearRegionsEnd`).
   * @internal
   */
  constructor(settings: NearSettings, table: Detector, mostTextBytes: number, note: Uint8Array = new Uint8Array(0)) {
    this.note = note;
    const { lsh, hashes, explain } = settings;
    const { kernel } = table;
    this.settings = settings;
    this.table = table;
    this.#kernel = kernel;
    this.#mostTextBytes = mostTextBytes;
    this.#regions = planNearRegions({ lsh, hashes, explain, mostTextBytes }, kernel.regionOffset);
    const stride = signatureBytes(settings);
    const rows = { stride, rows: hashes, rowBytes: lsh.rowBytes };
    this.#ring = new SignatureRing(kernel, { capacity: explain, offset: this.#regions.ring, ...rows });
    this.#signatures = signatureExports[lsh.name](kernel.exports);
    this.#bands = new BandTable(table, settings);
    for (const { name, parameters } of configureCalls(settings, this.#regions)) {
      (kernel.exports[name] as (...parameters: number[]) => void)(...parameters);
    }
  }

  /**
   * An empty detector.
   * @throws FirstseenError E_PARAMETER, E_ALGORITHM, E_MEMORY or E_BOUND when the request is impossible.
   */
  static async create(options: NearOptions = {}, host: NearHostOptions = {}): Promise<NearDetector> {
    return NearDetector.ofSettings(resolveNear(options), host);
  }

  /**
   * An empty detector with resolved settings.
   * @internal
   */
  static async ofSettings(settings: NearSettings, host: NearHostOptions = {}): Promise<NearDetector> {
    const mostTextBytes = host.mostTextBytes ?? MOST_TEXT_BYTES;
    const regionBytes = nearRegionsEnd(settings, mostTextBytes, 0) + (host.regionBytes ?? 0);
    return new NearDetector(
      settings,
      await Detector.ofSettings(settings.table, { ...host, regionBytes }),
      mostTextBytes,
    );
  }

  /** Documents observed so far. */
  get observed(): number {
    return this.#observed;
  }

  /** What was done so far. */
  stats(): NearStats {
    return { observed: this.#observed, duplicates: this.#duplicates, sets: this.#bands.opened };
  }

  /**
   * Test-and-add: whether a document is near one that was kept. `id` is its name in later answers with `nearest`.
   * @throws FirstseenError E_RECORD for a document that is too long, or has another length than `documentBytes`; E_KEY for one
   * that is neither text nor bytes; E_FULL from a full exact table.
   */
  observe(document: string | Uint8Array, id = ''): NearAnswer {
    return this.#observeIn(this.#write(document), () => id);
  }

  /** The answer without a change of the detector. */
  test(document: string | Uint8Array): NearAnswer {
    return this.#testIn(this.#write(document));
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

  /** Sets the clock of the table, in milliseconds since 1970. */
  advance(timeMilliseconds: number): void {
    this.table.advance(timeMilliseconds);
  }

  /**
   * Observes the document in [start, end) of the kernel's memory. The 16 bytes behind it must be readable.
   * @internal
   */
  observePlaced(start: number, end: number, idOf: () => string): NearAnswer {
    return this.#observeIn(this.#inForm(start, end), idOf);
  }

  /**
   * Tests the document in [start, end) of the kernel's memory. The 16 bytes behind it must be readable.
   * @internal
   */
  testPlaced(start: number, end: number): NearAnswer {
    return this.#testIn(this.#inForm(start, end));
  }

  /**
   * Observes a document that was signed.
   * @internal
   */
  observeSigned({ signature, elements }: SignedDocument, idOf: () => string): NearAnswer {
    this.#kernel.exports.placeElements(elements);
    return this.#observeElements(signature, idOf);
  }

  #testIn(span: Span): NearAnswer {
    this.#signIn(span);
    this.#placeElements();
    return this.#answer(this.#bands.test(), this.#regions.signature);
  }

  #observeIn(span: Span, idOf: () => string): NearAnswer {
    this.#signIn(span);
    this.#placeElements();
    return this.#observeElements(this.#regions.signature, idOf);
  }

  /** Observes the document whose elements are at the front of the table's batch. */
  #observeElements(signature: number, idOf: () => string): NearAnswer {
    const answer = this.#answer(this.#bands.observe(), signature);
    this.#observed++;
    if (answer.verdict === 'duplicate') this.#duplicates++;
    else if (this.settings.explain > 0) this.#ring.add(signature, idOf());
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
    if (bytes.length > this.#mostTextBytes) throw this.#tooLong(formatCounted(bytes.length, 'byte'));
    this.#kernel.bytes.set(bytes, text);
    return [text, text + bytes.length];
  }

  /** @internal */
  contents(): NearNote {
    return { ...this.stats(), ring: this.#ring.note() };
  }

  /**
   * As `Snapshotable.snapshotParts`: a snapshot of the table, with a note that has the rest.
   * @internal
   */
  snapshotParts(note: Uint8Array, checksum: Checksum): Uint8Array[] {
    const job = jobNoteOf(this.settings, this.contents());
    const settings = { ...this.table.settings, keyScheme: documentScheme };
    return partsOfDetector(this.table, encodeNearNote({ job, note }), checksum, settings);
  }

  /** @internal */
  slots(): BigUint64Array {
    // A document that is near another one need not change the table.
    return BigUint64Array.of(BigInt(this.#observed), ...this.table.slots());
  }

  /**
   * Restores the contents of a snapshot besides the table.
   * @throws FirstseenError E_SNAPSHOT when they do not fit this detector.
   * @internal
   */
  restore(note: unknown): void {
    const { observed, duplicates, sets, ring } = checkNote(note, this.settings);
    this.#bands.opened = sets;
    this.#observed = observed;
    this.#duplicates = duplicates;
    this.#ring.restore(ring);
  }

  #write(document: string | Uint8Array): Span {
    if (typeof document === 'string') return this.#decoded(...this.#writeText(inForm(document, this.settings)));
    if (document instanceof Uint8Array) return this.#inForm(...this.placeBytes(document));
    throw new FirstseenError('E_KEY', `a document has the type ${typeof document}`, {
      given: document,
      expected: 'a string or bytes',
      remedy: 'pass a string or bytes',
    });
  }

  #writeText(text: string): Span {
    const { text: start } = this.#regions;
    const region = this.#kernel.bytes.subarray(start, start + this.#mostTextBytes);
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
    const expected = `${2 * documentBytes} hexadecimal digits`;
    if (end - start !== 2 * documentBytes) {
      throw new FirstseenError(
        'E_RECORD',
        `a document has ${formatCounted(end - start, 'byte')}, but must have ${expected}`,
      );
    }
    const { text } = this.#regions;
    const wrong = decodeHex(this.#kernel.bytes.subarray(start, end), this.#kernel.bytes.subarray(text));
    if (wrong === -1) return [text, text + documentBytes];
    throw new FirstseenError(
      'E_RECORD',
      `byte ${wrong + 1} of a document is not a hexadecimal digit, but it must have ${expected}`,
    );
  }

  #signIn([start, end]: Span): void {
    const { shingle, documentBytes } = this.settings;
    if (shingle === undefined && end - start !== documentBytes) {
      const given = formatCounted(end - start, 'byte');
      const problem = phrase`a document has ${given}, but ${optionName('documentBytes')} is ${documentBytes}`;
      throw new FirstseenError('E_RECORD', problem);
    }
    this.#signatures.sign(start, end, this.#regions.signature);
  }

  #answer({ isDuplicate, bands, set }: BandDecision, signature: number): NearAnswer {
    const { hashes, lsh, explain } = this.settings;
    const nearest = explain > 0 ? this.#ring.nearest(signature) : undefined;
    return {
      verdict: isDuplicate ? 'duplicate' : 'distinct',
      bands,
      ...(set === undefined ? {} : { set }),
      ...(nearest && { nearest: { id: nearest.id, similarity: lsh.similarity(nearest.agreeingRows / hashes) } }),
    };
  }

  #tooLong(length: string): FirstseenError {
    return new FirstseenError(
      'E_RECORD',
      `a document has ${length}, but the limit is ${formatCounted(this.#mostTextBytes, 'byte')}`,
      { remedy: 'cut it into parts' },
    );
  }
}
