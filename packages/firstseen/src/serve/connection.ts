// A connection: bytes become commands, and their replies are sent with one call for all that came together.

import type { Socket } from 'node:net';
import { Dispatcher, type Shared, type Step } from './dispatch.js';
import { HeldReplies } from './held.js';
import { endAfterLinger } from './linger.js';
import { Patience, type TimeLimits } from './patience.js';
import type { ParsedCommands } from './resp/commands.js';
import { CommandParser } from './resp/parser.js';
import { ErrorReply, type Reply } from './resp/replies.js';
import type { ReplyWriter } from './resp/writer.js';
import type { ServerState, Session } from './session.js';

/** Bytes of replies after which they are sent, so that a long pipeline does not gather them all. */
const SENT_BYTES = 2 ** 16;
/** Bytes of replies that wait for the log. With more, nothing more is read. */
const MAX_HELD_BYTES = 2 ** 20;
/** Silence after which the system asks whether the machine of a client is still there. */
const KEEP_ALIVE_MILLISECONDS = 300_000;
const MILLISECONDS = 1000;

export interface ConnectionOptions {
  socket: Socket;
  session: Session;
  server: ServerState;
  shared: Shared;
}

/** Serves one client. While it waits, for a reply or for a slow reader, it reads nothing from it. */
export class Connection {
  readonly #socket: Socket;
  readonly #session: Session;
  readonly #server: ServerState;
  readonly #writer: ReplyWriter;
  #parser: CommandParser;
  readonly #dispatcher: Dispatcher;
  #commands: ParsedCommands;
  /** The command that is next among those that were parsed. */
  #next = 0;
  /** The commands that go on after those of a transaction, from the next one on. */
  #after: { commands: ParsedCommands; next: number } | undefined;
  /** True if a command takes time. */
  #isAnswering = false;
  /** The time for which the next command has waited already. */
  #waitedSeconds = 0;
  /** True if the client has closed its side. */
  #hasEnded = false;
  readonly #patience = new Patience(performance.now());
  /** The counts of the bytes and commands that came so far. */
  #bytesHeard = 0;
  #commandsHeard = 0;
  /** A character for each byte. */
  readonly #held: HeldReplies<string>;

