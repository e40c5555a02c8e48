// Waits until the brokers have what a transaction has sent, or refuse it.

import { patiently } from './errors.js';
import { WRONG_STATE } from './membererrors.js';
import type { RdError } from './rdkafka.js';
import { ClientStuck } from './stuck.js';

/** Time after which a transaction that is not flushed is asked whether it has failed. */
export const FLUSH_MILLISECONDS = 500;

/**
 * Flushes what was sent. The client sends nothing more of a transaction that has failed, so a flush of the rest does not end.
 * @param flush waits for `FLUSH_MILLISECONDS`, and fails if something is left
 * @param pendingError asks the client why the transaction can only be aborted: it is in the wrong state for this question if it has not failed
 * @returns the error after which the transaction can only be aborted; the client gives it no flags
 * @throws FirstseenError E_KAFKA
 */
export function failureOfSent(
  flush: () => Promise<void>,
  pendingError: () => Promise<RdError | undefined>,
  lastTries: AbortSignal | undefined,
): Promise<RdError | undefined> {
  const ask = async () => {
    const unflushed = await problemOf(flush);
    const error = await pendingError();
    if (error?.code !== WRONG_STATE) return error;
    if (unflushed) throw unflushed;
    return undefined;
  };
  return patiently('the transaction cannot write', ask, { lastTries });
}

/** Returns the error of a flush, or of an abort. @throws ClientStuck */
export async function problemOf(call: () => Promise<void>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof ClientStuck) throw error;
    return error;
  }
}
