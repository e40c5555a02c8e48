// A file descriptor that is written in order and completely: a file, standard output, a pipe.

import { constants, fstatSync, write } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { outputError, STANDARD_OUTPUT } from '../sink.js';
import { digestEdges, readEdge } from '../system/edges.js';
import { systemPath } from '../system/paths.js';
import { outputDescriptor, standardStreams } from '../system/standardstreams.js';

const RETRY_MILLISECONDS = 1;

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A file up to a position: enough to find out later whether something else has written to it. */
export interface WrittenFile {
  bytes: number;
  /** The digest of the first and last bytes; empty if the file cannot be read. */
  digest: string;
}

/** Opens a file and returns the result of `look`; undefined if the file cannot be opened. */
async function lookInto<Found>(path: string, look: (file: FileHandle) => Promise<Found>): Promise<Found | undefined> {
  const file = await open(systemPath(path)).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return await look(file);
  } finally {
    await file.close();
  }
}

/** The file up to a position, as it is now. */
export async function describeFile(path: string, bytes: number): Promise<WrittenFile> {
  return { bytes, digest: (await lookInto(path, (file) => digestEdges(file, bytes))) ?? '' };
}

/** The command that cuts a file off, for a message. */
export function truncation(path: string, bytes: number): string {
  const shown = /^[\w./][\w./-]*$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  return `"truncate -s ${bytes} ${shown}"`;
}

interface DescriptorParts {
  path: string;
  write(bytes: Uint8Array, position: number | null): Promise<{ bytesWritten: number }>;
  sync(): Promise<void>;
  close(): Promise<void>;
  /** True if writes have explicit positions, as in regular files. All other outputs only append. */
  isSeekable: boolean;
  /** True if somebody may be waiting for the bytes, as at the other end of a pipe. */
  isStream: boolean;
  /** Cuts a file off at this position. */
  cut(position: number): Promise<void>;
  /** The size of the file; undefined unless it is a regular one. */
  size(): Promise<number | undefined>;
  /** The bytes of the file after its position, if they have to be those that are written again. */
  former?: FormerBytes | undefined;
}

/** Bytes of a file that an earlier process wrote after the state was saved, and that are written again. */
interface FormerBytes {
  file: FileHandle;
  end: number;
}

/** Opens what a file holds after a position; undefined if that is nothing, or cannot be read. */
async function formerBytes(path: string, handle: FileHandle, position: number): Promise<FormerBytes | undefined> {
  const end = (await handle.stat()).size;
  const file = end > position ? await open(systemPath(path)).catch(() => undefined) : undefined;
  return file && { file, end };
}

async function partsOf(
  path: string,
  handle: FileHandle,
  { position, isRepeated }: { position: number; isRepeated: boolean },
): Promise<DescriptorParts> {
  const formerStats = await handle.stat();
  const isSeekable = formerStats.isFile();
  // Without anything to cut off, a run that was suspended does not cut off what another one has written meanwhile.
  const isLonger = formerStats.size > position;
  return {
    path,
    write: (bytes, at) => handle.write(bytes, 0, bytes.length, at),
    sync: async () => (isSeekable ? handle.sync() : undefined),
    close: () => handle.close(),
    isSeekable,
    isStream: !isSeekable,
    cut: async (at) => (isSeekable && isLonger ? handle.truncate(at) : undefined),
    size: async () => (isSeekable ? (await handle.stat()).size : undefined),
    former: isSeekable && isRepeated ? await formerBytes(path, handle, position) : undefined,
  };
}