  constructor({ socket, session, server, shared }: ConnectionOptions) {
    this.#socket = socket;
    this.#session = session;
    this.#server = server;
    this.#writer = shared.writer;
    this.#parser = new CommandParser(session.limits);
    this.#commands = this.#parser;
    this.#dispatcher = new Dispatcher({ session, server }, shared);
    const send = (replies: string) => {
      if (!socket.destroyed) socket.write(replies, 'latin1');
    };
    this.#held = new HeldReplies(
      () => server.data,
      send,
      () => this.#work(),
    );
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MILLISECONDS);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('drain', () => this.#work());
    socket.on('end', () => this.#finish());
    socket.on('close', () => {
      session.presence.leave();
      server.clientMemory.note(this, 0);
    });
    // The event 'close' follows, and tells the server.
    socket.on('error', () => undefined);
  }

  /** Sends what was answered, and ends the connection. */
  close(): void {
    this.#session.isClosing = true;
    // A command that waits for a claim is answered that the key is held.
    this.#session.presence.leave();
    this.#destroyLater();
    this.#work();
  }

  /**
   * Ends the connection, and forgets what has come. The client is told why, unless a command is being answered, or the
   * client does not read its replies.
   */
  endForMemory(problem: string): void {
    if (this.#isAnswering || this.#session.isClosing || this.#unreadBytes > SENT_BYTES) {
      // Inside a transaction, no other command is run.
      this.#session.isClosing = true;
      this.#socket.destroy();
      return;
    }
    this.#parser = new CommandParser(this.#session.limits);
    [this.#commands, this.#next, this.#after] = [this.#parser, 0, undefined];
    this.#session.transaction = undefined;
    this.#endWith(`ERR ${problem}; send smaller commands, or fewer at a time, or try again later`);
    this.#work();
  }

  /** Ends the connection of a client that takes longer than it may. */
  checkTime(now: number, limits: TimeLimits): void {
    const seen = {
      bytes: this.#bytesHeard,
      commands: this.#commandsHeard,
      // What waits because the client does not read has come.
      isPartial: this.#parser.isPartial && !this.#isWaiting,
      isUnknown: this.#session.role === 'none',
      isServed: this.#isAnswering || !this.#held.isEmpty,
    };
    if (this.#patience.isOver(now, seen, limits)) this.#socket.destroy();
  }

  /** True if the next command waits: for a reply, for a client to read, or for the log. */
  get #isWaiting(): boolean {
    // The commands of a transaction, which are not more than one command may be, wait for nobody.
    const isInside = this.#after !== undefined;
    return this.#isAnswering || (!isInside && (this.#socket.writableNeedDrain || this.#held.bytes > MAX_HELD_BYTES));
  }

  #take(chunk: Buffer): void {
    // What comes after the last command is not kept.
    if (this.#session.isClosing) return;
    this.#bytesHeard += chunk.length;
    this.#parser.push(chunk);
    this.#work();
    // The buffer of the chunk may be that of the next read, of any connection.
    this.#parser.keepRest();
  }

  #finish(): void {
    this.#hasEnded = true;
    this.#session.presence.leave();
    this.#work();
  }

  /** Runs commands until none is whole, or one waits. */
  #work(): void {
    if (this.#socket.destroyed) return;
    if (!this.#isAnswering) this.#runUntilWaiting();
    this.#noteMemory();
  }

  #noteMemory(): void {
    if (this.#socket.destroyed) return;
    const queuedBytes = this.#session.transaction?.queue.bytes ?? 0;
    const sentBytes = this.#session.isClosing ? 0 : this.#parser.takenBytes + queuedBytes;
    this.#server.clientMemory.note(this, sentBytes + this.#unreadBytes);
  }

  /** Bytes of replies that the system has not taken, because the client does not read, or that are held. */
  get #unreadBytes(): number {
    return this.#socket.writableLength + this.#held.bytes;
  }

  #runUntilWaiting(): void {
    this.#writer.version = this.#session.protocol;
    this.#runAll();
    this.#send();
    if (this.#isWaiting) this.#socket.pause();
    else if (this.#session.isClosing || this.#hasEnded) this.#endOnceSent();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  /** Runs commands, and counts how long they took: all together, because the clock would take a part of the time of a short one. */
  #runAll(): void {
    const { counts } = this.#server;
    const [began, before] = [performance.now(), counts.commands];
    while (!this.#isWaiting && this.#runNext()) if (this.#writer.length >= SENT_BYTES) this.#sendInBetween();
    const commands = counts.commands - before;
    if (commands === 0) return;
    const seconds = (performance.now() - began) / (commands * MILLISECONDS);
    // A command that waited, such as for the log, is run again, and is the first one then.
    if (this.#waitedSeconds > 0) counts.commandSeconds.add(seconds + this.#waitedSeconds);
    counts.commandSeconds.add(seconds, this.#waitedSeconds > 0 ? commands - 1 : commands);
    this.#waitedSeconds = 0;
  }

  /** Runs the next commands. @returns false if there are none */
  #runNext(): boolean {
    if (this.#session.isClosing) return false;
    if (this.#next === this.#commands.count && this.#after) {
      ({ commands: this.#commands, next: this.#next } = this.#after);
      this.#after = undefined;
    }
    if (this.#next === this.#commands.count) {
      this.#parser.limits = this.#session.limits;
      this.#commands = this.#parser.next();
      this.#next = 0;
      if (this.#commands.count === 0) return this.#refuse();
      this.#commandsHeard += this.#commands.count;
      if (this.#parser.isInline && !this.#dispatcher.isKnown(this.#commands, 0)) this.#endAfterUnknown();
    }
    const written = this.#writer.length;
    try {
      this.#follow(this.#dispatcher.run(this.#commands, this.#next));
    } catch (error) {
      this.#writer.cutTo(written);
      this.#fail(error);
    }
    return true;
  }

  #follow(step: Step): void {
    if (step instanceof Promise) {
      this.#waitFor(step);
      return;
    }
    if (typeof step === 'number') this.#next += step;
    else {
      this.#after = { commands: this.#commands, next: this.#next + 1 };
      [this.#commands, this.#next] = [step, 0];
    }
    this.#server.counts.commands += typeof step === 'number' ? step : 1;
    this.#writer.version = this.#session.protocol;
  }

  /** Ends the connection if what follows cannot be understood. */
  #refuse(): false {
    const { problem, foreignProtocol } = this.#parser;
    if (foreignProtocol !== undefined) this.#server.foreignConnections.add(this.#session.address, foreignProtocol);
    if (problem !== undefined) this.#endWith(`ERR ${problem}`);
    return false;
  }

  /**
   * Ends the connection after it replies to an unknown inline command, or one with a wrong number of arguments. The line may belong to another protocol, and an attacker may have
   * written the lines after it. A person who mistypes a command connects again.
   */
  #endAfterUnknown(): void {
    this.#server.foreignConnections.add(this.#session.address, 'lines that are not commands');
    this.#session.isClosing = true;
  }

  /** Ends the connection after an error that no command expects. The other connections go on. */
  #fail(error: unknown): void {
    const { message } = error as Error;
    process.emitWarning(error as Error);
    this.#endWith(`ERR the server failed: ${message}`);
  }

  #endWith(problem: string): void {
    this.#server.counts.errors++;
    this.#writer.write(new ErrorReply(problem));
    this.#session.isClosing = true;
  }

  #waitFor(reply: Promise<Reply | undefined>): void {
    this.#isAnswering = true;
    const began = performance.now();
    reply.then(
      (answer) => this.#settle(() => this.#answer(answer, (performance.now() - began) / MILLISECONDS)),
      (error: unknown) => this.#settle(() => this.#fail(error)),
    );
  }

  /** Goes on in the next turn of the event loop, so that many such commands in a pipeline do not let the other connections wait. */
  #settle(write: () => void): void {
    setImmediate(() => this.#goOn(write));
  }

  #goOn(write: () => void): void {
    this.#isAnswering = false;
    if (this.#socket.destroyed) return;
    // A command that takes time may have changed a detector after the replies before it were sent.
    this.#dispatcher.usesDetectors = true;
    this.#writer.version = this.#session.protocol;
    write();
    this.#work();
  }

  /** Answers the command that took time. It is run again if it has no answer. */
  #answer(answer: Reply | undefined, seconds: number): void {
    // Who waits for a claim has asked to: it tells nothing of the speed of the server.
    const claimSeconds = this.#session.presence.takeWaitedMilliseconds() / MILLISECONDS;
    this.#waitedSeconds += Math.max(0, seconds - claimSeconds);
    if (answer === undefined) return;
    this.#writer.write(answer);
    this.#next++;
    this.#server.counts.commands++;
    this.#server.counts.commandSeconds.add(this.#waitedSeconds);
    this.#waitedSeconds = 0;
    if (answer instanceof ErrorReply) this.#server.counts.errors++;
  }

  /** Sends what was written, once the changes before it are safe. */
  #send(): void {
    if (this.#writer.length === 0) return;
    const { usesDetectors } = this.#dispatcher;
    this.#dispatcher.usesDetectors = false;
    this.#held.add(this.#writer.take(), usesDetectors);
  }

  /** Sends replies before others. Those of a transaction wait for no reader, so their memory is counted at once. */
  #sendInBetween(): void {
    this.#send();
    this.#noteMemory();
    // A client that was ended may have changed it.
    this.#writer.version = this.#session.protocol;
  }

  /**
   * Ends the connection, unless replies are held. A client that does not close its side has a while to do so: it may not have read its
   * replies yet.
   */
  #endOnceSent(): void {
    if (this.#socket.writableEnded || !this.#held.isEmpty) return;
    this.#socket.end(() => this.#destroyLater());
    this.#socket.resume();
  }

  /** Ends the connection of a client that does not close its side, after a while. */
  #destroyLater(): void {
    const isHeld = () => !this.#held.isEmpty && this.#server.data?.problem === undefined;
    this.#socket.once(
      'close',
      endAfterLinger(() => this.#socket.destroy(), isHeld),
    );
  }
}
