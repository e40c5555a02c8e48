// The options of a journal.

import type { FirstseenError } from '../../base/errors.js';
import type { Checksum } from '../../snapshot/frame.js';
import type { LogProblems } from './logproblems.js';

/** The event that a reply waits for: that its changes are on the disk, or that the system has them, which syncs them within a second. */
export type LogDurability = 'always' | 'interval';

export interface JournalOptions {
  folder: string;
  durability: LogDurability;
  checksum: Checksum;
  /** The number of the last block that was written before. */
  lastBlock: number;
  /** The sequence of the first log that is written. */
  sequence: number;
  /** Bytes of the logs before it that no snapshot has. */
  earlierBytes: number;
  /** @throws FirstseenError E_STATE_FILE when the folder is gone, or another process has taken it */
  checkLock: () => void;
  /** Told when the log cannot be written, or has too little space, and when it can be written again. */
  problems: LogProblems;
  /** Called once when the log was removed: no change is made any more. */
  onGone: (error: FirstseenError) => void;
  /** Called when the disk does not keep what it was given, or the folder is not ours. Nothing can be acknowledged any more. */
  onLoss: (error: unknown) => void;
}
