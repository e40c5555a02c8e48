// The scanner of the records in bodies: one for all requests. A request that goes on gets its bytes back.

import { openScanner, type Scanner } from '../../framing/scanner.js';
import { PushWindow } from '../../framing/window.js';
import { SCAN_KEYS_MAXIMUM } from '../../kernel/abi.js';
import { bytesBetween } from '../../kernel/bytes.js';
import { scratchBytesFor } from '../../records/settings.js';

/** Bytes of a body that are taken at a time. */
export const PIECE_BYTES = 2 ** 18;

/** The part of a body that is in the scanner, or is kept while another body is. */
export class BodyWindow extends PushWindow {
  readonly #scanner: Scanner;
  #kept: Uint8Array = new Uint8Array(0);

  constructor(scanner: Scanner) {
    super(scanner.kernel, scanner.input);
    this.#scanner = scanner;
  }

  /** Takes its bytes out of the scanner. */
  leave(): void {
    this.#kept = bytesBetween(this.#scanner.kernel, this.start, this.end).slice();
  }

  /** Brings them back. */
  enter(): void {
    this.start = this.#scanner.input;
    this.end = this.start;
    this.push(this.#kept);
    this.#kept = new Uint8Array(0);
  }
}

/** A user of the scanner: it enters it, and leaves it to another. */
export interface ScannerUser {
  enter(): void;
  leave(): void;
}

export class SharedScanner {
  readonly scanner: Scanner;
  /** The longest record. */
  readonly maxRecordBytes: number;
  #user: ScannerUser | undefined;

  private constructor(scanner: Scanner, maxRecordBytes: number) {
    this.scanner = scanner;
    this.maxRecordBytes = maxRecordBytes;
  }

  /** @throws FirstseenError E_MEMORY when the machine does not grant the memory */
  static async open(maxRecordBytes: number): Promise<SharedScanner> {
    const paths = Array.from({ length: SCAN_KEYS_MAXIMUM }, () => ['key']);
    const scratchBytes = scratchBytesFor({
      format: 'ndjson',
      fingerprint: 'xxh64',
      maxRecordBytes,
      paths,
    });
    const scanner = await openScanner({ maxRecordBytes, pieceBytes: PIECE_BYTES, scratchBytes });
    return new SharedScanner(scanner, maxRecordBytes);
  }

  /** Gives the scanner to a user, until another one takes it. */
  use(user: ScannerUser): void {
    if (this.#user === user) return;
    this.#user?.leave();
    this.#user = user;
    user.enter();
  }

  /** Takes the scanner from a user that has ended. */
  release(user: ScannerUser): void {
    if (this.#user === user) this.#user = undefined;
  }
}
