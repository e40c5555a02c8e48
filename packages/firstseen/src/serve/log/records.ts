// The records of the log: what changed the detectors of a store. Everything is little-endian.
//
//   0  u32  kind                      16  f64  time in milliseconds since 1970, of a window in time
//   4  u32  number of the detector    24  note: the id of a request, or JSON, filled with NUL to a multiple of 8
//   8  u32  elements                      fingerprints: u64 each
//  12  u32  bytes of the note             snapshot of an empty detector, if it was created; that of one that was sent is in a file

import { FirstseenError } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import {
  type AnyChange,
  type Change,
  type ChangeKind,
  changes,
  kindNumbered,
  type LogRecord,
  type RecordedEntry,
  type Recorder,
} from '../store/changes.js';
import { MAX_RECORD_BYTES } from './blocks.js';

const HEAD_BYTES = 24;
const FIRST_BYTES = 2 ** 16;
/** A buffer that is not larger is kept. */
const KEPT_BYTES = 2 ** 20;
/** Records of more bytes are written as several blocks. */
const PART_BYTES = 2 ** 24;

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

const NOTHING = new Uint8Array(0);

/** Bytes with what fills them to a multiple of 8. */
function wholeWords(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** @throws FirstseenError E_MEMORY for a record that no reader takes: that of the snapshot of a large detector. */
function checkBytes(bytes: number): void {
  const most = MAX_RECORD_BYTES - PART_BYTES;
  if (bytes <= most) return;
  const problem = `a record of ${formatBytes(bytes)} cannot be logged: the limit is ${formatBytes(most)}`;
  throw new FirstseenError('E_MEMORY', problem, { remedy: 'give a smaller snapshot' });
}

/** Gathers records until they are written. */
export class RecordBuffer implements Recorder {
  #bytes = Buffer.alloc(FIRST_BYTES);
  #length = 0;
  /** The offset at which the records begin that are not written yet. */
  #from = 0;
  /** The offsets at which the parts after the first one begin. */
  readonly #starts: number[] = [];
  /** True if the record that was added last is in one block with the next one. */
  #isWithNext = false;

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

  record<Kind extends ChangeKind>(kind: Kind, entry: RecordedEntry, ...change: Change<Kind>): void {
    const row = changes[kind] as unknown as AnyChange;
    const { elements = 0, timeMilliseconds = 0, note = NOTHING, body = NOTHING } = row.write(entry, ...change);
    const noteEnd = HEAD_BYTES + wholeWords(note.length);
    const bytes = noteEnd + wholeWords(body.length);
    checkBytes(bytes);
    const isLarge = this.#length + bytes - (this.#starts.at(-1) ?? this.#from) > PART_BYTES;
    if (isLarge && this.length > 0 && !this.#isWithNext) this.#starts.push(this.#length);
    this.#isWithNext = row.isWithNext === true;
    this.#reserve(bytes);
    const [target, at] = [this.#bytes, this.#length];
    target.fill(0, at, at + bytes);
    target.writeUInt32LE(row.code, at);
    target.writeUInt32LE(entry.number, at + 4);
    target.writeUInt32LE(elements, at + 8);
    target.writeUInt32LE(note.length, at + 12);
    target.writeDoubleLE(timeMilliseconds, at + 16);
    target.set(note, at + HEAD_BYTES);
    target.set(body, at + noteEnd);
    this.#length += bytes;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#length + bytes, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function unknownKind(code: number): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `the log has a record of kind ${code}, which this version does not know`, {
    remedy: 'use the version of firstseen that wrote it, or a later one',
  });
}

/** The records in a part of the log that was written as a whole. @throws FirstseenError E_STATE_FILE for a kind that is not known */
export function* recordsIn(bytes: Buffer): Generator<LogRecord> {
  for (let at = 0; at < bytes.length; ) {
    const kind = kindNumbered(bytes.readUInt32LE(at));
    if (kind === undefined) throw unknownKind(bytes.readUInt32LE(at));
    const detector = bytes.readUInt32LE(at + 4);
    const elements = bytes.readUInt32LE(at + 8);
    const noteBytes = bytes.readUInt32LE(at + 12);
    const timeMilliseconds = bytes.readDoubleLE(at + 16);
    const note = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + noteBytes);
    at += HEAD_BYTES + wholeWords(noteBytes);
    const take = (length: number) => {
      const body = new Uint8Array(bytes.subarray(at, at + length));
      at += wholeWords(length);
      return body;
    };
    const { read } = changes[kind] as unknown as AnyChange;
    yield { kind, detector, ...read({ elements, timeMilliseconds, note, take }) } as LogRecord;
  }
}
