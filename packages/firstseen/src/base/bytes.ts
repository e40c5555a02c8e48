// Arrays of bytes and of 64-bit numbers that a program gives. They may come from another realm, such as an iframe or a context of
// `node:vm`, whose classes are others than those of this one. Their memory may be shared: what is read of it is copied first.

type TypedArrayTag = 'Uint8Array' | 'BigUint64Array';

function hasTag(value: unknown, tag: TypedArrayTag): boolean {
  return ArrayBuffer.isView(value) && (value as Partial<Uint8Array>)[Symbol.toStringTag] === tag;
}

/** Whether a value is a Uint8Array of any realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || hasTag(value, 'Uint8Array');
}

/** Whether a value is a BigUint64Array of any realm. */
export function isWords(value: unknown): value is BigUint64Array {
  return value instanceof BigUint64Array || hasTag(value, 'BigUint64Array');
}

/** Whether the memory of an array was transferred. Such an array has the length 0. */
export function isDetached({ buffer, byteLength }: ArrayBufferView): boolean {
  if (byteLength > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

/** Whether two arrays have a byte of memory in common. */
export function overlap(one: ArrayBufferView, other: ArrayBufferView): boolean {
  const isBefore = (first: ArrayBufferView, second: ArrayBufferView) =>
    first.byteOffset + first.byteLength <= second.byteOffset;
  return one.buffer === other.buffer && !isBefore(one, other) && !isBefore(other, one);
}
