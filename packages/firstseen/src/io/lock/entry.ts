// The entry of a run in the folder of a lock: a folder with a file that its holder renews, and one that says who that is.

import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemPath } from '../system/paths.js';
import { type ProcessIdentity, parseIdentity } from './processes.js';

/** Ends the names of entries that were taken away and not yet removed. */
export const REMOVED = '.removed';
/** Ends the names of entries that do not name their holder yet. A run that is killed while it makes its entry leaves one. */
export const UNFINISHED = '.new';
/** Errors of the system that say that an entry is gone; ESTALE on network file systems. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ESTALE']);

export function lockPath(state: string): string {
  return `${state}.lock`;
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Calls a function; false if it fails because a file or folder is gone. */
function unlessGone(use: () => void): boolean {
  try {
    use();
    return true;
  } catch (error) {
    if (GONE.has(codeOf(error))) return false;
    throw error;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(systemPath(path), 'utf8');
  } catch {
    return '';
  }
}

/** The stage of a run's entry: the run wants the lock, or holds it. */
export type Stage = 'wants' | 'holds';

/** The entry of a run in the folder of a lock. */
export class Entry {
  readonly token: string;
  readonly path: string;
  readonly #state: string;
  #creations = 0;

  constructor(state: string, token: string) {
    this.#state = state;
    this.token = token;
    this.path = join(lockPath(state), token);
  }

  /** The file that its holder renews: its stage and a count. */
  get #renewed(): string {
    return join(this.path, 'renewed');
  }

  get #holder(): string {
    return join(this.path, 'owner.json');
  }

  /** The file in which its holder writes the next state. */
  get part(): string {
    return join(this.path, 'state.part');
  }

  /**
   * Makes the entry whole under another name, and gives it its own name last: every entry names its holder, whenever a
   * run is killed.
   * @returns false if it was removed meanwhile, or the folder of the lock was
   */
  create(holder: ProcessIdentity): boolean {
    // Another name for each try: a run that removes an earlier one may not have finished.
    const unfinished = new Entry(this.#state, `${this.token}.${this.#creations++}${UNFINISHED}`);
    try {
      return unlessGone(() => {
        mkdirSync(systemPath(unfinished.path), { mode: 0o700 });
        writeFileSync(systemPath(unfinished.#renewed), '', { mode: 0o600 });
        const written = { ...holder, inode: unfinished.#inode };
        writeFileSync(systemPath(unfinished.#holder), JSON.stringify(written), { mode: 0o600 });
        renameSync(systemPath(unfinished.path), systemPath(this.path));
      });
    } catch (error) {
      removeLeftover(unfinished.path);
      throw error;
    }
  }

  /** Renews the entry; returns false if it was taken away. Opening the file asks the server, where looking at the folder would ask a cache. */
  renew(stage: Stage, count: number): boolean {
    return unlessGone(() => {
      const file = openSync(systemPath(this.#renewed), 'r+');
      try {
        writeSync(file, `${stage} ${count}\n`, 0);
      } finally {
        closeSync(file);
      }
    });
  }

  /** Returns the process that made the entry; undefined if the file that names it is damaged. */
  holder(): ProcessIdentity | undefined {
    return parseIdentity(readText(this.#holder));
  }

  /** The number of its folder, as the file system has it. */
  get #inode(): string {
    return String(statSync(systemPath(this.path), { bigint: true }).ino);
  }

  /** Tells whether the entry seems to be a copy, as in the copy of a folder that a run uses. Some file systems give other numbers after a while. */
  isCopy(): boolean {
    try {
      const { inode } = JSON.parse(readText(this.#holder)) as { inode?: unknown };
      return inode !== undefined && inode !== this.#inode;
    } catch {
      return false;
    }
  }

  /** Differs after each renewal. */
  content(): string {
    return readText(this.#renewed);
  }

  /** Takes the entry away. Nothing happens if it is gone. */
  remove(): void {
    const removed = `${this.path}${REMOVED}`;
    if (unlessGone(() => renameSync(systemPath(this.path), systemPath(removed)))) removeLeftover(removed);
  }
}

/** Removes what another run may be removing as well. */
export function removeLeftover(path: string): void {
  try {
    rmSync(systemPath(path), { recursive: true, force: true });
  } catch {
    // The next run removes it.
  }
}
