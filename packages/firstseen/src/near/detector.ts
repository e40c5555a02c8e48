// Near-duplicate detection in fixed memory: the signature of a document is cut into bands, each band is an element, and a table,
// which is any detector, is asked which of them it has seen.

import { formatCounted } from '../count.js';
import { Detector, type HostOptions } from '../detectors/detector.js';
import { FirstseenError } from '../errors.js';
import { type SignatureExports, signatureExports } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { BandTable, type Decision } from './bandtable.js';
import { decodeHex } from './hex.js';
import { type NearRegions, planNearRegions, signatureBytes } from './regions.js';
import { isRingNote, type RingNote, SignatureRing } from './ring.js';
import { type NearOptions, type NearSettings, resolveNear, type SignatureSettings } from './settings.js';
import { shingleUnitNumbers } from './shingle.js';
import { inForm, isHostForm } from './text.js';

export interface NearAnswer {
  verdict: 'distinct' | 'duplicate';
  /** Bands that the table had seen. */
  bands: number;
  /** The set that took the document, where there are sets: a number from 0 in the order in which they were opened. */
  set?: number;
  /** The nearest of the documents kept last, where some are kept by name. */
  nearest?: { id: string; similarity: number };
}

export interface NearStats {
  /** Documents observed, and how many of them were reported duplicate. */
  observed: number;
  duplicates: number;
  /** Sets that were opened. */
  sets: number;
}

/** What a snapshot holds besides the table. */
export interface NearNote extends NearStats {
  ring: RingNote;
}

export interface NearHostOptions extends HostOptions {
  /** Bytes of the longest document. */
  mostTextBytes?: number;
}

/** The longest document that the library takes; memory is only used up to the longest one seen. */
const MOST_TEXT_BYTES = 2 ** 24;

const encoder = new TextEncoder();

/** Where a document stands in the kernel's memory. */
type Place = [start: number, end: number];

/** The end of the regions that settings of near-duplicate detection need behind the table's cells, which begin at `offset`. */
export function nearRegionsEnd(settings: SignatureSettings, mostTextBytes: number, offset: number): number {
  return planNearRegions({ ...settings, mostTextBytes }, offset).end;
}

/** @throws FirstseenError E_SNAPSHOT */
function checkedNote(note: unknown, settings: Pick<NearSettings, 'sets'>): NearNote {
  const { observed, duplicates, sets, ring } = (note ?? {}) as Partial<NearNote>;
  const isCounted =
    [observed, duplicates, sets].every(Number.isSafeInteger) && Number(sets) >= 0 && Number(sets) <= settings.sets;
  if (isCounted && isRingNote(ring)) return { observed, duplicates, sets, ring } as NearNote;
  throw new FirstseenError('E_SNAPSHOT', 'it does not say how many documents there were; restore the file from a copy');
}

export class NearDetector {
  readonly settings: NearSettings;
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
   * Over a table whose kernel has room for its regions behind the cells.
   * @internal
   */
  constructor(settings: NearSettings, table: Detector, mostTextBytes: number) {
    const { lsh, hashes, explain, bands, rowsPerBand } = settings;
    const { kernel } = table;
    this.settings = settings;
    this.table = table;
    this.#kernel = kernel;
    this.#mostTextBytes = mostTextBytes;
    this.#regions = planNearRegions({ lsh, hashes, explain, mostTextBytes }, kernel.regionOffset);
    const stride = signatureBytes(settings);
    const place = { offset: this.#regions.ring, stride, rows: hashes, rowBytes: lsh.rowBytes };
    this.#ring = new SignatureRing(kernel, { capacity: explain, ...place });
    this.#signatures = signatureExports[lsh.name](kernel.exports);
    this.#bands = new BandTable(table, settings);
    this.#configureShingles();
    this.#signatures.configure(...lsh.kernel(settings), this.#regions.tables);
    kernel.exports.bandsConfigure(bands, rowsPerBand * lsh.rowBytes);
  }

  /**
   * An empty detector.
   * @throws FirstseenError E_PARAMETER, E_ALGORITHM, E_MEMORY or E_BOUND when the request is impossible.
   */
  static async create(options: NearOptions = {}, host: NearHostOptions = {}): Promise<NearDetector> {
    return NearDetector.ofSettings(resolveNear(options), host);
  }

  /**
   * An empty detector of settings resolved before.
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

  stats(): NearStats {
    return { observed: this.#observed, duplicates: this.#duplicates, sets: this.#bands.opened };
  }

  /**
   * Test-and-add: whether a document is near one that was kept before. `id` names it where it is found the nearest of another.
   * @throws FirstseenError E_RECORD for a document that is too long, or of another length than `bits` was told; E_KEY for one that
   * is no text; E_FULL from an exact table without room.
   */
  observe(document: string | Uint8Array, id = ''): NearAnswer {
    return this.#observeAt(this.#place(document), () => id);
  }

  /** The answer alone; the detector stays as it is. */
  test(document: string | Uint8Array): NearAnswer {
    this.#signPlaced(this.#place(document));
    return this.#answer(this.#bands.test(this.#regions.signature));
  }

  /** The similarity of two documents as their signatures estimate it; the detector stays as it is. */
  similarity(left: string | Uint8Array, right: string | Uint8Array): number {
    const { lsh, hashes } = this.settings;
    const other = this.#regions.signature + signatureBytes(this.settings);
    this.#signPlaced(this.#place(left));
    this.#kernel.bytes.copyWithin(other, this.#regions.signature, other);
    this.#signPlaced(this.#place(right));
    const agreeing = this.#kernel.exports.agreeingRows(this.#regions.signature, other, hashes, lsh.rowBytes);
    return lsh.similarity(agreeing / hashes);
  }

  /** As the table's: tells a window in time what time it is, in milliseconds since 1970. */
  advance(timeMilliseconds: number): void {
    this.table.advance(timeMilliseconds);
  }

  /**
   * Observes the document in [start, end) of the kernel's memory, behind which 16 bytes can be read.
   * @internal
   */
  observePlaced(start: number, end: number, idOf: () => string): NearAnswer {
    return this.#observeAt(this.#inForm(start, end), idOf);
  }

  #observeAt(place: Place, idOf: () => string): NearAnswer {
    this.#signPlaced(place);
    const answer = this.#answer(this.#bands.observe(this.#regions.signature));
    this.#observed++;
    if (answer.verdict === 'duplicate') this.#duplicates++;
    else if (this.settings.explain > 0) this.#ring.add(this.#regions.signature, idOf());
    return answer;
  }

