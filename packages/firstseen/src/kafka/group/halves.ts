// The halves of a worker with `--repartition`. Each is a member of a group: the second half of the one that is given as an option, and the
// first half of a group that is named after it.

const ENDING = '-repartition';

/** Returns the group of the first half. */
export function repartitionGroup(group: string): string {
  return `${group}${ENDING}`;
}

/** Returns the group to give as an option, for the group of a first half. */
export function groupOfHalf(group: string): string {
  return group.endsWith(ENDING) ? group.slice(0, -ENDING.length) : group;
}

/**
 * Runs the parts of a worker side by side: when one ends with an error, the others end too.
 * @throws the first error of a part
 */
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
