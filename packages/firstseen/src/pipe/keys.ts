// The keys of a frame: bytes with offsets, as Arrow has them, integers, or records. None of them becomes an object, except records.

import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import { MAX_KEY_BYTES } from '../detectors/host.js';
import { keysInSpans, type PlaceableKeys } from '../detectors/whole.js';
import { MAX_TEXT_BYTES } from '../near/detector.js';
import { frameError } from './frames.js';

/** The forms in which keys are sent. */
export const keyForms = {
  bytes: { number: 0, offsetBytes: 4, does: 'bytes, such as UTF-8: `count` + 1 offsets of 32 bits, and the bytes' },
  longBytes: { number: 1, offsetBytes: 8, does: 'the same with offsets of 64 bits' },
  integers: { number: 2, offsetBytes: 0, does: '`count` integers of 64 bits, from 0 to 2^64 - 1' },
  records: {
    number: 3,
    offsetBytes: 4,
    does: 'JSON objects, sent as form 0: the options of the detector name the key',
  },
  longRecords: { number: 4, offsetBytes: 8, does: 'the same with offsets of 64 bits' },
} as const;

type FormName = keyof typeof keyForms;

const nameOfForm: ReadonlyMap<number, FormName> = new Map(
  Object.entries(keyForms).map(([name, { number }]) => [number, name as FormName]),
);

const WORD_BYTES = 4;
const WORD = 2 ** 32;
const INTEGER_BYTES = 8;
/** Bytes before the offsets: the form and the count. */
const PREFIX_BYTES = 2 * WORD_BYTES;

/** Parts of a frame: part `i` is the bytes from `starts[i]` up to `ends[i]`. */
export interface FrameParts {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
}

/** The keys of a frame as they were sent. */
export type SentKeys =
  | { readonly form: 'parts'; readonly parts: FrameParts }
  | { readonly form: 'records'; readonly parts: FrameParts }
  | { readonly form: 'integers'; readonly bytes: Uint8Array; readonly count: number };

/** Memory for offsets, which is used again for each frame. */
export class OffsetRoom {
  #words = new Uint32Array(2 ** 15);

