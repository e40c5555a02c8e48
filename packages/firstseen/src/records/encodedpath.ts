// Encodes a path for the kernel, which assembly/scan/settings.ts describes.

import { SEGMENT_EVERY, SEGMENT_INDEX, SEGMENT_KEY } from '../kernel/abi.js';
import { EVERY_ITEM, type KeyPath } from './keypath.js';

/** The kind of a segment, and its length or index. */
function kindOf(segment: Uint8Array | number): [kind: number, value: number] {
  if (typeof segment !== 'number') return [SEGMENT_KEY, segment.length];
  return segment === EVERY_ITEM ? [SEGMENT_EVERY, 0] : [SEGMENT_INDEX, segment];
}

/** The words of a path: the number of segments, then for each its kind, its length or index, and the key's bytes padded to words. */
export function encodePath(path: KeyPath): Uint8Array {
  const encoder = new TextEncoder();
  const segments = path.map((segment) => (typeof segment === 'number' ? segment : encoder.encode(segment)));
  const bytes = segments.reduce<number>(
    (sum, segment) => sum + 8 + (typeof segment === 'number' ? 0 : padded(segment.length)),
    4,
  );
  const encoded = new Uint8Array(bytes);
  const view = new DataView(encoded.buffer);
  view.setUint32(0, path.length, true);
  let at = 4;
  for (const segment of segments) {
    const isIndex = typeof segment === 'number';
    const [kind, value] = kindOf(segment);
    view.setUint32(at, kind, true);
    view.setUint32(at + 4, value, true);
    at += 8;
    if (isIndex) continue;
    encoded.set(segment, at);
    at += padded(segment.length);
  }
  return encoded;
}

/** Bytes in whole words. */
export function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
