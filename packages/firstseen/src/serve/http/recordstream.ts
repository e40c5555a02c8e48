// A body of records, and the reply to it, as streams: what is replied to records is sent once it is safe, while others still come.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turnEnd } from 'node:timers/promises';
import type { MemoryUser } from '../clientmemory.js';
import { HeldReplies } from '../held.js';
import type { ServerState } from '../session.js';
import type { BodyRecords } from './bodyrecords.js';
import { problemOf, tooMuchTogether } from './problem.js';
import { hasGone, sendProblem } from './reply.js';
import { untilSafe } from './safety.js';
import { PIECE_BYTES } from './scanner.js';

/** Bytes of replies that wait for the log. With more, nothing more is read. */
const MAX_HELD_BYTES = 2 ** 20;
/** Bytes of a reply that are gathered while the rest of a body of known length comes. */
const GATHERED_BYTES = 2 ** 18;
/** The time that a client may take to read the last bytes of a reply that does not end. */
const LINGER_MILLISECONDS = 1000;

export interface RecordStream {
  server: Pick<ServerState, 'data' | 'clientMemory'>;
  incoming: IncomingMessage;
  response: ServerResponse;
  records: BodyRecords;
  /** The type of the reply. */
  type: string;
  /** True if an error in the middle of the body can be told in a line of the reply. */
  hasErrorLine: boolean;
  /** Returns the bytes at the end of the reply, after the records. */
  endingOf: (() => Uint8Array) | undefined;
  /** Waits until a next part of the body may be taken. @throws HttpProblem when it may not */
  untilReady(bytes: number): Promise<void>;
}

/** Chunks of a body, in pieces. A reader that stops leaves the connection as it is. */
export async function* piecesOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) yield chunk.subarray(from, from + PIECE_BYTES);
  }
}

/** The reply, of which nothing is sent before it is safe. */
class StreamedReply {
  readonly #stream: RecordStream;
  readonly #held: HeldReplies<Uint8Array>;
  #wake: () => void = () => undefined;
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  /** True if some of it was handed over. */
  #isHeld = false;

  constructor(stream: RecordStream) {
    this.#stream = stream;
    const write = (part: Uint8Array) => this.#write(part);
    const wake = () => this.#wake();
    this.#held = new HeldReplies(() => stream.server.data, write, wake);
    stream.response.on('drain', wake).on('close', wake);
  }

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#partBytes += part.length;
  }

  /** True if the client may wait for a part of it before it sends more. */
  get #isAwaited(): boolean {
    return this.#stream.incoming.headers['content-length'] === undefined;
  }

  /** True if it has a status. That does not depend on where a body is cut that comes in chunks. */
  get isBegun(): boolean {
    return this.#isHeld || (this.#isAwaited && this.#partBytes > 0);
  }

  /** Bytes of it that are not written. */
  get unwrittenBytes(): number {
    return this.#partBytes + this.#held.bytes;
  }

  /** Hands over what was added, if it is much, or is awaited. */
  flush(): void {
    if (this.#partBytes > (this.#isAwaited ? 0 : GATHERED_BYTES)) this.#hold();
  }

  /** Ends the reply, with its length if nothing of it was sent before. */
  async end(): Promise<void> {
    const { response, server, type } = this.#stream;
    while (!this.#held.isEmpty) await this.#woken();
    await untilSafe(server, true);
    if (response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': type, 'Content-Length': this.#partBytes });
    // One call of the system for all of them.
    response.cork();
    for (const part of this.#parts) response.write(part);
    // Node 22 writes the end of a reply in chunks before what is held back.
    response.uncork();
    response.end();
  }

  /** Sends what was added, and ends the connection before the end of the reply, once the client had time to read it. */
  async cut(): Promise<void> {
    const { response, incoming } = this.#stream;
    this.#hold();
    while (!this.#held.isEmpty) await this.#woken();
    const { socket } = response;
    if (socket === null) return;
    incoming.resume();
    // Node 24 gathers what is written to a reply, and gives it to the socket at the end of the turn of its loop.
    await turnEnd();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Hands over what was added, which is sent once it is safe. */
  #hold(): void {
    this.#isHeld = true;
    this.#held.add(this.take(), true);
  }

  /** Takes what was added and not handed over. */
  take(): Uint8Array {
    const parts = this.#parts;
    this.#parts = [];
    this.#partBytes = 0;
    return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
  }

  /** Waits while the client does not read, or much waits for the log. */
  async untilRoom(): Promise<void> {
    const { response } = this.#stream;
    while (this.#held.bytes > MAX_HELD_BYTES) await this.#woken();
    while (response.writableNeedDrain && !response.destroyed) await this.#woken();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #write(part: Uint8Array): void {
    const { response, type } = this.#stream;
    if (response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': type });
    response.write(part);
  }
}

/**
 * Answers a body. An error is the status if nothing of the reply was handed over before it, with what became of the records before it.
 * Otherwise it is the last line, or the reply does not end.
 */
export async function streamRecords(stream: RecordStream): Promise<void> {
  const { records, incoming, server } = stream;
  const reply = new StreamedReply(stream);
  const pass = (part: Uint8Array) => reply.add(part);
  const user = new StreamMemory(stream, reply);
  try {
    for await (const piece of piecesOf(incoming)) {
      await stream.untilReady(piece.length);
      if (user.isEnded) return;
      records.take(piece, pass);
      reply.flush();
      server.clientMemory.note(user, records.unfinishedBytes + reply.unwrittenBytes);
      await reply.untilRoom();
    }
    await stream.untilReady(0);
    if (user.isEnded) return;
    records.finish(pass);
  } catch (error) {
    if (!user.isEnded) await fail(stream, reply, error);
    return;
  } finally {
    records.close();
    server.clientMemory.note(user, 0);
  }
  if (stream.endingOf) reply.add(stream.endingOf());
  await reply.end();
}

/** The memory of a stream, which may wait for its client for ever. */
class StreamMemory implements MemoryUser {
  readonly #stream: RecordStream;
  readonly #reply: StreamedReply;
  /** True if the connection is ended, and nothing more of the body is taken. */
  isEnded = false;

  constructor(stream: RecordStream, reply: StreamedReply) {
    this.#stream = stream;
    this.#reply = reply;
  }

  endForMemory(problem: string): void {
    this.isEnded = true;
    const { response } = this.#stream;
    // Of a reply that has begun, the end is missing.
    if (this.#reply.isBegun) response.destroy();
    else void fail(this.#stream, this.#reply, tooMuchTogether(problem));
  }
}

/** Returns the reply to the records before an error, as members of a problem: they were observed, and would be duplicates. */
function shownReply(bytes: Uint8Array): object {
  if (bytes.length === 0) return {};
  const buffer = Buffer.from(bytes);
  return isUtf8(bytes) ? { reply: buffer.toString() } : { replyBase64: buffer.toString('base64') };
}

async function fail(stream: RecordStream, reply: StreamedReply, error: unknown): Promise<void> {
  const { records, response, server, hasErrorLine, incoming } = stream;
  if (hasGone(incoming)) return;
  const problem = problemOf(error);
  if (!reply.isBegun) {
    await untilSafe(server, true);
    sendProblem(response, problem, { counts: records.counts, ...shownReply(reply.take()) });
    return;
  }
  if (!hasErrorLine) return reply.cut();
  reply.add(Buffer.from(`error ${problem.code} ${problem.message.replaceAll('\n', ' ')}\n`));
  await reply.end();
}
