// Looks now and then whether the folder of a log is still ours, and whether the log is in it.

import type { FirstseenError } from '../../base/errors.js';
import type { JournalOptions } from './journaloptions.js';
import type { LogFile } from './logfile.js';

/** Time between two looks: shorter than the time after which another process may take the lock. */
const LOOK_MILLISECONDS = 1000;

export class LogLook {
  readonly #options: Pick<JournalOptions, 'folder' | 'checkLock'>;
  #lookedAt = Date.now();
  /** The error for a log that was removed. What it had is in memory only, so no other log can go on from it. */
  gone: FirstseenError | undefined;
  /** Why the last look at the log failed. No change is made until one succeeds: it may be gone. */
  unreadable: unknown;

  constructor(options: Pick<JournalOptions, 'folder' | 'checkLock'>) {
    this.#options = options;
  }

  /** True if the last look was a moment ago. */
  get isRecent(): boolean {
    return Math.abs(Date.now() - this.#lookedAt) < LOOK_MILLISECONDS;
  }

  /** @throws FirstseenError when the folder is not ours any more: it may have been moved away, or taken while this process was stopped */
  checkFolder(): void {
    this.#lookedAt = Date.now();
    this.#options.checkLock();
  }

  /** Looks at the log. @returns true if it can be read and could not before, or the other way round */
  look(log: LogFile, remedy: string): boolean {
    if (this.gone) return false;
    const wasReadable = this.unreadable === undefined;
    this.unreadable = undefined;
    try {
      this.gone = log.problemIn(this.#options.folder, remedy);
    } catch (error) {
      this.unreadable = error;
    }
    return wasReadable !== (this.unreadable === undefined);
  }
}
