// Reads one input as bytes: a file or standard input, decompressed if it is compressed.

import { createReadStream, fstatSync, read } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { FirstseenError } from '../../errors.js';
import { STANDARD_STREAM } from '../options.js';
import { systemPath } from '../paths.js';
import { systemDetails, systemProblem } from '../systemproblem.js';
import type { InputReader } from './contract.js';
import { decompressedBy, gunzipped } from './decompress.js';
import { ReadEdges } from './readedges.js';
import { ZstdFrames } from './zstd.js';

export type Compression = 'none' | 'gzip' | 'zstd';

const MAGIC_BYTES = 4;
const STANDARD_INPUT_DESCRIPTOR = 0;
const STORED_CHUNK_BYTES = 65536;

const readDescriptor = promisify(read);

/** The first bytes of compressed streams; a byte is compared under its mask. */
const beginnings: readonly { compression: Compression; bytes: readonly number[]; masks: readonly number[] }[] = [
  { compression: 'gzip', bytes: [0x1f, 0x8b], masks: [0xff, 0xff] },
  { compression: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd], masks: [0xff, 0xff, 0xff, 0xff] },
  // A skippable frame, which programs that compress in parallel write first (RFC 8878, section 3.1.2).
  { compression: 'zstd', bytes: [0x50, 0x2a, 0x4d, 0x18], masks: [0xf0, 0xff, 0xff, 0xff] },
];

/** The beginnings that match the bytes of a head, as far as there are bytes. */
function beginningsOf(head: Uint8Array): typeof beginnings {
  return beginnings.filter(({ bytes, masks }) =>
    bytes.every((byte, i) => i >= head.length || ((head[i] as number) & (masks[i] as number)) === byte),
  );
}

function compressionByContent(head: Uint8Array): Compression {
  return beginningsOf(head).find(({ bytes }) => head.length >= bytes.length)?.compression ?? 'none';
}

/** Binary numbers can start with any bytes, so their compression is determined by the file name alone, in any case. */
function compressionByName(path: string): Compression {
  const name = path.toLowerCase();
  if (name.endsWith('.gz')) return 'gzip';
  return name.endsWith('.zst') ? 'zstd' : 'none';
}

/** The compression of an input, by its first bytes, or for binary numbers by its name. */
export function compressionOf(path: string, head: Uint8Array, isBinary: boolean): Compression {
  return isBinary ? compressionByName(path) : compressionByContent(head);
}

