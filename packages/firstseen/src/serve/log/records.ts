// The records of the log: what changed the detectors of a store. Everything is little-endian.
//
//   0  u32  kind                      16  f64  time in milliseconds since 1970, of a window in time
//   4  u32  number of the detector    24  note: the id of a request, or JSON, filled with NUL to a multiple of 8
//   8  u32  elements                      fingerprints: u64 each
//  12  u32  bytes of the note             snapshot of an empty detector, if it was created; that of one that was sent is in a file

import { FirstseenError } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import type { HeldClaim } from '../../claims/held.js';
import type { RecordedEntry } from '../store/recorder.js';
import { type DetectorRequest, writableRequest } from '../store/request.js';
import { MAX_RECORD_BYTES } from './blocks.js';

const HEAD_BYTES = 24;
const FIRST_BYTES = 2 ** 16;
/** A buffer that is not larger is kept. */
const KEPT_BYTES = 2 ** 20;
/** Records of more bytes are written as several blocks. */
const PART_BYTES = 2 ** 24;

const CREATED = 1;
const DROPPED = 2;
const CLEARED = 3;
const OBSERVED = 4;
const HELD = 5;
const RELEASED = 6;
const IMPORTED = 7;

/** The note of a new detector, besides its snapshot. */
export interface CreatedNote {
  name: string;
  request: DetectorRequest;
  memoryBytes: number;
  snapshotBytes: number;
}

export type LogRecord =
  | ({ kind: 'created'; detector: number; snapshot: Uint8Array } & Omit<CreatedNote, 'snapshotBytes'>)
  | ({ kind: 'imported'; detector: number } & Omit<CreatedNote, 'snapshotBytes'>)
  | { kind: 'dropped' | 'cleared'; detector: number }
  | { kind: 'held'; detector: number; claim: HeldClaim }
  | { kind: 'released'; detector: number; fingerprint: bigint }
  | {
      kind: 'observed';
      detector: number;
      fingerprints: BigUint64Array;
      timeMilliseconds: number;
      id: string | undefined;
    };

const ELEMENT_BYTES = 8;
/** The most bytes of a record besides its elements and texts. */
const MAX_RECORD_HEAD_BYTES = 256;
/** The most bytes of the description and the snapshot of a new detector. */
const MAX_CREATED_BYTES = 4096;
/** The most bytes of a character of a text in JSON. */
const JSON_CHARACTER_BYTES = 6;

/** The parts of a change that is not made yet, at most. */
export interface ChangeSize {
  records: number;
  elements: number;
  /** Bytes of ids and tokens. */
  textBytes: number;
}

/** The most bytes of the records of a change. */
export function maxLoggedBytes({ records, elements, textBytes }: ChangeSize): number {
  const headBytes = MAX_RECORD_HEAD_BYTES * records + MAX_CREATED_BYTES;
  return ELEMENT_BYTES * elements + JSON_CHARACTER_BYTES * textBytes + headBytes;
}

