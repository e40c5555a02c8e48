// A file that is read on as it grows, as `tail -F` does. It ends when log rotation has put another file in its place, or has
// emptied it.

import { type FileHandle, stat } from 'node:fs/promises';
import { FirstseenError, optionName, phrase } from '../../errors.js';
import { digestEdges } from '../edges.js';
import { systemPath } from '../paths.js';
import { byteOffsetOf, type InputReader, type LookOptions, type Source } from './contract.js';
import { fileSourceKind, openSame } from './file.js';
import { inputError } from './reader.js';
import { inodeOf } from './rotation.js';

/** Time between two looks at a file that does not grow. */
const POLL_MILLISECONDS = 250;

/** Looks without growth before a file that has been renamed is left: its writer may not have opened the new one yet. */
const QUIET_LOOKS = 4;

/** A wait that can be ended early. */
class Pause {
  #end = (): void => undefined;

  async wait(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      timer = setTimeout(resolve, POLL_MILLISECONDS);
    });
    clearTimeout(timer);
  }

  end(): void {
    this.#end();
  }
}

/** Inspects the file that is at the path of an input now; undefined if there is none. */
type LookAgain = () => Promise<Source | undefined>;

class FollowingReader implements InputReader {
  readonly #file: FileHandle;
  readonly #source: Source;
  readonly #lookAgain: LookAgain;
  readonly #pause = new Pause();
  #position: number;
  /** Of what has been read, when the end of the file was reached. */
  #digest: string | undefined;
  #isClosed = false;
  /** The input that has taken the place of this one. */
  successor: Source | undefined;

  constructor(file: FileHandle, position: number, source: Source, lookAgain: LookAgain) {
    this.#file = file;
    this.#position = position;
    this.#source = source;
    this.#lookAgain = lookAgain;
  }

  async read(target: Uint8Array): Promise<number> {
    try {
      return await this.#readOn(target);
    } catch (cause) {
      throw inputError(this.#source.name, cause);
    }
  }

  async #readOn(target: Uint8Array): Promise<number> {
    for (let quietLooks = 0; !this.#isClosed; ) {
      if (await this.#isRewritten()) {
        this.successor = await this.#lookAgain();
        if (this.successor) return 0;
      } else {
        const { bytesRead } = await this.#file.read(target, 0, target.length, this.#position);
        this.#position += bytesRead;
        if (bytesRead > 0) return bytesRead;
        if ((await this.#isReplaced()) && ++quietLooks > QUIET_LOOKS) {
          this.successor = await this.#lookAgain();
          if (this.successor) return 0;
        }
        this.#digest ??= await digestEdges(this.#file, this.#position);
      }
      if (!this.#isClosed) await this.#pause.wait();
    }
    return 0;
  }

  /** Whether the file was emptied after its end had been reached, and possibly written to again. */
  async #isRewritten(): Promise<boolean> {
    if (this.#digest === undefined) return false;
    const { size } = await this.#file.stat();
    if (size === this.#position) return false;
    const isSame = size > this.#position && (await digestEdges(this.#file, this.#position)) === this.#digest;
    if (isSame) this.#digest = undefined;
    return !isSame;
  }

  /** Whether another file has its name. */
  async #isReplaced(): Promise<boolean> {
    const found = await stat(systemPath(this.#source.name), { bigint: true }).catch(() => undefined);
    return found !== undefined && inodeOf(found) !== this.#source.note.inode;
  }

  storedBytes(): number {
    return this.#position;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pause.end();
    await this.#file.close();
  }
}

/**
 * The file as an input that ends only at log rotation.
 * @throws FirstseenError E_USAGE for an input that is not a file, or compressed.
 */
export function followed(source: Source, options: LookOptions): Source {
  const { name, note } = source;
  if (note.inode === undefined || note.isCompressed) {
    const kind = note.isCompressed ? 'compressed' : 'not a file';
    const FOLLOW = optionName('isFollowing');
    throw new FirstseenError('E_USAGE', phrase`${FOLLOW} was given, but the last input, ${name}, is ${kind}`, {
      option: 'isFollowing',
      remedy: phrase`leave ${FOLLOW} out, or name a file that grows last`,
    });
  }
  const lookAgain: LookAgain = async () => {
    const found = await fileSourceKind.look(name, options).catch(() => undefined);
    return found && !found.note.isCompressed ? followed(found, options) : undefined;
  };
  let reader: FollowingReader | undefined;
  return {
    ...source,
    // Its end is that of a file to which nothing is appended any more.
    mayGrow: false,
    async open(position) {
      const file = await openSame(note).catch((cause) => {
        throw inputError(name, cause);
      });
      reader = new FollowingReader(file, byteOffsetOf(position), source, lookAgain);
      return reader;
    },
    successor: () => reader?.successor,
  };
}
