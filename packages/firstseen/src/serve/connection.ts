// A connection: bytes become commands, and their replies are sent with one call for all that came together.

import type { Socket } from 'node:net';
import { Dispatcher } from './dispatch.js';
import type { ParsedCommands } from './resp/commands.js';
import { CommandParser } from './resp/parser.js';
import { ErrorReply, type Reply } from './resp/replies.js';
import type { ReplyWriter } from './resp/writer.js';
import type { ServerState, Session } from './session.js';

/** Bytes of replies after which they are sent, so that a long pipeline does not gather them all. */
const SENT_BYTES = 2 ** 16;

export interface ConnectionOptions {
  socket: Socket;
  session: Session;
  server: ServerState;
  /** One for all connections: a connection takes what it has written before another one writes. */
  writer: ReplyWriter;
}

/** Serves one client. While it waits, for a reply or for a slow reader, it reads nothing from it. */
export class Connection {
  readonly #socket: Socket;
  readonly #session: Session;
  readonly #server: ServerState;
  readonly #writer: ReplyWriter;
  readonly #parser: CommandParser;
  readonly #dispatcher: Dispatcher;
  #commands: ParsedCommands;
  /** The command that is next among those that were parsed. */
  #next = 0;
  #isWaiting = false;
  #hasEnded = false;

  constructor({ socket, session, server, writer }: ConnectionOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#server = server;
    this.#writer = writer;
    this.#parser = new CommandParser(session.limits);
    this.#commands = this.#parser;
    this.#dispatcher = new Dispatcher({ session, server }, writer);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('drain', () => this.#goOn());
    socket.on('end', () => this.#finish());
    // The event 'close' follows, and tells the server.
    socket.on('error', () => undefined);
  }

  /** Sends what was answered, and ends the connection. */
  close(): void {
    this.#session.isClosing = true;
    if (!this.#isWaiting) this.#socket.end();
  }

  #take(chunk: Buffer): void {
    this.#parser.push(chunk);
    this.#work();
  }

  #finish(): void {
    this.#hasEnded = true;
    if (!this.#isWaiting) this.#socket.end();
  }

  /** Runs commands until none is whole, or one waits. */
  #work(): void {
    this.#writer.version = this.#session.protocol;
    while (!this.#isWaiting && this.#runNext()) if (this.#writer.length >= SENT_BYTES) this.#send();
    this.#send();
    if (this.#session.isClosing && !this.#isWaiting) this.#socket.end();
  }

  /** Runs the next commands. @returns false if there are none */
  #runNext(): boolean {
    if (this.#session.isClosing) return false;
    if (this.#next === this.#commands.count) {
      this.#parser.limits = this.#session.limits;
      this.#commands = this.#parser.next();
      this.#next = 0;
      if (this.#commands.count === 0) return this.#refuse();
    }
    const step = this.#dispatcher.run(this.#commands, this.#next);
    if (typeof step === 'number') {
      this.#next += step;
      this.#server.counts.commands += step;
      this.#writer.version = this.#session.protocol;
    } else this.#waitFor(step);
    return true;
  }

  /** Ends the connection if what follows cannot be understood. */
  #refuse(): false {
    const { problem } = this.#parser;
    if (problem !== undefined) {
      this.#server.counts.errors++;
      this.#writer.write(new ErrorReply(`ERR ${problem}`));
      this.#session.isClosing = true;
    }
    return false;
  }

  #waitFor(reply: Promise<Reply | undefined>): void {
    this.#pause();
    reply.then(
      (answer) => this.#settle(answer),
      (error: unknown) => this.#socket.destroy(error as Error),
    );
  }

  #settle(answer: Reply | undefined): void {
    this.#writer.version = this.#session.protocol;
    if (answer !== undefined) {
      this.#writer.write(answer);
      this.#next++;
      this.#server.counts.commands++;
      if (answer instanceof ErrorReply) this.#server.counts.errors++;
    }
    this.#isWaiting = false;
    this.#send();
    if (!this.#isWaiting) this.#goOn();
  }

  #pause(): void {
    this.#isWaiting = true;
    this.#socket.pause();
  }

  #goOn(): void {
    this.#isWaiting = false;
    this.#work();
    if (this.#isWaiting) return;
    if (this.#hasEnded) this.#socket.end();
    else this.#socket.resume();
  }

  /** Sends what was written. A client that does not read its replies is not read from either. */
  #send(): void {
    if (this.#writer.length === 0) return;
    const replies = this.#writer.take();
    if (this.#socket.destroyed) return;
    if (!this.#socket.write(replies)) this.#pause();
  }
}