function isFile(descriptor: number | undefined): boolean {
  if (descriptor === undefined) return false;
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

type Write = DescriptorParts['write'];

/** Writes to a descriptor where it stands. */
function writeTo(descriptor: number): Write {
  return (bytes) =>
    new Promise((resolve, reject) => {
      write(descriptor, bytes, (error, bytesWritten) => (error ? reject(error) : resolve({ bytesWritten })));
    });
}

function writeToStream(stream: Writable): Write {
  return (bytes) =>
    new Promise((resolve, reject) => {
      stream.write(bytes, (error) => (error ? reject(error) : resolve({ bytesWritten: bytes.length })));
    });
}

/** A descriptor. The former content of a file remains until the first write. */
export class Descriptor {
  readonly #parts: DescriptorParts;
  readonly #start: number;
  #isCut = false;
  position: number;

  private constructor(parts: DescriptorParts, position: number) {
    this.#parts = parts;
    this.#start = position;
    this.position = position;
  }

  /** True if the former content of the file after its position has been cut off. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** True if somebody may be waiting for the bytes. */
  get isStream(): boolean {
    return this.#parts.isStream;
  }

  /** @param isRepeated whether what follows the position has to be what is written again, so that it is compared and not cut off */
  static async openFile(path: string, position: number, isRepeated = false): Promise<Descriptor> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(systemPath(path), constants.O_WRONLY | constants.O_CREAT);
      return new Descriptor(await partsOf(path, handle, { position, isRepeated }), position);
    } catch (cause) {
      await handle?.close();
      throw outputError(path, cause);
    }
  }

  static openStandardOutput(): Descriptor {
    const descriptor = outputDescriptor();
    const parts: DescriptorParts = {
      path: STANDARD_OUTPUT,
      write: descriptor === undefined ? writeToStream(standardStreams().output) : writeTo(descriptor),
      sync: async () => undefined,
      close: async () => undefined,
      isSeekable: false,
      isStream: !isFile(descriptor),
      cut: async () => undefined,
      size: async () => undefined,
    };
    return new Descriptor(parts, 0);
  }

  /** True if an earlier process wrote more than this one has written again. */
  get isBehind(): boolean {
    return this.#parts.former !== undefined;
  }

  /**
   * Cuts off what follows the position.
   * @throws FirstseenError E_OUTPUT when that is not what an earlier process wrote
   */
  async cut(): Promise<void> {
    if (this.#isCut) return;
    if (this.isBehind) this.#refuseForeign();
    this.#isCut = true;
    try {
      await this.#parts.cut(this.position);
    } catch (cause) {
      throw outputError(this.#parts.path, cause);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    let rest = bytes.subarray(await this.#skipFormer(bytes));
    if (rest.length > 0) await this.cut();
    while (rest.length > 0) {
      const written = await this.#writeSome(rest);
      rest = rest.subarray(written);
      this.position += written;
    }
  }

  /** Compares bytes with what an earlier process wrote at this position; returns how many are there already. */
  async #skipFormer(bytes: Uint8Array): Promise<number> {
    const { former } = this.#parts;
    if (!former) return 0;
    const there = await readEdge(former.file, Math.min(bytes.length, former.end - this.position), this.position);
    if (Buffer.compare(there, bytes.subarray(0, there.length)) !== 0) this.#refuseForeign();
    this.position += there.length;
    if (this.position === former.end) await this.#closeFormer();
    return there.length;
  }

  async #closeFormer(): Promise<void> {
    const { former } = this.#parts;
    this.#parts.former = undefined;
    await former?.file.close();
  }

  #refuseForeign(): never {
    const problem = `${this.#parts.path} has bytes that this run did not write after its first ${formatCounted(this.position, 'byte')}`;
    // With a state, the run finds rotated files by itself.
    const rotated = this.#start === 0 ? 'if an input was rotated, give its rotated file before it; otherwise ' : '';
    throw new FirstseenError('E_OUTPUT', problem, {
      remedy: phrase`${rotated}remove these bytes with ${truncation(this.#parts.path, this.position)}, or use ${optionName('isNewRun')} to overwrite the file`,
    });
  }

  async #writeSome(bytes: Uint8Array): Promise<number> {
    try {
      return (await this.#parts.write(bytes, this.#parts.isSeekable ? this.position : null)).bytesWritten;
    } catch (cause) {
      // Another process made this pipe non-blocking: wait for its reader.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') throw outputError(this.#parts.path, cause);
      await sleep(RETRY_MILLISECONDS);
      return 0;
    }
  }

  /** Syncs everything that was written to disk. @throws FirstseenError E_OUTPUT */
  async sync(): Promise<void> {
    if (!this.isBehind) await this.cut();
    try {
      await this.#parts.sync();
    } catch (cause) {
      throw outputError(this.#parts.path, cause);
    }
  }

  /**
   * The file up to the position; undefined unless it is a regular one.
   * @throws FirstseenError E_OUTPUT when the file is not as long as that, because something else has written to it.
   */
  async describe(): Promise<WrittenFile | undefined> {
    const bytes = await this.#parts.size();
    if (bytes === undefined) return undefined;
    const isLonger = bytes > this.position && this.#isCut;
    if (bytes < this.position || isLonger) this.#refuseLength(bytes);
    return describeFile(this.#parts.path, this.position);
  }

  #refuseLength(bytes: number): never {
    const problem = `${this.#parts.path} has ${formatCounted(bytes, 'byte')}, but this run has written ${this.position}`;
    throw new FirstseenError('E_OUTPUT', `${problem}: something else writes to it`, {
      remedy: 'give every run an output of its own',
    });
  }

  async close(): Promise<void> {
    await this.#closeFormer();
    try {
      await this.#parts.close();
    } catch (cause) {
      throw outputError(this.#parts.path, cause);
    }
  }
}
