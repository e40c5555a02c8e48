// Keys that are parts of one buffer, such as a chunk that a server has read. A run of the buffer that has many keys is copied into the
// memory of the kernel at once, and no object is made for a key.

import { copyPart, isBytes, isDetached, isOffsets, isWords, overlap } from '../base/bytes.js';
import { checkWhole } from '../base/check.js';
import { FirstseenError, invalidOption } from '../base/errors.js';
import type { Kernel } from '../kernel/kernel.js';
import type { PlacedElements } from './batches.js';
import { MAX_KEY_BYTES } from './host.js';
import { ROOM_BYTES } from './keybatch.js';
import { checkKeyVerdicts } from './refusals.js';

/** Bytes between two keys that are copied with them: to begin another copy takes longer. */
const MAX_GAP_BYTES = 1024;

const decoder = new TextDecoder();

/** Keys in a buffer: key `i` is the bytes from `starts[i]` up to `ends[i]`. */
export interface GivenSpans {
  bytes: Uint8Array;
  starts: Uint32Array;
  ends: Uint32Array;
  count: number;
}

/** The arrays that get the answers. */
export interface SpanAnswers {
  verdicts?: Uint8Array | undefined;
  fingerprints?: BigUint64Array | undefined;
}

/** The arrays that get the answers, when they were checked. */
export type CheckedAnswers = SpanAnswers & { verdicts: Uint8Array };

/** A key as text, for an error. */
export function textOfSpan({ bytes, starts, ends }: GivenSpans, index: number): string {
  return decoder.decode(bytes.slice(starts[index], ends[index]));
}

function checkInputs({ bytes, starts, ends, count }: GivenSpans): void {
  if (!isBytes(bytes)) throw invalidOption({ option: 'bytes', given: bytes, expected: 'a Uint8Array' });
  for (const [option, given] of [
    ['starts', starts],
    ['ends', ends],
  ] as const) {
    if (!isOffsets(given)) throw invalidOption({ option, given, expected: 'a Uint32Array' });
  }
  checkWhole('count', count, { least: 0, most: Math.min(starts.length, ends.length) });
}

function checkFingerprintRoom(fingerprints: unknown, count: number): void {
  if (isWords(fingerprints) && fingerprints.length >= count) return;
  throw invalidOption({
    ...{ option: 'fingerprints', given: fingerprints },
    expected: `a BigUint64Array of at least ${count} elements`,
  });
}

/**
 * Tells if an array that is written shares memory with one that is read. To ask an array for its buffer takes longer than to copy a key,
 * so it is done once for each.
 */
function isShared(written: ArrayBufferView, read: readonly ArrayBufferView[], memory: ArrayBufferLike): boolean {
  return written.buffer === memory || read.some((array) => overlap(written, array));
}

/**
 * The arrays for the answers: those that were given, or new verdicts.
 * @param memory the memory of the detector
 * @throws FirstseenError E_PARAMETER when an array has another type, is detached, too short or in the memory of the detector, or one that
 * is written overlaps another.
 */
export function checkSpans(spans: GivenSpans, targets: SpanAnswers, memory: Uint8Array): CheckedAnswers {
  checkInputs(spans);
  const { bytes, starts, ends, count } = spans;
  const { verdicts = new Uint8Array(count), fingerprints } = targets;
  checkKeyVerdicts(verdicts, count, memory);
  if (fingerprints !== undefined) checkFingerprintRoom(fingerprints, count);
  const answers = { verdicts, fingerprints };
  const inputs = [bytes, starts, ends];
  const isInside = inputs.some(({ buffer }) => buffer === memory.buffer);
  const isOverlapping =
    isShared(verdicts, inputs, memory.buffer) ||
    (fingerprints !== undefined && isShared(fingerprints, [...inputs, verdicts], memory.buffer));
  if (!isInside && !isOverlapping && !(count > 0 && isDetached(bytes))) return answers;
  throw new FirstseenError(
    'E_PARAMETER',
    'arrays of spans overlap, are detached or are in the memory of the detector',
    {
      remedy: 'pass arrays with memory of their own',
    },
  );
}

function outsideError(index: number, start: number, end: number, length: number): FirstseenError {
  return new FirstseenError('E_PARAMETER', `span ${index} is from ${start} to ${end}`, {
    ...{ option: 'ends', given: end },
    expected: `a start, and an end that is not before it, from 0 to ${length}`,
    remedy: 'give the offset of the first byte of each key, and the offset after its last byte',
  });
}

function longError(index: number, bytes: number): FirstseenError {
  return new FirstseenError('E_KEY', `the key ${index} has ${bytes} bytes, but the limit is ${MAX_KEY_BYTES}`, {
    remedy: 'hash the key first',
  });
}

/** Writes the keys from an index on to the region of keys, as many as there is room for: one at least, unless it is refused. */
export function writeSpans(kernel: Kernel, { bytes, starts, ends, count }: GivenSpans, from: number): PlacedElements {
  const { bytes: memory, recordStarts, recordEnds, regionOffset, batchCapacity } = kernel;
  const limit = regionOffset + ROOM_BYTES;
  const most = Math.min(count - from, batchCapacity);
  const { length } = bytes;
  // The run that is not copied yet, and where it is copied to.
  let [runStart, runEnd, target] = [0, 0, regionOffset];
  let [placedKeys, error] = [0, undefined as unknown];
  for (; placedKeys < most; placedKeys++) {
    const start = starts[from + placedKeys] as number;
    const end = ends[from + placedKeys] as number;
    if (start > end || end > length) error = outsideError(from + placedKeys, start, end, length);
    else if (end - start > MAX_KEY_BYTES) error = longError(from + placedKeys, end - start);
    if (error !== undefined) break;
    const isApart = start < runStart || start > runEnd + MAX_GAP_BYTES;
    const begin = isApart ? target + runEnd - runStart - start : target - runStart;
    // The first key may be longer than what several keys share.
    if (placedKeys > 0 && begin + end > limit && (isApart || end > runEnd)) break;
    if (placedKeys === 0 || isApart) {
      target += copyPart(bytes, runStart, runEnd, memory, target);
      [runStart, runEnd] = [start, end];
    } else if (end > runEnd) runEnd = end;
    recordStarts[placedKeys] = target + start - runStart;
    recordEnds[placedKeys] = target + end - runStart;
  }
  copyPart(bytes, runStart, runEnd, memory, target);
  return { count: placedKeys, error };
}
