// A file that is read on as it grows, as `tail -F` does. Its reader ends when log rotation has put another file in its place, has
// emptied it, or has changed the files around it. Then the run finds out what is to be read, as it does at its start.

import { type FileHandle, stat } from 'node:fs/promises';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { U64_RECORD_BYTES } from '../../kernel/abi.js';
import { inodeOf } from '../log/rotation.js';
import {
  byteOffsetOf,
  type FileNote,
  type InputMark,
  type InputReader,
  InputReplaced,
  type LookOptions,
  type RotatedFile,
  type Source,
} from '../source.js';
import { EDGE_BYTES } from '../system/edges.js';
import { inputError } from '../system/inputerror.js';
import { systemPath } from '../system/paths.js';
import { fileSourceKind } from './file.js';
import { isFileOf, markUpTo, openSame } from './filenote.js';
import { ReadEdges } from './readedges.js';

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

/** Up to this length, a new file may begin with the same bytes, as with a header. */
const ALIKE_BYTES = EDGE_BYTES;

interface FollowingParts {
  file: FileHandle;
  edges: ReadEdges;
  source: Source;
  note: FileNote;
  isBinary: boolean;
  /** The rotated files of the log when it was looked at, in words. */
  around: string;
}

/** The rotated files of a log in words, which change when one of them does. */
async function wordsAround(source: Source): Promise<string> {
  const words = ({ path, inode, storedBytes, modifiedMilliseconds }: RotatedFile) =>
    JSON.stringify([path, inode, storedBytes, modifiedMilliseconds]);
  return ((await source.rotated?.()) ?? []).map(words).sort().join('\n');
}

class FollowingReader implements InputReader {
  readonly #edges: ReadEdges;
  /** True if it has ended because the log was rotated. */
  isRotated = false;
  isContinued = false;
  readonly #parts: FollowingParts;
  readonly #pause = new Pause();
  #isClosed = false;
  /** True if it has waited since it last looked around. */
  #hasWaited = true;

  private constructor(parts: FollowingParts) {
    this.#parts = parts;
    this.#edges = parts.edges;
  }

  /** @throws InputReplaced when the file has been emptied since it was opened */
  static async open(parts: Omit<FollowingParts, 'edges'>, position: number): Promise<FollowingReader> {
    const { file, source, note } = parts;
    const edges = await ReadEdges.of(file, position);
    if (await isFileOf(note, file)) return new FollowingReader({ ...parts, edges });
    await file.close();
    throw new InputReplaced(source.name);
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
      const { bytesRead } = await file.read(target, 0, target.length, this.#edges.position);
      const comparison = await this.#fileAtName();
      // If the file was emptied before these checks, the bytes may be of its new content.
      if (await this.#edges.wasRewritten()) {
        const hasCopy = comparison === 'none' ? undefined : await this.#hasCopy();
        if (hasCopy !== undefined) return this.#end(hasCopy);
      } else if (comparison === 'same' && (await this.#isChangedAround())) {
        return this.#end(true);
      } else if (bytesRead > 0) {
        this.#edges.add(target.subarray(0, bytesRead));
        return bytesRead;
      } else if (comparison === 'other' && ++quietLooks > this.#maxQuietLooks) {
        return this.#end(false);
      }
      if (!this.#isClosed) await this.#pause.wait();
      this.#hasWaited = true;
    }
    return 0;
  }

  #end(isContinued: boolean): number {
    this.isRotated = true;
    this.isContinued = isContinued;
    return 0;
  }

  get #maxQuietLooks(): number {
    const { isBinary } = this.#parts;
    const endsRecord = isBinary ? this.#edges.position % U64_RECORD_BYTES === 0 : this.#edges.endsLine;
    return endsRecord ? QUIET_LOOKS : UNFINISHED_LOOKS;
  }

  /** Tells which file has the name of the log. */
  async #fileAtName(): Promise<'same' | 'other' | 'none'> {
    const { source, note } = this.#parts;
    const found = await stat(systemPath(source.name), { bigint: true }).catch(() => undefined);
    if (!found) return 'none';
    return inodeOf(found) === note.inode ? 'same' : 'other';
  }

  /**
   * Tells if the rotated files are others than before. Then bytes that were read just now may be of new content. If the file itself was
   * renamed meanwhile, it is one of them, and its writer may still complete its last record.
   */
  async #isChangedAround(): Promise<boolean> {
    if (!this.#hasWaited && this.#edges.position > ALIKE_BYTES) return false;
    this.#hasWaited = false;
    const { source, around } = this.#parts;
    return (await wordsAround(source)) !== around && (await this.#fileAtName()) === 'same';
  }

  /** Tells if a rotated file has what was read of a file that was emptied; undefined while rotated files are being renamed. */
  async #hasCopy(): Promise<boolean | undefined> {
    const { source } = this.#parts;
    const { position } = this.#edges;
    const { inode: _inode, ...note } = { ...this.#parts.note, storedBytes: position };
    const readNote = { ...note, digest: this.#edges.digestAt(position) ?? '' };
    try {
      for (const file of [...((await source.rotated?.()) ?? [])].reverse()) {
        const rotatedSource = await file.look();
        if (rotatedSource && (await rotatedSource.compare(readNote)) !== 'other') return true;
      }
      return false;
    } catch (error) {
      if (error instanceof InputReplaced) return undefined;
      throw error;
    }
  }

  storedBytes(): number {
    return this.#edges.position;
  }

  markAt(offset: number, hasBeginnings?: boolean): Promise<InputMark> {
    return markUpTo(this.#parts.note, offset, this.#edges, hasBeginnings);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pause.end();
    await this.#parts.file.close();
  }
}

/**
 * The file as an input that ends only at log rotation.
 * @throws FirstseenError E_USAGE for an input that is not a file, or compressed.
 */
export async function followed(source: Source, options: LookOptions): Promise<Source> {
  const { name, note } = source;
  if (note.path === undefined || note.inode === undefined || note.isCompressed) {
    const kind = note.isCompressed ? 'compressed' : 'not a file';
    const FOLLOW = optionName('isFollowing');
    throw new FirstseenError('E_USAGE', phrase`${FOLLOW} was given, but the last input, ${name}, is ${kind}`, {
      option: 'isFollowing',
      remedy: phrase`leave ${FOLLOW} out, or name a file that grows last`,
    });
  }
  const parts = { source, note, isBinary: options.isBinary, around: await wordsAround(source) };
  return {
    ...source,
    // Its end is that of a file to which nothing is appended any more.
    mayGrow: false,
    async open(position) {
      const file = await openSame(note).catch((cause) => {
        throw inputError(name, cause);
      });
      return FollowingReader.open({ ...parts, file }, byteOffsetOf(position));
    },
    lookAgain: async () => {
      const log = await fileSourceKind.look(name, options);
      if (!log || log.note.isCompressed) throw new InputReplaced(name);
      return followed(log, options);
    },
  };
}
