// Reads one input as bytes: a file or standard input, decompressed if it is compressed.

import { createReadStream, fstatSync, read } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { openCompressed } from '../compression/compressed.js';
import {
  BEGINNING_BYTES,
  compressionByContent,
  compressionOf,
  compressions,
  mayBeCompressed,
} from '../compression/compressions.js';
import { createPoolDecompressor } from '../compression/decompressor.js';
import { StreamReader } from '../compression/streamreader.js';
import type { ByteReader, CompressedFile, Decompressing } from '../source.js';
import { EDGE_BYTES, readEdge } from '../system/edges.js';
import { folderError, inputError } from '../system/inputerror.js';
import { STANDARD_STREAM, systemPath } from '../system/paths.js';
import { inputDescriptor, standardStreams } from '../system/standardstreams.js';
import { ReadEdges } from './readedges.js';

const readDescriptor = promisify(read);

/** A file that is open. */
export interface OpenFile extends ByteReader {
  /**
   * The edges of the bytes that have been read, by which the file is recognized. Absent where positions are not those
   * of the file.
   */
  readonly edges?: ReadEdges;
}

class FileReader implements OpenFile {
  readonly edges: ReadEdges;
  readonly #file: FileHandle;
  readonly #path: string;
  /** Bytes after the position that were read when the file was opened. */
  #ahead: Uint8Array;

  private constructor(file: FileHandle, path: string, edges: ReadEdges, ahead: Uint8Array) {
    this.#file = file;
    this.#path = path;
    this.edges = edges;
    this.#ahead = ahead;
  }

  /** Reads ahead, so that there are bytes by which new content of the file is recognized. */
  static async open(file: FileHandle, path: string, position: number): Promise<FileReader> {
    const edges = await ReadEdges.of(file, position);
    return new FileReader(file, path, edges, await readEdge(file, EDGE_BYTES, position));
  }

