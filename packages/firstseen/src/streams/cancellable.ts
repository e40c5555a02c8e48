// A transform stream that notices at any time when its reader cancels. If the last item was already written, the platform does not
// tell the transformer, and waits until the pending items have left.

/**
 * Replaces the readable side of a stream by one that gives up what is pending when its reader cancels.
 * @param close gives up what is pending; may be called more than once
 */
export function cancellable<In, Out>(
  stream: TransformStream<In, Out>,
  close: () => Promise<void> | undefined,
): TransformStream<In, Out> {
  const reader = stream.readable.getReader();
  const source: UnderlyingDefaultSource<Out> = {
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await close();
      await reader.cancel(reason);
    },
  };
  // The stream inside holds what its reader has not taken.
  const readable = new ReadableStream<Out>(source, { highWaterMark: 0 });
  return Object.defineProperty(stream, 'readable', { value: readable });
}
