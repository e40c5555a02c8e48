// Changes that wait for new snapshots, because the log is as long as it may be: tells an administrator when they have waited for a while, and
// when they go on.

import { formatCounted } from '../../base/count.js';
import { Urgency } from '../../io/system/priority.js';
import { longFlag } from '../../options/longflag.js';
import { logLimitBytes } from '../../options/serve.js';

/** Time for which changes wait before it is told. */
const TOLD_MILLISECONDS = 5000;
/** The least time between two waits that are told: on a slow machine there is one for each of the snapshots. */
const PERIOD_MILLISECONDS = 60_000;

const REMEDY = `give a larger ${longFlag(logLimitBytes)}, or the machine more processor time or a faster disk`;

export class SnapshotWaits {
  readonly #onMessage: (message: string) => void;
  #since: number | undefined;
  readonly #urgency = new Urgency();
  #endedMilliseconds = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isTold = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(onMessage: (message: string) => void) {
    this.#onMessage = onMessage;
  }

  /** All the time in which changes waited so far. */
  get seconds(): number {
    return (this.#endedMilliseconds + this.#milliseconds) / 1000;
  }

  /** The time for which changes wait now, once that is long; otherwise undefined. */
  get longSeconds(): number | undefined {
    const milliseconds = this.#milliseconds;
    return milliseconds < TOLD_MILLISECONDS ? undefined : milliseconds / 1000;
  }

  get #milliseconds(): number {
    return this.#since === undefined ? 0 : performance.now() - this.#since;
  }

  /**
   * Tells if changes wait, will or have waited of late: the process that writes snapshots must not leave the processor to others.
   * @param multiple the size of the log, as a multiple of its limit
   */
  areUrgent(multiple: number): boolean {
    if (this.#since !== undefined) this.#urgency.note();
    return this.#urgency.isUrgent(multiple);
  }

  /** Notes that a change waits. */
  begin(): void {
    if (this.#since !== undefined) return;
    const now = performance.now();
    this.#since = now;
    const milliseconds = Math.max(TOLD_MILLISECONDS, this.#toldAt + PERIOD_MILLISECONDS - now);
    this.#timer = setTimeout(() => this.#tell(), milliseconds).unref();
  }

  /** Notes that changes no longer wait. */
  end(): void {
    if (this.#since === undefined) return;
    this.close();
    this.#endedMilliseconds += this.#milliseconds;
    this.#since = undefined;
    this.#urgency.note();
    if (this.#isTold) this.#onMessage('new snapshots were written: changes no longer wait');
    this.#isTold = false;
  }

  /** Tells nothing more of the wait in progress. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #tell(): void {
    [this.#isTold, this.#toldAt] = [true, performance.now()];
    const time = formatCounted(Math.floor(this.#milliseconds / 1000), 'second');
    this.#onMessage(
      `changes have waited for new snapshots for ${time}, because the log is at twice its limit; ${REMEDY}`,
    );
  }
}