  async read(target: Uint8Array): Promise<number> {
    try {
      if (this.#ahead.length > 0) return this.#takeAhead(target);
      const { bytesRead } = await this.#file.read(target, 0, target.length, this.edges.position);
      // If the file was emptied, the bytes may be of its new content, which a later run reads from its start.
      if (bytesRead === 0 || (await this.edges.wasRewritten())) return 0;
      this.edges.add(target.subarray(0, bytesRead));
      return bytesRead;
    } catch (cause) {
      throw inputError(this.#path, cause);
    }
  }

  #takeAhead(target: Uint8Array): number {
    const taken = this.#ahead.subarray(0, target.length);
    target.set(taken);
    this.edges.add(taken);
    this.#ahead = this.#ahead.subarray(taken.length);
    return taken.length;
  }

  storedBytes(): number {
    return this.edges.position;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** A file that the shell opened as standard input, read from its current position, which is after its head. */
class RedirectedReader implements ByteReader {
  readonly #descriptor: number;
  #head: Uint8Array;
  #storedBytes = 0;

  constructor(descriptor: number, head: Uint8Array) {
    this.#descriptor = descriptor;
    this.#head = head;
  }

  async read(target: Uint8Array): Promise<number> {
    try {
      const bytesRead = this.#takeHead(target) || (await this.#readOn(target));
      this.#storedBytes += bytesRead;
      return bytesRead;
    } catch (cause) {
      throw inputError(STANDARD_STREAM, cause);
    }
  }

  storedBytes(): number {
    return this.#storedBytes;
  }

  async close(): Promise<void> {}

  #takeHead(target: Uint8Array): number {
    const taken = this.#head.subarray(0, target.length);
    target.set(taken);
    this.#head = this.#head.subarray(taken.length);
    return taken.length;
  }

  async #readOn(target: Uint8Array): Promise<number> {
    return (await readDescriptor(this.#descriptor, target, 0, target.length, null)).bytesRead;
  }
}

/** The chunks of a stream. The first is long enough to recognize a compression, unless the stream is shorter. */
async function* withWholeHead(stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (head) head = Buffer.concat([head, chunk]);
    if (head && mayBeCompressed(head)) continue;
    yield head ?? chunk;
    head = undefined;
  }
  if (head) yield head;
}

async function* followed(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield head;
  yield* rest;
}

/** The chunks of a source, decompressed if its first bytes say so. Nothing is read before the first chunk is requested. */
async function* plainChunks(
  source: Readable,
  path: string,
  isBinary: boolean,
): AsyncGenerator<Buffer, void, undefined> {
  const chunks = withWholeHead(source);
  const head = (await chunks.next()).value ?? Buffer.alloc(0);
  const allChunks = followed(head, chunks);
  const compression = isBinary ? compressions.none : compressionByContent(head);
  yield* compression.decompress(allChunks, { path, create: createPoolDecompressor });
}

/** A reader of a stream that cannot be reread. */
function openChunks(source: Readable, path: string, isBinary: boolean): ByteReader {
  const close = async () => {
    source.destroy();
  };
  return new StreamReader(plainChunks(source, path, isBinary), { path, storedBytes: () => 0, close });
}

/** Opens an input. Errors name the input. */
async function opened<Reader>(path: string, open: () => Promise<Reader>): Promise<Reader> {
  try {
    return await open();
  } catch (cause) {
    throw inputError(path, cause);
  }
}

/**
 * Opens standard input. A redirected file is read as files are, a pipe or a terminal as a stream.
 * @throws FirstseenError E_INPUT when it cannot be read, E_COMPRESSION when this version of Node cannot decompress it.
 */
export function openStandardInput(isBinary: boolean): Promise<ByteReader> {
  return opened(STANDARD_STREAM, async () => {
    const { input } = standardStreams();
    const descriptor = inputDescriptor();
    if (descriptor === undefined) return openChunks(input, STANDARD_STREAM, isBinary);
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw folderError('standard input');
    if (!status.isFile()) return openChunks(input, STANDARD_STREAM, isBinary);
    // Another process may have read from it before, so compression is detected at the current position, not at the start.
    const bytes = Buffer.alloc(BEGINNING_BYTES);
    const { bytesRead } = await readDescriptor(descriptor, bytes, 0, BEGINNING_BYTES, null);
    const head = bytes.subarray(0, bytesRead);
    if (isBinary || compressionByContent(head) === compressions.none) return new RedirectedReader(descriptor, head);
    return openChunks(Readable.from(followed(head, input), { objectMode: false }), STANDARD_STREAM, isBinary);
  });
}

/** @throws FirstseenError as `openStandardInput`. */
export function openPipe(path: string, isBinary: boolean): Promise<ByteReader> {
  return opened(path, async () => openChunks(createReadStream(systemPath(path)), path, isBinary));
}

export interface OpenOptions {
  /** True if the input holds binary numbers, so that its first bytes do not show whether it is compressed. */
  isBinary: boolean;
  /** The number of decompressed bytes to skip. */
  offset: number;
  /** The thread that decompresses a compressed file; that of the caller by default. */
  decompressing?: Decompressing | undefined;
  /** Opens the file itself; by its path, by default. */
  openStored?: () => Promise<FileHandle>;
  /**
   * Checks the open file after its first bytes were read.
   * @throws InputReplaced when it is not the one to read
   */
  check?: (file: FileHandle) => Promise<void>;
}

/** @throws FirstseenError as `openStandardInput`. */
export function openFile(path: string, options: OpenOptions): Promise<OpenFile> {
  const { openStored = () => open(systemPath(path)) } = options;
  return opened(path, async () => {
    const file = await openStored();
    try {
      return await readerOf(file, path, options);
    } catch (error) {
      await file.close();
      throw error;
    }
  });
}

async function readerOf(
  file: FileHandle,
  path: string,
  { isBinary, offset, decompressing, check }: OpenOptions,
): Promise<OpenFile> {
  const head = await readEdge(file, BEGINNING_BYTES, 0);
  const compression = compressionOf(path, head, isBinary);
  if (compression === compressions.none) {
    const reader = await FileReader.open(file, path, offset);
    await check?.(file);
    return reader;
  }
  const compressed: CompressedFile = { descriptor: file.fd, path, compression: compression.name, offset };
  const reader = decompressing ? decompressing.open(compressed) : await openCompressed(compressed);
  const close = async () => {
    await reader.close();
    await file.close();
  };
  return { read: (target) => reader.read(target), storedBytes: () => reader.storedBytes(), close };
}
