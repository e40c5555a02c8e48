// Passages of texts that a program has: each text is cut, and its passages are looked up in a detector.

import { isBytes } from '../base/bytes.js';
import { checkAttached } from '../base/check.js';
import { formatCounted } from '../base/count.js';
import { type ClosedDescription, Described, describedOpen } from '../base/description.js';
import { dispose } from '../base/dispose.js';
import { FirstseenError } from '../base/errors.js';
import { Detector, kernelOf } from '../detectors/detector.js';
import { detectorClosed } from '../detectors/home.js';
import type { HostOptions } from '../detectors/host.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { rememberDetector } from '../detectors/whole.js';
import type { DetectorName } from '../kernel/abi.js';
import { SCAN_SPARE_BYTES } from '../kernel/abi.js';
import { wholeKernel } from '../kernel/wholekernel.js';
import { documentScheme } from '../records/keyscheme.js';
import { allRegisters } from '../snapshot/registers.js';
import { encodeJobNote } from '../snapshot/savedjob.js';
import { emptyNote, partsOfDetector, type Snapshotable, type SnapshotParts } from '../snapshot/snapshots.js';
import type { CuttingSettings, PassageUnit } from './cutting.js';
import { PassageFinder } from './finder.js';
import type { SeenPassage } from './found.js';
import { ElementLookUp } from './lookup.js';
import { type PassageTotals, savedPassages } from './note.js';
import { layOutPassages, regionsFrom } from './regions.js';

/** The longest text that the library accepts. Memory is used only up to the longest text seen. */
const MAX_TEXT_BYTES = 2 ** 24;

/** A passage that was seen before. */
export interface PassageSpan {
  /** Its first character, counted in code points. */
  start: number;
  /** One past its last character, and past the separator after it. */
  end: number;
  /** The share of its n-grams that was seen; 1 for all other passages. */
  share: number;
}

/** The answer for a text. */
export interface PassageAnswer {
  /** The passages that were seen before, in order. */
  spans: PassageSpan[];
  /** The text without these passages. */
  rest: string;
  /** Passages that were compared. */
  passages: number;
  /** Passages that were seen before. */
  seen: number;
  /** Characters of the text. */
  characters: number;
  /** Characters of the passages that were seen before. */
  seenCharacters: number;
}

/** The description of a detector of passages, for logs. */
export interface PassageDescription extends PassageTotals {
  /** The unit that is compared. */
  by: PassageUnit;
  /** The algorithm of the table. */
  table: DetectorName;
  /** Bytes of the table. */
  memoryBytes: number;
}

/** Everything that decides the answers. */
export interface PassageDetectorSettings extends Omit<CuttingSettings, 'dolmaQuirks'> {
  /** The table of passages. */
  table: DetectorSettings;
}

/** The parts of a saved detector that the new one keeps. */
export interface Kept {
  /** The note of the program. */
  note: Uint8Array;
  totals: PassageTotals;
}

