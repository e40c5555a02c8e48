// An object as an input. It is recognized by its name, its size and its version.

import { defined } from '../../base/defined.js';
import type { Chunks, Compression } from '../compression/compression.js';
import { BEGINNING_BYTES, compressionOf, compressions } from '../compression/compressions.js';
import { createPoolDecompressor } from '../compression/decompressor.js';
import { StreamReader } from '../compression/streamreader.js';
import {
  byteOffsetOf,
  type InputMark,
  type InputReader,
  type LookOptions,
  type NamedNote,
  type ReadingAhead,
  type Source,
} from '../source.js';
import { readError } from './contract.js';
import { isSameObject, type ObjectNote } from './note.js';
import { FirstPart, partsFrom, readRange, type StoredObject, wholeOf } from './parts.js';

/** The chunks of an object. Errors name it. */
async function* named(name: string, chunks: Chunks): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    throw readError(name, error);
  }
}

async function* followed(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** The readings of an object. */
class ObjectReadings {
  readonly #note: NamedNote;
  readonly #object: StoredObject;
  readonly #isBinary: boolean;
  #compression: Compression | undefined;
  /** The first part, if it is read ahead and nobody has taken it. */
  #first: FirstPart | undefined;

  constructor(note: NamedNote, object: StoredObject, isBinary: boolean) {
    this.#note = note;
    this.#object = object;
    this.#isBinary = isBinary;
  }

  /** The reading of its first part before it is opened. */
  ahead(): ReadingAhead {
    return {
      bytes: FirstPart.bytesOf(this.#object),
      begin: () => {
        this.#first ??= new FirstPart(this.#object);
      },
      end: () => {
        this.#first?.stop.abort();
        this.#first = undefined;
      },
    };
  }

  async open(offset: number): Promise<InputReader> {
    const first = this.#first;
    this.#first = undefined;
    const stop = first?.stop ?? new AbortController();
    try {
      return await this.#opened(offset, stop, first);
    } catch (error) {
      stop.abort();
      throw readError(this.#note.name, error);
    }
  }

  async markAt(offset: number): Promise<InputMark> {
    return { input: this.#note, position: this.#note.isRepeatable ? { offset } : undefined };
  }

  async #opened(offset: number, stop: AbortController, first: FirstPart | undefined): Promise<InputReader> {
    const { name } = this.#note;
    if (offset > 0) this.#compression ??= await this.#readCompression(stop.signal);
    const start = this.#compression === compressions.none ? offset : 0;
    const chunks = await this.#recognized(this.#chunksFrom(start, stop.signal, start === 0 ? first?.bytes : undefined));
    let storedBytes = start;
    const counted = async function* (): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of chunks) {
        storedBytes += chunk.length;
        yield chunk;
      }
    };
    const request = { path: name, create: createPoolDecompressor, readAgain: this.#readAgain(stop.signal) };
    const content = (this.#compression as Compression).decompress(named(name, counted()), request);
    const close = async () => stop.abort();
    const reader = new StreamReader(content, { path: name, storedBytes: () => storedBytes, close });
    await reader.skip(offset - start);
    return {
      read: (target) => reader.read(target),
      storedBytes: () => reader.storedBytes(),
      markAt: (at) => this.markAt(at),
      close: () => reader.close(),
    };
  }

  /** The same chunks. If the compression is not known, they begin at the start, and show it. */
  async #recognized(chunks: AsyncGenerator<Buffer, void, undefined>): Promise<Chunks> {
    if (this.#compression) return chunks;
    const head = (await chunks.next()).value ?? Buffer.alloc(0);
    this.#compression = this.#compressionOf(head);
    return followed(head, chunks);
  }

  #compressionOf(head: Uint8Array): Compression {
    return compressionOf(this.#note.name, head.subarray(0, BEGINNING_BYTES), this.#isBinary);
  }

  #chunksFrom(offset: number, signal: AbortSignal, begun?: Promise<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    return this.#note.isRepeatable ? partsFrom(this.#object, offset, signal, begun) : wholeOf(this.#object, signal);
  }

  #readAgain(signal: AbortSignal): (() => Chunks) | undefined {
    return this.#note.isRepeatable ? () => named(this.#note.name, this.#chunksFrom(0, signal)) : undefined;
  }

  async #readCompression(signal: AbortSignal): Promise<Compression> {
    const to = Math.min(BEGINNING_BYTES, this.#object.status.bytes);
    return this.#compressionOf(await readRange(this.#object, { from: 0, to }, signal));
  }
}

/** An object as an input, after a look at it. */
export function objectSource(name: string, object: StoredObject, { isBinary }: Pick<LookOptions, 'isBinary'>): Source {
  const { bytes, version, hasRanges } = object.status;
  const isRepeatable = hasRanges && version !== undefined;
  const note: ObjectNote = { name, isFile: false, isRepeatable, objectBytes: bytes, ...defined({ version }) };
  const readings = new ObjectReadings(note, object, isBinary);
  return {
    name,
    note,
    mayGrow: false,
    ...(isRepeatable && bytes > 0 ? { ahead: readings.ahead() } : {}),
    open: (position) => readings.open(byteOffsetOf(position)),
    markAtStart: () => readings.markAt(0),
    compare: async (earlier) => (isSameObject(earlier, note) ? 'same' : 'other'),
    // An object does not grow, so nothing follows what was its end.
    bytesAround: async () => new Uint8Array(0),
  };
}