/** The error for an input that is a directory. */
export function folderError(path: string, cause?: unknown): FirstseenError {
  return new FirstseenError('E_INPUT', `cannot read ${path}: it is a directory`, {
    remedy: 'name the files in it',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The error for an input that cannot be read. An error with a code of its own remains as it is. */
export function inputError(path: string, cause: unknown): FirstseenError {
  if (cause instanceof FirstseenError) return cause;
  const name = path === STANDARD_STREAM ? 'standard input' : path || '""';
  if (cause instanceof Error && 'code' in cause && cause.code === 'EISDIR') return folderError(name, cause);
  const { problem } = systemProblem(cause, 'read');
  return new FirstseenError('E_INPUT', `cannot read ${name}: ${problem}`, systemDetails(cause, 'read'));
}

function zstdDecompressor(path: string): Transform {
  // Node has zstd from 22.15 and 23.8 on; the types of Node 20 do not know it.
  const create = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;
  if (create) return create();
  throw new FirstseenError(
    'E_COMPRESSION',
    `${path} is compressed with zstd, which Node ${process.versions.node} cannot decompress`,
    { remedy: 'use Node 22.15 or later, or give the output of "zstd -dc" as standard input' },
  );
}

class FileReader implements InputReader {
  readonly edges: ReadEdges;
  readonly #file: FileHandle;
  readonly #path: string;

  private constructor(file: FileHandle, path: string, edges: ReadEdges) {
    this.#file = file;
    this.#path = path;
    this.edges = edges;
  }

  static async open(file: FileHandle, path: string, position: number): Promise<FileReader> {
    return new FileReader(file, path, await ReadEdges.of(file, position));
  }

  async read(target: Uint8Array): Promise<number> {
    try {
      const { bytesRead } = await this.#file.read(target, 0, target.length, this.edges.position);
      // If the file was emptied, the bytes may be of its new content, which a later run reads from its start.
      if (bytesRead === 0 || (await this.edges.wasRewritten())) return 0;
      this.edges.add(target.subarray(0, bytesRead));
      return bytesRead;
    } catch (cause) {
      throw inputError(this.#path, cause);
    }
  }

  storedBytes(): number {
    return this.edges.position;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** A file that the shell opened as standard input, read from its current position, which is after its head. */
class RedirectedReader implements InputReader {
  #head: Uint8Array;
  #storedBytes = 0;

  constructor(head: Uint8Array) {
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
    return (await readDescriptor(STANDARD_INPUT_DESCRIPTOR, target, 0, target.length, null)).bytesRead;
  }
}

interface StreamParts {
  path: string;
  storedBytes: () => number;
  close: () => Promise<void>;
}

/** Chunks that are produced on demand. */
class StreamReader implements InputReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #close: () => Promise<void>;
  readonly #path: string;
  readonly #storedBytes: () => number;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Buffer>, { path, storedBytes, close }: StreamParts) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#close = close;
    this.#path = path;
    this.#storedBytes = storedBytes;
  }

  async read(target: Uint8Array): Promise<number> {
    if (this.#rest.length === 0 && !(await this.#next())) return 0;
    const taken = this.#rest.subarray(0, target.length);
    target.set(taken);
    this.#rest = this.#rest.subarray(taken.length);
    return taken.length;
  }

  /** Skips the first `bytes` bytes. */
  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#next())) return;
      const skipped = Math.min(left, this.#rest.length);
      this.#rest = this.#rest.subarray(skipped);
      left -= skipped;
    }
  }

  storedBytes(): number {
    return this.#storedBytes();
  }

  close(): Promise<void> {
    return this.#close();
  }

  async #next(): Promise<boolean> {
    try {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#rest = value;
      return value.length > 0 || this.#next();
    } catch (cause) {
      throw inputError(this.#path, cause);
    }
  }
}

/** The chunks of an open file from its start, as often as they are needed, whatever has its name meanwhile. */
class StoredChunks {
  readonly #file: FileHandle;
  bytesRead = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    this.bytesRead = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(STORED_CHUNK_BYTES);
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, this.bytesRead);
      if (bytesRead === 0) return;
      this.bytesRead += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }
}

type Chunks = AsyncIterable<Buffer>;

async function* decompressedFrames(source: Chunks, path: string): AsyncGenerator<Buffer, void, undefined> {
  const frames = new ZstdFrames(source);
  while (await frames.next()) yield* decompressedBy(zstdDecompressor(path), frames.frame());
}

/**
 * Decompresses a source. Everything before a fault in the compressed data is passed on.
 * @param readAgain the same source once more, if it can be read again
 */
function decompressed(
  source: Chunks,
  { compression, path, readAgain }: { compression: 'gzip' | 'zstd'; path: string; readAgain?: () => Chunks },
): Chunks {
  return compression === 'zstd' ? decompressedFrames(source, path) : gunzipped(source, readAgain);
}

/** Whether a head, however short, can still be the start of a compressed stream. */
function mayBeCompressed(head: Uint8Array): boolean {
  return beginningsOf(head).some(({ bytes }) => head.length < bytes.length);
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
  const whole = followed(head, chunks);
  const compression = isBinary ? 'none' : compressionByContent(head);
  if (compression === 'none') yield* whole;
  else yield* decompressed(whole, { compression, path });
}

/** A reader of a stream that cannot be reread. */
function openChunks(source: Readable, path: string, isBinary: boolean): InputReader {
  const close = async () => {
    source.destroy();
  };
  return new StreamReader(plainChunks(source, path, isBinary), { path, storedBytes: () => 0, close });
}

/** Opens an input. Errors name the input. */
async function opened(path: string, open: () => Promise<InputReader>): Promise<InputReader> {
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
export function openStandardInput(isBinary: boolean): Promise<InputReader> {
  return opened(STANDARD_STREAM, async () => {
    const found = fstatSync(STANDARD_INPUT_DESCRIPTOR);
    if (found.isDirectory()) throw folderError('standard input');
    if (!found.isFile()) return openChunks(process.stdin, STANDARD_STREAM, isBinary);
    // Another process may have read from it before, so compression is detected at the current position, not at the start.
    const bytes = Buffer.alloc(MAGIC_BYTES);
    const { bytesRead } = await readDescriptor(STANDARD_INPUT_DESCRIPTOR, bytes, 0, MAGIC_BYTES, null);
    const head = bytes.subarray(0, bytesRead);
    if (isBinary || compressionByContent(head) === 'none') return new RedirectedReader(head);
    return openChunks(Readable.from(followed(head, process.stdin), { objectMode: false }), STANDARD_STREAM, isBinary);
  });
}

/** @throws FirstseenError as `openStandardInput`. */
export function openPipe(path: string, isBinary: boolean): Promise<InputReader> {
  return opened(path, async () => openChunks(createReadStream(systemPath(path)), path, isBinary));
}

export interface OpenOptions {
  /** Whether the input holds binary numbers, so that its first bytes do not show whether it is compressed. */
  isBinary: boolean;
  /** The number of decompressed bytes to skip. */
  offset: number;
  /** Opens the file itself; by its path, by default. */
  openStored?: () => Promise<FileHandle>;
}

/** @throws FirstseenError as `openStandardInput`. */
export function openFile(path: string, options: OpenOptions): Promise<InputReader> {
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

async function readerOf(file: FileHandle, path: string, { isBinary, offset }: OpenOptions): Promise<InputReader> {
  const head = new Uint8Array(MAGIC_BYTES);
  await file.read(head, 0, MAGIC_BYTES, 0);
  const compression = compressionOf(path, head, isBinary);
  if (compression === 'none') return FileReader.open(file, path, offset);
  const stored = new StoredChunks(file);
  const chunks = decompressed(stored.chunks(), { compression, path, readAgain: () => stored.chunks() });
  const close = () => file.close();
  const reader = new StreamReader(chunks, { path, storedBytes: () => stored.bytesRead, close });
  await reader.skip(offset);
  return reader;
}
