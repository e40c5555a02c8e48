// The requests of connections. Clients may send several without waiting (pipelines), of which one at a time is answered: `node:http` would
// begin all that came together, and keep their replies in memory. It also lets each request see what those before it changed.

import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientMemory, MemoryUser } from '../clientmemory.js';

/** Requests of a connection that may wait. With more, nothing more is read. */
const MAX_WAITING = 128;
/** The memory of a request that waits and its reply, without headers: 1.6 KB in Node 20. */
const WAITING_BYTES = 2048;
/** The memory of a name or a value of a header: 46 bytes if they are as short as can be. Longer ones are limited by the head. */
const HEADER_PART_BYTES = 48;

/** A reply that tells when a part of it is written. */
export class CountedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Called after each part. */
  onWritten: () => void = () => undefined;

  override write(...part: never): boolean {
    const isTaken = super.write(...(part as Parameters<ServerResponse['write']>));
    this.onWritten();
    return isTaken;
  }

  override end(...part: never): this {
    super.end(...(part as Parameters<ServerResponse['end']>));
    this.onWritten();
    return this;
  }
}

/** A request and its reply. */
interface Exchange {
  incoming: IncomingMessage;
  response: CountedResponse;
  /** Begins the reply. */
  answer(): void;
}

function headerBytesOf({ incoming }: Exchange): number {
  return incoming.rawHeaders.length * HEADER_PART_BYTES;
}

/** The requests of a connection that are not answered. They take memory, and so does a reply that is not read. */
class Pipeline implements MemoryUser {
  readonly #socket: Socket;
  readonly #memory: ClientMemory;
  #current: Exchange | undefined;
  #waiting: Exchange[] = [];
  #waitingBytes = 0;

  constructor(socket: Socket, memory: ClientMemory) {
    this.#socket = socket;
    this.#memory = memory;
  }

  add(exchange: Exchange): void {
    // What came in the same piece as a request that was refused.
    if (this.#isOver) return;
    if (this.#current === undefined) {
      this.#begin(exchange);
      return;
    }
    this.#waiting.push(exchange);
    this.#waitingBytes += WAITING_BYTES + headerBytesOf(exchange);
    // `node:http` resumes the socket at the end of each request, so it is paused after all that came together.
    if (this.#waiting.length > MAX_WAITING) queueMicrotask(() => this.#pause());
    this.#note();
  }

  /** Ends the connection. An error would come after replies that are not read. */
  endForMemory(): void {
    this.#socket.destroy();
    this.#forget();
  }

  #pause(): void {
    if (this.#waiting.length > MAX_WAITING) this.#socket.pause();
  }

  get #isOver(): boolean {
    return this.#socket.destroyed || this.#socket.writableEnded;
  }

  #begin(exchange: Exchange): void {
    this.#current = exchange;
    exchange.response.onWritten = () => this.#note();
    exchange.response.once('close', () => this.#goOn());
    this.#note();
    exchange.answer();
  }

  /** Begins the next request in the next turn of the event loop, so that a long pipeline does not let the other connections wait. */
  #goOn(): void {
    if (this.#isOver) this.#forget();
    if (this.#waiting.length > 0) {
      setImmediate(() => this.#beginNext());
      return;
    }
    this.#current = undefined;
    this.#note();
  }

  #beginNext(): void {
    const next = this.#isOver ? undefined : this.#waiting.shift();
    this.#current = undefined;
    if (next === undefined) return;
    this.#waitingBytes -= WAITING_BYTES + headerBytesOf(next);
    if (this.#waiting.length === MAX_WAITING) this.#socket.resume();
    this.#begin(next);
  }

  #forget(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #note(): void {
    const current = this.#current;
    const currentBytes = current ? headerBytesOf(current) + current.response.writableLength : 0;
    this.#memory.note(this, this.#socket.destroyed ? 0 : this.#waitingBytes + currentBytes);
  }
}

/** The pipelines of all connections. */
export class Pipelines {
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  readonly #memory: ClientMemory;

  constructor(memory: ClientMemory) {
    this.#memory = memory;
  }

  /** Answers a request once those before it are answered. */
  add(exchange: Exchange): void {
    const { socket } = exchange.incoming;
    let pipeline = this.#pipelines.get(socket);
    if (pipeline === undefined) {
      pipeline = new Pipeline(socket, this.#memory);
      this.#pipelines.set(socket, pipeline);
    }
    pipeline.add(exchange);
  }
}
