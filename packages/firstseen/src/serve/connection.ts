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
/** Bytes of replies that wait for the log. With more, nothing more is read. */
const MOST_HELD_BYTES = 2 ** 20;

export interface ConnectionOptions {
  socket: Socket;
  session: Session;
  server: ServerState;
  /** One for all connections: a connection takes what it has written before another one writes. */
  writer: ReplyWriter;
}

/** Replies that wait until the changes before them are safe. */
interface Held {
  replies: Buffer;
  isSafe: boolean;
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
  /** Whether the next command is running, and takes time. */
  #isRunning = false;
  /** Whether the client has not read what was sent. */
  #isFull = false;
  #held: Held[] = [];
  #heldBytes = 0;
  /** Whether the client sends nothing more. */
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
    socket.on('data', (chunk: Buffer) => {
      this.#parser.push(chunk);
      this.#work();
    });
    socket.on('drain', () => {
      this.#isFull = false;
      this.#work();
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#endIfDone();
    });
    // The event 'close' follows, and tells the server.
    socket.on('error', () => undefined);
  }

  /** Sends what was answered, and ends the connection. */
  close(): void {
    this.#session.isClosing = true;
    this.#endIfDone();
  }

  get #isWaiting(): boolean {
    return this.#isRunning || this.#isFull || this.#heldBytes > MOST_HELD_BYTES;
  }

  /** Runs commands until none is whole, or one waits. */
  #work(): void {
    this.#writer.version = this.#session.protocol;
    while (!this.#isWaiting && this.#runNext()) if (this.#writer.length >= SENT_BYTES) this.#send();
    this.#send();
    if (this.#isWaiting) this.#socket.pause();
    else this.#socket.resume();
    this.#endIfDone();
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
    this.#isRunning = true;
    reply.then(
      (answer) => this.#settle(answer),
      (error: unknown) => this.#socket.destroy(error as Error),
    );
  }

  /** Goes on with the reply of a command that took time, or runs it again. */
  #settle(answer: Reply | undefined): void {
    this.#isRunning = false;
    this.#writer.version = this.#session.protocol;
    if (answer !== undefined) {
      this.#writer.write(answer);
      this.#next++;
      this.#server.counts.commands++;
      if (answer instanceof ErrorReply) this.#server.counts.errors++;
    }
    this.#work();
  }

  #endIfDone(): void {
    if ((this.#session.isClosing || this.#hasEnded) && !this.#isRunning && this.#held.length === 0) this.#socket.end();
  }

  /** Sends what was written, once the changes before it are safe. */
  #send(): void {
    if (this.#writer.length === 0) return;
    const held: Held = { replies: this.#writer.take(), isSafe: false };
    const isHeld = this.#server.data?.whenSafe(() => {
      held.isSafe = true;
      this.#letGo();
      this.#work();
    });
    held.isSafe = isHeld !== true;
    this.#held.push(held);
    this.#heldBytes += held.replies.length;
    this.#letGo();
  }

  /** Sends the replies that are safe, in their order. */
  #letGo(): void {
    while (this.#held[0]?.isSafe) {
      const { replies } = this.#held.shift() as Held;
      this.#heldBytes -= replies.length;
      if (!this.#socket.destroyed && !this.#socket.write(replies)) this.#isFull = true;
    }
  }
}
