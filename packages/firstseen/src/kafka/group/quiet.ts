// Partitions to which nothing comes, while others may have records all the time.

/** Without records for this time, a partition goes on to its end. Sooner, each mark of a transaction would cost a pointer. */
const QUIET_MILLISECONDS = 60_000;

/**
 * Tells if what is before the end of a partition that was read to its end, such as marks of transactions, has to be committed. The retention
 * removes it, and an offset before it would seem to lack records.
 * @param hasRecords whether another partition had records in this step
 * @param readAt when this partition had records last
 */
export function goesToEnd(hasRecords: boolean, readAt: number): boolean {
  return !hasRecords || Date.now() - readAt >= QUIET_MILLISECONDS;
}
