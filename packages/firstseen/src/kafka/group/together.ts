// Runs the parts of a worker side by side: when one ends with an error, the others end too.

/** @throws the first error of a part */
export async function runTogether(
  parts: readonly { run(signal: AbortSignal): Promise<void> }[],
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  await Promise.allSettled(
    parts.map(async (part) => {
      try {
        await part.run(either);
      } catch (error) {
        failed.abort({ error });
      }
    }),
  );
  if (failed.signal.aborted) throw (failed.signal.reason as { error: unknown }).error;
}
