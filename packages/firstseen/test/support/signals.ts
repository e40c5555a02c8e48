/** A signal that reports an abort after it was read the given number of times. */
export function stopAfter(asked: number): AbortSignal {
  let left = asked;
  const signal = {
    get aborted() {
      return left-- <= 0;
    },
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  return signal as unknown as AbortSignal;
}