/** Bytes with what fills them to a multiple of 8. */
function wholeWords(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** Returns the note of a detector, as JSON. */
function noteOf({ name, request, memoryBytes }: RecordedEntry, snapshotBytes: number): Buffer {
  const note: CreatedNote = { name, request: writableRequest(request), memoryBytes, snapshotBytes };
  return Buffer.from(JSON.stringify(note, (_key, value) => (typeof value === 'bigint' ? String(value) : value)));
}

interface Head {
  kind: number;
  detector: number;
  elements?: number;
  timeMilliseconds?: number;
  note?: Uint8Array;
}

/** @throws FirstseenError E_MEMORY for a record that no reader takes: that of the snapshot of a large detector. */
function checkBytes(bytes: number): void {
  const most = MAX_RECORD_BYTES - PART_BYTES;
  if (bytes <= most) return;
  const problem = `a record of ${formatBytes(bytes)} cannot be logged: the limit is ${formatBytes(most)}`;
  throw new FirstseenError('E_MEMORY', problem, { remedy: 'give a smaller snapshot' });
}

/** Gathers records until they are written. */
export class RecordBuffer {
  #bytes = Buffer.alloc(FIRST_BYTES);
  #length = 0;
  /** The offset at which the records begin that are not written yet. */
  #from = 0;
  /** The offsets at which the parts after the first one begin. */
  readonly #starts: number[] = [];
  #latest: Head['kind'] | undefined;

  /** Bytes of the records that are not written yet. */
  get length(): number {
    return this.#length - this.#from;
  }

  /** Records for one block: the first ones. They are there until the next record is added. */
  get part(): Buffer {
    return this.#bytes.subarray(this.#from, this.#starts[0] ?? this.#length);
  }

  /** Forgets the records of the first part. */
  dropPart(): void {
    this.#from = this.#starts.shift() ?? this.#length;
    if (this.#from === this.#length) this.#clear();
  }

  #clear(): void {
    this.#length = 0;
    this.#from = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.alloc(FIRST_BYTES);
  }

  created(entry: RecordedEntry, snapshot: Uint8Array): void {
    this.#add({ kind: CREATED, detector: entry.number, note: noteOf(entry, snapshot.length) }, snapshot);
  }

  imported(entry: RecordedEntry): void {
    this.#add({ kind: IMPORTED, detector: entry.number, note: noteOf(entry, 0) });
  }

  dropped({ number }: RecordedEntry): void {
    this.#add({ kind: DROPPED, detector: number });
  }

  cleared({ number }: RecordedEntry): void {
    this.#add({ kind: CLEARED, detector: number });
  }

  observed({ number, timeMilliseconds }: RecordedEntry, fingerprints: BigUint64Array, id = ''): void {
    const { buffer, byteOffset, byteLength, length: elements } = fingerprints;
    const head = { kind: OBSERVED, detector: number, elements, timeMilliseconds, note: Buffer.from(id, 'latin1') };
    this.#add(head, new Uint8Array(buffer, byteOffset, byteLength));
  }

  held({ number }: RecordedEntry, { fingerprint, token, leaseMilliseconds, expiresAtMilliseconds }: HeldClaim): void {
    const note = Buffer.from(JSON.stringify({ token, leaseMilliseconds }));
    const head = { kind: HELD, detector: number, elements: 1, timeMilliseconds: expiresAtMilliseconds, note };
    this.#add(head, new Uint8Array(BigUint64Array.of(fingerprint).buffer));
  }

  released({ number }: RecordedEntry, fingerprint: bigint): void {
    const head = { kind: RELEASED, detector: number, elements: 1 };
    this.#add(head, new Uint8Array(BigUint64Array.of(fingerprint).buffer));
  }

  #add(
    { kind, detector, elements = 0, timeMilliseconds = 0, note = new Uint8Array(0) }: Head,
    body?: Uint8Array,
  ): void {
    const noteEnd = HEAD_BYTES + wholeWords(note.length);
    const bytes = noteEnd + wholeWords(body?.length ?? 0);
    checkBytes(bytes);
    const isLarge = this.#length + bytes - (this.#starts.at(-1) ?? this.#from) > PART_BYTES;
    // A key that a commit releases is in one block with the element, so that it is never free in between.
    if (isLarge && this.length > 0 && this.#latest !== RELEASED) this.#starts.push(this.#length);
    this.#latest = kind;
    this.#reserve(bytes);
    const [target, at] = [this.#bytes, this.#length];
    target.fill(0, at, at + bytes);
    target.writeUInt32LE(kind, at);
    target.writeUInt32LE(detector, at + 4);
    target.writeUInt32LE(elements, at + 8);
    target.writeUInt32LE(note.length, at + 12);
    target.writeDoubleLE(timeMilliseconds, at + 16);
    target.set(note, at + HEAD_BYTES);
    if (body) target.set(body, at + noteEnd);
    this.#length += bytes;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#length + bytes, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Numbers of 64 bits as they are in a buffer, copied so that they are where such numbers may be. */
function wordsIn(bytes: Buffer, from: number, count: number): BigUint64Array {
  return new BigUint64Array(new Uint8Array(bytes.subarray(from, from + 8 * count)).buffer);
}

/** The records in a part of the log that was written as a whole. */
export function* recordsIn(bytes: Buffer): Generator<LogRecord> {
  for (let at = 0; at < bytes.length; ) {
    const [kind, detector, elements, noteBytes] = [0, 4, 8, 12].map((offset) => bytes.readUInt32LE(at + offset)) as [
      number,
      number,
      number,
      number,
    ];
    const timeMilliseconds = bytes.readDoubleLE(at + 16);
    const note = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + noteBytes);
    at += HEAD_BYTES + wholeWords(noteBytes);
    if (kind === CREATED) {
      const { snapshotBytes, ...created } = JSON.parse(note.toString()) as CreatedNote;
      yield { kind: 'created', detector, ...created, snapshot: new Uint8Array(bytes.subarray(at, at + snapshotBytes)) };
      at += wholeWords(snapshotBytes);
    } else if (kind === IMPORTED) {
      const { name, request, memoryBytes } = JSON.parse(note.toString()) as CreatedNote;
      yield { kind: 'imported', detector, name, request, memoryBytes };
    } else if (kind === OBSERVED) {
      const id = noteBytes === 0 ? undefined : note.toString('latin1');
      yield { kind: 'observed', detector, fingerprints: wordsIn(bytes, at, elements), timeMilliseconds, id };
      at += 8 * elements;
    } else if (kind === HELD || kind === RELEASED) {
      const [fingerprint] = wordsIn(bytes, at, 1) as unknown as [bigint];
      at += 8;
      if (kind === RELEASED) yield { kind: 'released', detector, fingerprint };
      else {
        const { token, leaseMilliseconds } = JSON.parse(note.toString()) as Omit<HeldClaim, 'fingerprint'>;
        const claim = { fingerprint, token, leaseMilliseconds, expiresAtMilliseconds: timeMilliseconds };
        yield { kind: 'held', detector, claim };
      }
    } else yield { kind: kind === DROPPED ? 'dropped' : 'cleared', detector };
  }
}