  /** Room for so many numbers of 32 bits. */
  take(words: number): Uint32Array {
    if (this.#words.length < words) this.#words = new Uint32Array(2 * words);
    return this.#words;
  }
}

/** The error for a body whose lengths contradict one another. */
function wrongLengths(problem: string): ReturnType<typeof frameError> {
  return frameError(`the keys of a frame ${problem}`);
}

/** Copies bytes to numbers, which have to begin at a multiple of their size. */
function copyBytes(bytes: Uint8Array, target: Uint32Array): void {
  new Uint8Array(target.buffer, target.byteOffset, bytes.length).set(bytes);
}

/** Makes offsets of 64 bits distances from the first one. A distance that is too large for the data becomes larger than it. */
function narrowOffsets(offsets: Uint32Array, count: number): void {
  const [low, high] = [offsets[0] as number, offsets[1] as number];
  for (let i = 0; i <= count; i++) {
    const distance = ((offsets[2 * i + 1] as number) - high) * WORD + (offsets[2 * i] as number) - low;
    offsets[i] = distance < 0 || distance >= WORD ? WORD - 1 : distance;
  }
}

/** The same for offsets of 32 bits. */
function shiftOffsets(offsets: Uint32Array, count: number): void {
  const base = offsets[0] as number;
  if (base === 0) return;
  for (let i = 0; i <= count; i++) offsets[i] = Math.max(-1, (offsets[i] as number) - base);
}

/** @throws FirstseenError E_FRAME unless the offsets rise from 0 to the end of the data */
function checkOffsets(offsets: Uint32Array, count: number, dataBytes: number): void {
  let before = 0;
  for (let i = 0; i <= count; i++) {
    const offset = offsets[i] as number;
    if (offset < before) throw wrongLengths(`have offset ${i} before offset ${i - 1}`);
    before = offset;
  }
  if (before === dataBytes) return;
  throw wrongLengths(`have ${formatCounted(dataBytes, 'byte')}, but the offsets say ${formatCounted(before, 'byte')}`);
}

function readParts(rest: Uint8Array, count: number, offsetBytes: 4 | 8, room: OffsetRoom): FrameParts {
  const offsetsEnd = (count + 1) * offsetBytes;
  if (offsetsEnd > rest.length) throw wrongLengths(`are ${count}, but end before their offsets do`);
  const offsets = room.take(offsetsEnd / WORD_BYTES);
  copyBytes(rest.subarray(0, offsetsEnd), offsets);
  if (offsetBytes === WORD_BYTES) shiftOffsets(offsets, count);
  else narrowOffsets(offsets, count);
  const bytes = rest.subarray(offsetsEnd);
  checkOffsets(offsets, count, bytes.length);
  return { bytes, starts: offsets.subarray(0, count), ends: offsets.subarray(1, count + 1), count };
}

/** Reads the keys of a body. @throws FirstseenError E_FRAME for a form that is not known, or lengths that contradict one another */
export function readKeys(body: Uint8Array, room: OffsetRoom): SentKeys {
  if (body.length < PREFIX_BYTES) throw wrongLengths('end before their count');
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const [form, count] = [view.getUint32(0, true), view.getUint32(WORD_BYTES, true)];
  const name = nameOfForm.get(form);
  if (name === undefined) throw frameError(`the keys of a frame have form ${form}, which is not known`);
  const rest = body.subarray(PREFIX_BYTES);
  const { offsetBytes } = keyForms[name];
  if (offsetBytes !== 0) {
    const parts = readParts(rest, count, offsetBytes, room);
    return name === 'bytes' || name === 'longBytes' ? { form: 'parts', parts } : { form: 'records', parts };
  }
  if (rest.length === count * INTEGER_BYTES) return { form: 'integers', bytes: rest, count };
  throw wrongLengths(`are ${count} integers in ${formatCounted(rest.length, 'byte')}`);
}

/** Reads texts or documents. @throws FirstseenError E_FRAME as `readKeys`, and for another form */
export function readTexts(body: Uint8Array, room: OffsetRoom): FrameParts {
  const sent = readKeys(body, room);
  if (sent.form === 'parts') return sent.parts;
  throw frameError('texts are sent as form 0 or 1');
}

/** The bytes of each part. */
export function partsIn({ bytes, starts, ends, count }: FrameParts): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => bytes.subarray(starts[i], ends[i]));
}

/** The integers in bytes. */
export function integersIn(bytes: Uint8Array): bigint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = bytes.length / INTEGER_BYTES;
  return Array.from({ length: count }, (_, i) => view.getBigUint64(i * INTEGER_BYTES, true));
}

/** The length of the longest part. */
function longestOf({ starts, ends, count }: FrameParts): number {
  let longest = 0;
  for (let i = 0; i < count; i++) longest = Math.max(longest, (ends[i] as number) - (starts[i] as number));
  return longest;
}

/** @throws FirstseenError E_RECORD for a text that is longer than the library takes */
export function checkTextLengths(parts: FrameParts, what: string): void {
  const longest = longestOf(parts);
  if (longest <= MAX_TEXT_BYTES) return;
  const [given, limit] = [longest, MAX_TEXT_BYTES].map((bytes) => formatCounted(bytes, 'byte'));
  throw new FirstseenError('E_RECORD', `${what} has ${given}, but the limit is ${limit}`, {
    remedy: 'cut it into parts',
  });
}

/** @throws FirstseenError E_KEY for a key that is longer than the library takes */
function checkKeyLengths(parts: FrameParts): void {
  const longest = longestOf(parts);
  if (longest <= MAX_KEY_BYTES) return;
  const [given, limit] = [longest, MAX_KEY_BYTES].map((bytes) => formatCounted(bytes, 'byte'));
  throw new FirstseenError('E_KEY', `a key has ${given}, but the limit is ${limit}`, { remedy: 'hash the key first' });
}

/** Keys that are hashed where they are, in parts of a frame. @throws FirstseenError E_KEY for one that is too long */
export function keysOfParts(parts: FrameParts): PlaceableKeys {
  checkKeyLengths(parts);
  return keysInSpans(parts);
}