function keptByNone(): Kept {
  return { note: emptyNote, totals: { texts: 0, passages: 0, seen: 0 } };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The regions for one text, after the cells of the table. */
function layOut(settings: CuttingSettings, offset: number): { text: number; end: number } {
  const { take, end } = regionsFrom(layOutPassages(settings, MAX_TEXT_BYTES, offset).end);
  const text = take(MAX_TEXT_BYTES + SCAN_SPARE_BYTES);
  return { text, end: end() };
}

function tooLong(length: string): FirstseenError {
  return new FirstseenError(
    'E_RECORD',
    `a text has ${length}, but the limit is ${formatCounted(MAX_TEXT_BYTES, 'byte')}`,
    { remedy: 'cut it into parts' },
  );
}

/** Finds the passages of texts that were seen before (docs/PASSAGES.md). `createPassages` makes it. */
export class PassageDetector extends Described implements Snapshotable {
  readonly #settings: PassageDetectorSettings;
  readonly #table: Detector;
  readonly #text: number;
  /** Undefined after the detector was closed. */
  #finder: PassageFinder | undefined;
  readonly #adding: ElementLookUp;
  readonly #testing: ElementLookUp;
  readonly #totals: PassageTotals;
  readonly #note: Uint8Array;

  private constructor(settings: CuttingSettings, table: Detector, { note, totals }: Kept = keptByNone()) {
    super();
    this.#totals = { ...totals };
    this.#note = note;
    const { dolmaQuirks: _quirks, ...cutting } = settings;
    const elementsAhead = () => Number.POSITIVE_INFINITY;
    this.#settings = { ...cutting, table: table.settings };
    this.#table = table;
    this.#text = layOut(settings, kernelOf(table).regionOffset).text;
    this.#finder = new PassageFinder(table, {
      ...{ settings, wanted: 'passages', hasQuotes: false, hasBoundaries: false, maxTextBytes: MAX_TEXT_BYTES },
    });
    this.#adding = new ElementLookUp(table, { isReadOnly: false, elementsAhead });
    this.#testing = new ElementLookUp(table, { isReadOnly: true, elementsAhead });
  }

  /**
   * An empty detector with resolved settings.
   * @internal
   */
  static async ofSettings(
    settings: CuttingSettings,
    table: DetectorSettings,
    host: HostOptions = {},
  ): Promise<PassageDetector> {
    const module = host.module ?? (await wholeKernel());
    return PassageDetector.ofTable(settings, (regionBytes) =>
      Detector.ofSettings(table, { ...host, regionBytes, module }),
    );
  }

  /**
   * A detector over a table, which is made with room for a text.
   * @internal
   */
  static async ofTable(
    settings: CuttingSettings,
    make: (regionBytes: number) => Promise<Detector>,
    kept?: Kept,
  ): Promise<PassageDetector> {
    return new PassageDetector(settings, await make(layOut(settings, 0).end), kept);
  }

  /** The note of the snapshot from which the detector was loaded; empty for a new detector. */
  get note(): Uint8Array {
    return this.#note;
  }

  /** Everything that decides the answers of the detector. */
  get settings(): PassageDetectorSettings {
    return this.#settings;
  }

  /**
   * Finds the passages of a text that were seen before, in earlier texts or in it, and adds its passages.
   * @throws FirstseenError E_RECORD for a text that is too long; E_KEY for one that is neither text nor bytes; E_FULL from a full exact
   * table, which then has the passages before the one that did not fit.
   */
  observe(text: string | Uint8Array): PassageAnswer {
    const answer = this.#find(text, this.#adding);
    this.#totals.texts++;
    this.#totals.passages += answer.passages;
    this.#totals.seen += answer.seen;
    return answer;
  }

  /**
   * `observe` over texts, of which the passages of all are added or of none.
   * @throws FirstseenError as `observe`
   * @internal
   */
  observeWhole(texts: readonly Uint8Array[]): PassageAnswer[] {
    // No passage has fewer bytes than one, except the last one of a text.
    const mostElements = texts.reduce((sum, text) => sum + text.length + 1, 0);
    const restore = this.#table.roomProblem(mostElements) && rememberDetector(this.#table);
    const totals = { ...this.#totals };
    try {
      return texts.map((text) => this.observe(text));
    } catch (error) {
      restore?.();
      Object.assign(this.#totals, totals);
      throw error;
    }
  }

  /** The answer without adding the passages. @throws FirstseenError E_RECORD and E_KEY as `observe`. */
  test(text: string | Uint8Array): PassageAnswer {
    return this.#find(text, this.#testing);
  }

  /**
   * Sets the time of the table, in milliseconds since 1970, as `Detector.advance` does.
   * @throws FirstseenError E_PARAMETER and E_USAGE as `Detector.advance`.
   */
  advance(timeMilliseconds: number): void {
    this.#table.advance(timeMilliseconds);
  }

  /** Returns the counts so far. */
  stats(): PassageTotals {
    return { ...this.#totals };
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
    this.#open();
    const job = savedPassages(this.#settings, this.#totals);
    return partsOfDetector(this.#table, encodeJobNote({ job, note }), {
      ...this.#table.settings,
      keyScheme: documentScheme,
    });
  }

  /** @internal */
  registers(): BigUint64Array {
    // A text whose passages were all seen need not change the table.
    return BigUint64Array.of(BigInt(this.#totals.texts), ...allRegisters(this.#table));
  }

  /** A short description for logs. */
  toJSON(): PassageDescription | ClosedDescription {
    const { by, table } = this.#settings;
    return describedOpen(() => {
      this.#open();
      return { by, table: table.family.name, memoryBytes: table.memoryBytes, ...this.stats() };
    });
  }

  /** Releases the memory. Later calls throw E_CLOSED. */
  close(): void {
    this.#finder = undefined;
    this.#table.close();
  }

  /** As `close`, for `using`. */
  [dispose](): void {
    this.close();
  }

  /** @throws FirstseenError E_CLOSED after the detector was closed. */
  #open(): PassageFinder {
    if (this.#finder === undefined) throw detectorClosed();
    return this.#finder;
  }

  #find(text: string | Uint8Array, lookUp: ElementLookUp): PassageAnswer {
    const finder = this.#open();
    const end = this.#text + this.#write(text);
    this.#table.keepTime();
    const { bytes } = kernelOf(this.#table);
    new Uint32Array(bytes.buffer, finder.regions.spans, 2).set([this.#text, end]);
    const { texts, failure } = finder.find(finder.regions.spans, 1, lookUp);
    if (failure) throw failure;
    const [answer] = texts;
    if (!answer) throw new Error('a text that was looked up has no answer');
    const { passages, seen: seenSpans, seenPassages, characters, seenCharacters } = answer;
    return {
      spans: seenSpans.map(({ start, end, share }) => ({ start, end, share })),
      rest: typeof text === 'string' && seenSpans.length === 0 ? text : this.#without(end, seenSpans),
      ...{ passages, characters, seenCharacters },
      seen: seenPassages,
    };
  }

  /** Copies a text into the kernel's memory; returns its bytes. */
  #write(text: string | Uint8Array): number {
    const { bytes } = kernelOf(this.#table);
    const region = bytes.subarray(this.#text, this.#text + MAX_TEXT_BYTES);
    if (typeof text === 'string') {
      const { read: readCharacters, written: writtenBytes } = encoder.encodeInto(text, region);
      if (readCharacters < text.length) throw tooLong(`${text.length} characters`);
      return writtenBytes;
    }
    if (!isBytes(text)) {
      throw new FirstseenError('E_KEY', `a text has the type ${typeof text}`, {
        ...{ given: text, expected: 'a string or bytes' },
        remedy: 'pass a string or bytes',
      });
    }
    checkAttached(text, 'a text', 'E_KEY');
    if (text.length > MAX_TEXT_BYTES) throw tooLong(formatCounted(text.length, 'byte'));
    region.set(text);
    return text.length;
  }

  /** The text in the kernel's memory up to `end`, without the passages that were seen. */
  #without(end: number, seen: readonly SeenPassage[]): string {
    const { bytes } = kernelOf(this.#table);
    let from = this.#text;
    let rest = '';
    for (const { startByte, endByte } of seen) {
      rest += decoder.decode(bytes.subarray(from, this.#text + startByte));
      from = this.#text + endByte;
    }
    return rest + decoder.decode(bytes.subarray(from, end));
  }
}
