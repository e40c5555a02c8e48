// Frames: what both sides write, one after another (docs/PIPE.md). All numbers are little-endian.

import { formatCount } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';

/** The version of the protocol. A change that a parent of an earlier version does not understand has the next number. */
export const PROTOCOL_VERSION = 1;

/** Bytes before the body of a frame: its length, kind, request and detector. */
export const HEADER_BYTES = 16;
const [KIND_AT, RESERVED_AT, REQUEST_AT, DETECTOR_AT] = [4, 6, 8, 12];

/** Bytes of the longest body that is read. */
export const MAX_BODY_BYTES = 2 ** 26;
/** Bytes for which there is room at the start; a longer frame makes room for itself. */
const FIRST_BYTES = 2 ** 20;
/** Bytes for which there is always room, so that one call reads what a pipe holds. */
const MIN_ROOM_BYTES = 2 ** 16;

/** The numbers of a frame that its answer has too. */
export interface FrameHeader {
  readonly kind: number;
  /** The number of the request. */
  readonly request: number;
  /** The number of the detector. */
  readonly detector: number;
}

/** A frame that was read. Its body is valid until the next room is asked for. */
export interface Frame extends FrameHeader {
  readonly body: Uint8Array;
}

/** The error for bytes that are not frames of this protocol. */
export function frameError(problem: string): FirstseenError {
  return new FirstseenError('E_FRAME', problem, { remedy: 'write frames as docs/PIPE.md says' });
}

/** Memory for a frame, whose body is to be filled. */
export function emptyFrame(bodyBytes: number): { frame: Uint8Array; body: Uint8Array } {
  const frame = new Uint8Array(HEADER_BYTES + bodyBytes);
  return { frame, body: frame.subarray(HEADER_BYTES) };
}

/** Writes the header of a frame. */
export function writeHeader(frame: Uint8Array, { kind, request, detector }: FrameHeader): void {
  const view = new DataView(frame.buffer, frame.byteOffset, HEADER_BYTES);
  view.setUint32(0, frame.length - HEADER_BYTES, true);
  view.setUint16(KIND_AT, kind, true);
  view.setUint16(RESERVED_AT, 0, true);
  view.setUint32(REQUEST_AT, request, true);
  view.setUint32(DETECTOR_AT, detector, true);
}

/** Bytes that were read, in one buffer that is used again: frames are found in it, and what is cut is joined once. */
export class FrameBuffer {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #start = 0;
  #end = 0;

  /** The header of a frame that is not whole yet; undefined if not even its header is. */
  get partial(): FrameHeader | undefined {
    return this.#end - this.#start < HEADER_BYTES ? undefined : this.#header;
  }

  /** Bytes that belong to a frame that is not whole. */
  get partialBytes(): number {
    return this.#end - this.#start;
  }

  /** Returns the memory for the bytes that are read next. The frames so far are no longer valid. */
  room(): Uint8Array {
    if (this.#start === this.#end) [this.#start, this.#end] = [0, 0];
    const needed = Math.min(this.#frameBytes, HEADER_BYTES + MAX_BODY_BYTES);
    const isShort = this.#bytes.length - this.#end < MIN_ROOM_BYTES;
    if (this.#start + needed > this.#bytes.length || isShort) this.#move(Math.max(needed, MIN_ROOM_BYTES * 2));
    return this.#bytes.subarray(this.#end);
  }

  /** Notes that bytes were read into the room. */
  filled(bytes: number): void {
    this.#end += bytes;
  }

  /** Takes the next whole frame. @throws FirstseenError E_FRAME for a frame that is too long, after which nothing can be found */
  next(): Frame | undefined {
    const { partial } = this;
    if (partial === undefined) return undefined;
    const bodyBytes = this.#frameBytes - HEADER_BYTES;
    if (bodyBytes > MAX_BODY_BYTES) {
      const limit = formatCount(MAX_BODY_BYTES);
      throw frameError(`a frame has a body of ${formatCount(bodyBytes)} bytes, but the limit is ${limit}`);
    }
    const bodyStart = this.#start + HEADER_BYTES;
    const bodyEnd = bodyStart + bodyBytes;
    if (bodyEnd > this.#end) return undefined;
    this.#start = bodyEnd;
    return { ...partial, body: this.#bytes.subarray(bodyStart, bodyEnd) };
  }

  get #header(): FrameHeader {
    const [view, at] = [this.#view, this.#start];
    return {
      // What is reserved makes the kind one that is not known.
      kind: view.getUint32(at + KIND_AT, true),
      request: view.getUint32(at + REQUEST_AT, true),
      detector: view.getUint32(at + DETECTOR_AT, true),
    };
  }

  /** Bytes of the first frame, as far as they are known. */
  get #frameBytes(): number {
    if (this.#end - this.#start < HEADER_BYTES) return HEADER_BYTES;
    return HEADER_BYTES + this.#view.getUint32(this.#start, true);
  }

  /** Moves what is there to the front, of a larger buffer if it has no room for so many bytes. */
  #move(bytes: number): void {
    const partial = this.#bytes.subarray(this.#start, this.#end);
    if (bytes > this.#bytes.length) {
      this.#bytes = new Uint8Array(Math.max(bytes + MIN_ROOM_BYTES, 2 * this.#bytes.length));
      this.#view = new DataView(this.#bytes.buffer);
    }
    this.#bytes.set(partial);
    [this.#start, this.#end] = [0, partial.length];
  }
}