  /**
   * Copies a document into the kernel's memory; returns where it stands.
   * @internal
   */
  placeBytes(bytes: Uint8Array): Place {
    const { text } = this.#regions;
    if (bytes.length > this.#mostTextBytes) throw this.#tooLong(formatCounted(bytes.length, 'byte'));
    this.#kernel.bytes.set(bytes, text);
    return [text, text + bytes.length];
  }

  /** @internal */
  note(): NearNote {
    return { ...this.stats(), ring: this.#ring.note() };
  }

  /**
   * Takes over what a snapshot holds besides the table.
   * @throws FirstseenError E_SNAPSHOT when it is nothing that such a detector can have held.
   * @internal
   */
  restore(note: unknown): void {
    const { observed, duplicates, sets, ring } = checkedNote(note, this.settings);
    this.#bands.opened = sets;
    this.#observed = observed;
    this.#duplicates = duplicates;
    this.#ring.restore(ring);
  }

  #configureShingles(): void {
    const { shingle, case: letters } = this.settings;
    if (shingle === undefined) return;
    const configure = this.#kernel.exports.shinglesConfigure;
    configure(shingleUnitNumbers[shingle.unit], shingle.length, letters === 'keep' ? 0 : 1, this.#regions.work);
  }

  #place(document: string | Uint8Array): Place {
    if (typeof document === 'string') return this.#decoded(...this.#placeText(inForm(document, this.settings)));
    if (document instanceof Uint8Array) return this.#inForm(...this.placeBytes(document));
    throw new FirstseenError('E_KEY', `a document is of type ${typeof document}, but must be a string or bytes`);
  }

  #placeText(text: string): Place {
    const { text: start } = this.#regions;
    const region = this.#kernel.bytes.subarray(start, start + this.#mostTextBytes);
    const { read, written } = encoder.encodeInto(text, region);
    if (read < text.length) throw this.#tooLong(`${text.length} characters`);
    return [start, start + written];
  }

  /** The document brought to the form of Unicode that is wanted, where that takes the host. */
  #inForm(start: number, end: number): Place {
    if (!isHostForm(this.settings)) return this.#decoded(start, end);
    return this.#placeText(inForm(new TextDecoder().decode(this.#kernel.bytes.subarray(start, end)), this.settings));
  }

  /** The bytes that a document stands for, where it is written in digits. */
  #decoded(start: number, end: number): Place {
    const { encoding, documentBytes } = this.settings;
    if (encoding === 'bytes') return [start, end];
    const expected = `${2 * documentBytes} hexadecimal digits`;
    if (end - start !== 2 * documentBytes) {
      throw new FirstseenError(
        'E_RECORD',
        `a document of ${formatCounted(end - start, 'byte')} was given, but must have ${expected}`,
      );
    }
    const { text } = this.#regions;
    const wrong = decodeHex(this.#kernel.bytes.subarray(start, end), this.#kernel.bytes.subarray(text));
    if (wrong === -1) return [text, text + documentBytes];
    throw new FirstseenError('E_RECORD', `byte ${wrong + 1} of a document is no digit, but it must have ${expected}`);
  }

  #signPlaced([start, end]: Place): void {
    const { shingle, documentBytes, lsh } = this.settings;
    if (shingle === undefined && end - start !== documentBytes) {
      throw new FirstseenError(
        'E_RECORD',
        `a document of ${formatCounted(end - start, 'byte')} was given, but ${lsh.name} was told that all have ${documentBytes}`,
      );
    }
    this.#signatures.sign(start, end, this.#regions.signature);
  }

  #answer({ isDuplicate, bands, set }: Decision): NearAnswer {
    const { hashes, lsh, explain } = this.settings;
    const nearest = explain > 0 ? this.#ring.nearest(this.#regions.signature) : undefined;
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
      `a document has ${length}, but may have ${formatCounted(this.#mostTextBytes, 'byte')} at most; cut it into parts`,
    );
  }
}
