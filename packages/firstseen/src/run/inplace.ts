// A run whose output is its only input. The output is written beside the file and renamed to it at the end, so that a run that fails
// or is killed leaves the file as it was.

import { randomBytes } from 'node:crypto';
import { chown, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { outputError } from '../io/sink.js';
import type { InputRequest } from '../io/source.js';
import { identityOf, realPathOf } from '../io/system/identity.js';
import { STANDARD_STREAM, systemPath } from '../io/system/paths.js';
import type { SettledOptions } from './settled.js';
import type { RunStats } from './stats.js';

/** What shows that a file was written to. */
interface Version {
  ino: number;
  size: number;
  mtimeMs: number;
}

/** The bits of a mode that are permissions. */
const PERMISSIONS = 0o7777;

function refuse(option: 'state' | 'isFollowing', given: unknown, why: string): never {
  const output = optionName('output');
  throw new FirstseenError('E_USAGE', phrase`${output} is the input, and ${why}`, {
    ...{ option, given },
    remedy: phrase`leave ${optionName(option)} out, or name another ${output}`,
  });
}

/** @throws FirstseenError E_USAGE for options with which an input cannot be replaced. */
function checkReplaced({ state: { state, isReadOnly }, input: { isFollowing } }: SettledOptions): void {
  if (isFollowing) refuse('isFollowing', true, 'a file that is followed is not complete');
  if (state !== undefined && !isReadOnly) {
    refuse('state', state, 'a run with a state reads its input again to go on, but this one replaces it');
  }
}

export class InPlace {
  /** The options of the run that writes beside the input. */
  readonly options: SettledOptions;
  /** The file that is replaced, without symbolic links: a link stays one. */
  readonly #path: string;
  readonly #part: string;
  #before: Version | undefined;

  private constructor(options: SettledOptions, path: string) {
    this.#path = path;
    // The end of the name decides the format and the compression. Processes of two containers can have the same number.
    this.#part = join(dirname(path), `.firstseen-${randomBytes(6).toString('hex')}-${basename(path)}`);
    this.options = { ...options, output: { ...options.output, output: this.#part } };
  }

  /** Undefined unless the output is the only input. @throws FirstseenError E_USAGE as `checkReplaced` */
  static of(options: SettledOptions, inputs: readonly InputRequest[]): InPlace | undefined {
    const { output } = options.output;
    const [input] = inputs;
    if (output === undefined || inputs.length !== 1 || typeof input !== 'string' || input === STANDARD_STREAM) {
      return undefined;
    }
    // Of a device or a pipe, the identity is its name.
    const identity = identityOf(input);
    if (identity !== identityOf(output) || identity === input) return undefined;
    checkReplaced(options);
    return new InPlace(options, realPathOf(output));
  }

  /** Runs, and replaces the input by the output of a run that reached its end. */
  async around(run: () => Promise<RunStats>): Promise<RunStats> {
    try {
      await this.#create();
      const stats = await run();
      if (!stats.interrupted) await this.#replace();
      return stats;
    } finally {
      await rm(systemPath(this.#part), { force: true });
    }
  }

  /** Creates the output with the permissions and the owner of the input. */
  async #create(): Promise<void> {
    const part = systemPath(this.#part);
    try {
      const before = await stat(systemPath(this.#path));
      this.#before = before;
      const handle = await open(part, 'wx', 0o600);
      try {
        const { uid, gid } = await handle.stat();
        if (uid !== before.uid || gid !== before.gid) await chown(part, before.uid, before.gid);
        // A change of the owner takes permissions away.
        await handle.chmod(before.mode & PERMISSIONS);
      } finally {
        await handle.close();
      }
    } catch (cause) {
      throw outputError(this.#path, cause);
    }
  }

  /** @throws FirstseenError E_INPUT when something has written to the input since the run began. */
  async #replace(): Promise<void> {
    const part = systemPath(this.#part);
    const path = systemPath(this.#path);
    try {
      const handle = await open(part, 'r+');
      await handle.sync().finally(() => handle.close());
      const { ino, size, mtimeMs } = await stat(path);
      const { ino: inode, size: bytes, mtimeMs: changed } = this.#before as Version;
      if (ino !== inode || size !== bytes || mtimeMs !== changed) {
        throw new FirstseenError('E_INPUT', `${this.#path} changed while it was read, so it was not replaced`, {
          remedy: 'run the command again when nothing writes to it',
        });
      }
      await rename(part, path);
    } catch (cause) {
      throw cause instanceof FirstseenError ? cause : outputError(this.#path, cause);
    }
  }
}
