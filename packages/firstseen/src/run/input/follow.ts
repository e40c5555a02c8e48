// A file that is read on as it grows, as `tail -F` does. It ends when log rotation has put another file in its place, or has
// emptied it.

import { type FileHandle, stat } from 'node:fs/promises';
import { FirstseenError, optionName, phrase } from '../../errors.js';
import { U64_RECORD_BYTES } from '../../kernel/abi.js';
import { systemPath } from '../paths.js';
import {
  byteOffsetOf,
  type InputNote,
  type InputReader,
  InputReplaced,
  type LookOptions,
  type RotatedFile,
  type Source,
  type Successor,
} from './contract.js';
import { fileSourceKind, isFileOf, openSame } from './file.js';
import { ReadEdges } from './readedges.js';
import { inputError } from './reader.js';
import { inodeOf } from './rotation.js';

/** Time between two looks at a file that does not grow. */
const POLL_MILLISECONDS = 250;

/** Looks without growth before a file that has been renamed is left: its writer may not have opened the new one yet. */
const QUIET_LOOKS = 4;

/** The same of a file whose last record is unfinished. After that, it counts as whole. */
const UNFINISHED_LOOKS = 40;

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

/** Finds the input that follows one in its log; undefined if there is none yet. */
type FindSuccessor = (read: InputNote, isRewritten: boolean) => Promise<Successor | undefined>;

interface FollowingParts {
  file: FileHandle;
  position: number;
  source: Source;
  isBinary: boolean;
  findSuccessor: FindSuccessor;
}

class FollowingReader implements InputReader {
  readonly #parts: FollowingParts;
  readonly #pause = new Pause();
  readonly #edges = new ReadEdges();
  #position: number;
  #isClosed = false;
  #wasRewritten = false;
  /** The input that has taken the place of this one. */
  successor: Successor | undefined;

  private constructor(parts: FollowingParts) {
    this.#parts = parts;
    this.#position = parts.position;
  }

  /** @throws InputReplaced when the file has been emptied since it was opened */
  static async open(parts: FollowingParts): Promise<FollowingReader> {
    const { file, position, source } = parts;
    const reader = new FollowingReader(parts);
    await reader.#edges.take(file, position);
    if (await isFileOf(source.note, file)) return reader;
    await file.close();
    throw new InputReplaced(source.name);
  }

  get isContinued(): boolean {
    return this.successor?.follows === 'copy';
  }

  async read(target: Uint8Array): Promise<number> {
    try {
      return await this.#readOn(target);
    } catch (cause) {
      throw inputError(this.#parts.source.name, cause);
    }
  }

  async #readOn(target: Uint8Array): Promise<number> {
    const { file } = this.#parts;
    for (let quietLooks = 0; !this.#isClosed; ) {
      const { bytesRead } = await file.read(target, 0, target.length, this.#position);
      // If the file was emptied before this check, the bytes may be of its new content.
      if (await this.isRewritten()) {
        if (await this.#findSuccessor(true)) return 0;
      } else if (bytesRead > 0) {
        this.#edges.add(target.subarray(0, bytesRead));
        this.#position += bytesRead;
        return bytesRead;
      } else if (await this.#isReplaced()) {
        const mostLooks = this.#endsRecord ? QUIET_LOOKS : UNFINISHED_LOOKS;
        if (++quietLooks > mostLooks && (await this.#findSuccessor(false))) return 0;
      }
      if (!this.#isClosed) await this.#pause.wait();
    }
    return 0;
  }

  async #findSuccessor(isRewritten: boolean): Promise<boolean> {
    const { source, findSuccessor } = this.#parts;
    const read = { ...source.note, storedBytes: this.#position, digest: this.#edges.digest };
    this.successor = await findSuccessor(read, isRewritten);
    return this.successor !== undefined;
  }

  get #endsRecord(): boolean {
    return this.#parts.isBinary ? this.#position % U64_RECORD_BYTES === 0 : this.#edges.endsLine;
  }

  /** Whether the file was emptied, and possibly written to again. */
  async isRewritten(): Promise<boolean> {
    if (!this.#isClosed) this.#wasRewritten = !(await this.#edges.areOf(this.#parts.file, this.#position));
    return this.#wasRewritten;
  }

  /** Whether another file has its name. */
  async #isReplaced(): Promise<boolean> {
    const { source } = this.#parts;
    const found = await stat(systemPath(source.name), { bigint: true }).catch(() => undefined);
    return found !== undefined && inodeOf(found) !== source.note.inode;
  }

  storedBytes(): number {
    return this.#position;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pause.end();
    await this.#parts.file.close();
  }
}

/** The rotated file that has what was read of a log: the same file, or a copy of it; -1 if there is none. */
async function indexOfRead(files: readonly RotatedFile[], read: InputNote): Promise<number> {
  const renamed = files.findIndex(({ inode }) => inode === read.inode);
  if (renamed >= 0 || read.storedBytes === 0) return renamed;
  for (const [i, file] of [...files.entries()].reverse()) {
    const { inode: _inode, ...known } = read;
    if ((await (await file.look())?.compare(known)) !== 'other') return i;
  }
  return -1;
}

/** Sources that are read one after another, and then the last one. */
function chained(files: readonly Source[], last: Source): Source {
  return files.reduceRight<Source>((next, file) => {
    return { ...file, mayGrow: false, successor: () => ({ source: next, follows: 'next' }) };
  }, last);
}

async function findSuccessor(
  { source, options }: { source: Source; options: LookOptions },
  read: InputNote,
  isRewritten: boolean,
): Promise<Successor | undefined> {
  const log = await fileSourceKind.look(source.name, options).catch(() => undefined);
  if (!log || log.note.isCompressed) return undefined;
  const files = (await source.rotated?.(new Set(read.inode === undefined ? [] : [read.inode]))) ?? [];
  const index = await indexOfRead(files, read);
  const follows = !isRewritten ? 'next' : index < 0 ? 'rewritten' : 'copy';
  const unread = index < 0 ? [] : files.slice(follows === 'copy' ? index : index + 1);
  const found = (await Promise.all(unread.map((file) => file.look()))).filter((file) => file !== undefined);
  return { source: chained(found, followed(log, options)), follows };
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
  const parts = {
    ...{ source, isBinary: options.isBinary },
    findSuccessor: (read: InputNote, isRewritten: boolean) => findSuccessor({ source, options }, read, isRewritten),
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
      reader = await FollowingReader.open({ ...parts, file, position: byteOffsetOf(position) });
      return reader;
    },
    async noteAt(offset) {
      const found = await source.noteAt(offset);
      // The digest of a file that was emptied meanwhile is not that of what was read.
      return (await reader?.isRewritten()) ? { ...found, digest: '' } : found;
    },
    successor: () => reader?.successor,
  };
}
