// Arrays of bytes and of numbers that a program gives. They may come from another realm, such as an iframe or a context of
// `node:vm`, whose classes are others than those of this one. Their memory may be shared: what is read of it is copied first.

type TypedArrayTag = 'Uint8Array' | 'Uint32Array' | 'BigUint64Array';

function hasTag(value: ArrayBufferView, tag: TypedArrayTag): boolean {
  return (value as Partial<Uint8Array>)[Symbol.toStringTag] === tag;
}

/** Tells if a value is a Uint8Array of any realm. A proxy of one is not: nothing can be read of it. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && (value instanceof Uint8Array || hasTag(value, 'Uint8Array'));
}

/** Tells if a value is a BigUint64Array of any realm, and not a proxy. */
export function isWords(value: unknown): value is BigUint64Array {
  return ArrayBuffer.isView(value) && (value instanceof BigUint64Array || hasTag(value, 'BigUint64Array'));
}

/** Tells if a value is a Uint32Array of any realm, and not a proxy. */
export function isOffsets(value: unknown): value is Uint32Array {
  return ArrayBuffer.isView(value) && (value instanceof Uint32Array || hasTag(value, 'Uint32Array'));
}

/** The type of a value that is not an array of bytes, for an error. */
export function typeText(value: unknown): string {
  return value instanceof Uint8Array ? 'object, which is a proxy of bytes and not the bytes' : typeof value;
}

/** Bytes in memory: a buffer, or the part of one that a view shows. */
export type BytesSource = ArrayBufferLike | ArrayBufferView;

/** Tells if a value with the tag of a buffer is a proxy of one. An array over a buffer shares it, and one over a proxy has a new one. */
function isProxyOfBuffer(value: ArrayBufferLike): boolean {
  try {
    return new Uint8Array(value).buffer !== value;
  } catch {
    // The buffer was transferred.
    return false;
  }
}

/** Tells if a value is a buffer or a view of one, of any realm, and not a proxy. */
export function isBytesSource(value: unknown): value is BytesSource {
  if (ArrayBuffer.isView(value)) return true;
  const tag = (value as { [Symbol.toStringTag]?: unknown } | null | undefined)?.[Symbol.toStringTag];
  return (tag === 'ArrayBuffer' || tag === 'SharedArrayBuffer') && !isProxyOfBuffer(value as ArrayBufferLike);
}

/** The bytes of a buffer or a view, as an array whose `slice` copies: that of a Node buffer does not. @throws TypeError when the buffer was transferred, unless it is seen through an array of bytes. */
export function bytesIn(source: BytesSource): Uint8Array {
  if (isBytes(source) && source.constructor === Uint8Array) return source;
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return new Uint8Array(source);
}

/** Tells if the memory of an array was transferred. Such an array has the length 0. */
export function isDetached(array: ArrayBufferView): boolean {
  // An array that is asked for its buffer may have to move its elements there first.
  if (array.byteLength > 0) return false;
  try {
    new Uint8Array(array.buffer);
    return false;
  } catch {
    return true;
  }
}

/** Tells if two arrays have a byte of memory in common. */
export function overlap(one: ArrayBufferView, other: ArrayBufferView): boolean {
  const isBefore = (first: ArrayBufferView, second: ArrayBufferView) =>
    first.byteOffset + first.byteLength <= second.byteOffset;
  const isEmpty = one.byteLength === 0 || other.byteLength === 0;
  return one.buffer === other.buffer && !isEmpty && !isBefore(one, other) && !isBefore(other, one);
}

/** The number of bytes up to which copying one by one takes less time than making a view. */
const FEW_BYTES = 64;

/** Copies a part of an array into another one. @returns the number of bytes */
export function copyPart(bytes: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number {
  const length = end - start;
  if (length > FEW_BYTES) target.set(bytes.subarray(start, end), at);
  else for (let i = 0; i < length; i++) target[at + i] = bytes[start + i] as number;
  return length;
}
