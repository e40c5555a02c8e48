// Counts the bytes that are copied and searched by the methods of buffers and arrays, in place of a clock.

type Method = (...given: unknown[]) => unknown;

/** Replaces a method of a prototype while a function runs. */
function replaced(prototype: object, name: string, counting: (own: Method) => Method, run: () => void): void {
  const before = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
  Object.defineProperty(prototype, name, { ...before, value: counting(before.value) });
  try {
    run();
  } finally {
    Object.defineProperty(prototype, name, before);
  }
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** The bytes that `run` copies and searches. */
export function countedWork(run: () => void): number {
  let bytes = 0;
  const counted =
    (bytesOf: (own: Buffer, given: readonly unknown[], result: unknown) => number) =>
    (own: Method): Method =>
      function count(this: Buffer, ...given: unknown[]) {
        const result = Reflect.apply(own, this, given);
        bytes += bytesOf(this, given, result);
        return result;
      };
  const copying = counted((_, __, copied) => copied as number);
  const moving = counted(
    ({ BYTES_PER_ELEMENT, length }, [, start, end]) =>
      ((end as number | undefined) ?? length) * BYTES_PER_ELEMENT - (start as number) * BYTES_PER_ELEMENT,
  );
  const setting = counted(({ BYTES_PER_ELEMENT }, [from]) => (from as Uint8Array).length * BYTES_PER_ELEMENT);
  const searching = counted(
    ({ length }, [, from], found) => (found === -1 ? length : (found as number)) - (from as number),
  );
  replaced(Buffer.prototype, 'copy', copying, () =>
    replaced(typedArray, 'copyWithin', moving, () =>
      replaced(typedArray, 'set', setting, () => replaced(Buffer.prototype, 'indexOf', searching, run)),
    ),
  );
  return bytes;
}
