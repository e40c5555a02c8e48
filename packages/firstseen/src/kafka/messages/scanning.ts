// Finds keys in JSON by the scanner of the kernel, many records at a time. What it does not find at once is left to `keyFinder`.

import { KeyHasher } from '../../detectors/keyhasher.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import type { GivenSpans } from '../../detectors/spans.js';
import { keyedScan } from '../../framing/keyedscan.js';
import { hashAs, openScanner, type Scanner } from '../../framing/scanner.js';
import { BATCH_CAPACITY } from '../../kernel/abi.js';
import { recordClasses } from '../../records/classes.js';
import { NEWLINE } from '../../records/formats.js';
import { keyPoliciesOf } from '../../records/policies.js';
import { configureScan, type ScanSettings, scratchBytesFor } from '../../records/settings.js';
import type { KeyOptions } from './keys.js';

/** Longer texts are left out. */
const MAX_TEXT_BYTES = 2 ** 16;
/** Bytes of texts that are scanned at a time. */
const PIECE_BYTES = 2 ** 20;

/** A text that may have a key; null if there is none. */
export type Text = Uint8Array | null;

/** The result of a scan. */
export interface Scanned {
  /** The fingerprint of the key of each text, where one was found. */
  fingerprints: BigUint64Array;
  /** 1 for each text whose key was found. */
  isFound: Uint8Array;
}

/** Tells if a text is scanned: one that is a line by itself, and is not long. It does not depend on other texts. */
function isScanned(text: Text): text is Uint8Array {
  return text !== null && text.length > 0 && text.length <= MAX_TEXT_BYTES && !text.includes(NEWLINE);
}

export class KeyScanner {
  readonly #scanner: Scanner;
  readonly #keys: KeyOptions;
  /** The texts that are in the scanner: their numbers, and where each begins. */
  readonly #numbers = new Uint32Array(BATCH_CAPACITY);
  readonly #starts = new Uint32Array(BATCH_CAPACITY);

  private constructor(scanner: Scanner, keys: KeyOptions) {
    this.#scanner = scanner;
    this.#keys = keys;
  }

  /** @throws FirstseenError E_MEMORY when the machine does not grant the memory */
  static async open(keys: KeyOptions): Promise<KeyScanner> {
    return new KeyScanner(await openKeyScanner(keys, PIECE_BYTES), keys);
  }

  /** The fingerprints of the keys in texts, for a detector with these settings. */
  scan(texts: readonly Text[], settings: DetectorSettings): Scanned {
    const { kernel, input } = this.#scanner;
    configure(this.#scanner, this.#keys, settings);
    const scanned: Scanned = { fingerprints: new BigUint64Array(texts.length), isFound: new Uint8Array(texts.length) };
    let [count, end] = [0, input];
    for (const [number, text] of texts.entries()) {
      if (!isScanned(text)) continue;
      if (count === BATCH_CAPACITY || end + text.length + 1 - input > PIECE_BYTES) {
        this.#scanTexts(count, end, scanned);
        [count, end] = [0, input];
      }
      this.#numbers[count] = number;
      this.#starts[count++] = end;
      kernel.bytes.set(text, end);
      end += text.length;
      kernel.bytes[end++] = NEWLINE;
    }
    this.#scanTexts(count, end, scanned);
    return scanned;
  }

  /** The fingerprints of parts of a buffer, for a detector with these settings. */
  hash(spans: GivenSpans, settings: DetectorSettings): BigUint64Array {
    const { kernel } = this.#scanner;
    hashAs(this.#scanner, settings);
    const hasher = new KeyHasher(kernel, settings.fingerprint);
    const fingerprints = new BigUint64Array(spans.count);
    for (let from = 0; from < spans.count; ) {
      const { count, error } = hasher.hashSpans(spans, from);
      if (error !== undefined) throw error;
      fingerprints.set(kernel.fingerprints.subarray(0, count), from);
      from += count;
    }
    return fingerprints;
  }

  /** Scans what is in the scanner. A text that is not one record with a key is not found. */
  #scanTexts(count: number, end: number, { fingerprints, isFound }: Scanned): void {
    const { kernel, input } = this.#scanner;
    let text = 0;
    for (let at = input; at < end; at = kernel.exports.scanPosition() >>> 0) {
      const framed = kernel.exports.scan(at, end, 1);
      if (framed === 0) return;
      for (let i = 0; i < framed; i++) {
        const start = kernel.recordStarts[i] as number;
        while (text < count && (this.#starts[text] as number) < start) text++;
        const isWhole = this.#starts[text] === start && this.#endOf(text, count, end) === kernel.recordEnds[i];
        if (!isWhole || kernel.recordClasses[i] !== recordClasses.KEYED.code) continue;
        const number = this.#numbers[text] as number;
        isFound[number] = 1;
        fingerprints[number] = kernel.fingerprints[i] as bigint;
      }
    }
  }

  #endOf(text: number, count: number, end: number): number {
    return text + 1 < count ? (this.#starts[text + 1] as number) : end;
  }
}

function settingsFor(
  { format, keys, ...policies }: KeyOptions,
  fingerprint: ScanSettings['fingerprint'],
): ScanSettings {
  const { emptyKey, nullKey } = keyPoliciesOf(policies);
  return keyedScan({
    ...{ format, fingerprint, maxRecordBytes: MAX_TEXT_BYTES, keys },
    ...{ rules: { emptyKey, nullKey }, dialect: undefined, equality: undefined, types: undefined },
  } as Parameters<typeof keyedScan>[0]);
}

/**
 * Opens a scanner that finds keys in texts of so many bytes at a time. A longer record than `MAX_TEXT_BYTES` is left to `keyFinder`.
 * @throws FirstseenError E_MEMORY when the machine does not grant the memory
 */
export function openKeyScanner(keys: KeyOptions, pieceBytes: number): Promise<Scanner> {
  const scratchBytes = scratchBytesFor(settingsFor(keys, 'xxh64'));
  return openScanner({ maxRecordBytes: MAX_TEXT_BYTES, pieceBytes, scratchBytes });
}

/** Makes a scanner find keys for a detector with these settings. */
export function configure(scanner: Scanner, keys: KeyOptions, settings: DetectorSettings): void {
  hashAs(scanner, settings);
  configureScan(scanner.kernel, settingsFor(keys, settings.fingerprint), scanner.scratch);
}
