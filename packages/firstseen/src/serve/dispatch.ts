// Runs commands that were parsed. Commands on keys of one detector that follow one another are one batch of the kernel.

import { Arguments } from './commands/arguments.js';
import { missingFilter } from './commands/bloom.js';
import {
  LOADING,
  MADE_FOR_CLAIMS,
  NO_AUTHENTICATION,
  noDetector,
  noPermission,
  notWritable,
  replyOfError,
  unknownCommand,
  wrongArguments,
} from './commands/errors.js';
import { MAX_LOCK_KEYS } from './commands/locks.js';
import { notOfMap } from './commands/mapped.js';
import { commandNamed } from './commands/registry.js';
import {
  type BatchRow,
  type CommandContext,
  type CommandRow,
  isAsking,
  isBatchRow,
  isKeysRow,
  isWriting,
  type KeysRow,
  type SingleRow,
  type Together,
} from './commands/row.js';
import { queueCommand, refusedIn } from './commands/transaction.js';
import { notOffered } from './commands/unoffered.js';
import { maxLoggedBytes } from './log/records.js';
import { type Answers, askSome } from './operations/ask.js';
import { type CommandRange, endOfAlike, type KeyBatch, keyCount } from './resp/batch.js';
import type { ParsedCommands } from './resp/commands.js';
import { Latest } from './resp/latest.js';
import { ErrorReply, type Reply } from './resp/replies.js';
import type { ReplyWriter } from './resp/writer.js';
import { mayDo } from './session.js';
import type { DetectorEntry } from './store/entry.js';
import { MAX_TOKEN_BYTES } from './store/portions.js';

/**
 * The outcome of commands: how many were run; what the first of them waits for: its reply, or undefined if it is to be
 * run again; or the commands that are run in place of it.
 */
export type Step = number | Promise<Reply | undefined> | ParsedCommands;

/** Names of commands are short: a longer one is unknown. */
const MAX_NAME_BYTES = 32;

function rowOf(name: Buffer): CommandRow | undefined {
  return name.length > MAX_NAME_BYTES ? undefined : commandNamed.get(name.toString('latin1').toUpperCase());
}

/** The error for a command that is not run at all. */
function refusalOf(row: CommandRow | undefined, command: Arguments, context: CommandContext): ErrorReply | undefined {
  const { session, server } = context;
  if (row === undefined) {
    return session.role === 'none'
      ? NO_AUTHENTICATION
      : (notOfMap(command, context) ?? notOffered(command) ?? unknownCommand(command));
  }
  // Before the role: who asks whether the server is ready need not have one.
  if (server.phase === 'loading' && !row.isWhileLoading) return LOADING;
  if (!mayDo(session.role, row.role)) return session.role === 'none' ? NO_AUTHENTICATION : noPermission(row.name);
  return takes(row, command) ? undefined : wrongArguments(row.name);
}

/** Tells whether a command has as many arguments as it takes. */
function takes({ arguments: [least, most = Number.POSITIVE_INFINITY] }: CommandRow, command: Arguments): boolean {
  const count = command.count - 1;
  return count >= least && count <= most;
}

/** The most bytes that the log needs for the commands from an index on, of which the first one has this row. */
function loggedBytesOf({ logsEach }: CommandRow, commands: ParsedCommands, index: number): number {
  const { starts, ends, firsts, count } = commands;
  const [first, end] = [firsts[index] as number, firsts[count] as number];
  const records = logsEach ? end - first : count - index;
  const commandBytes = Math.max(0, (ends[end - 1] as number) - (starts[first] as number));
  // The keys of a lock have one token.
  const textBytes = logsEach
    ? Math.min(records, MAX_LOCK_KEYS) * MAX_TOKEN_BYTES
    : Math.min(commandBytes, records * MAX_TOKEN_BYTES);
  return maxLoggedBytes({ records, elements: end - first, textBytes });
}

function isImmediate(row: CommandRow): boolean {
  return 'isImmediate' in row && row.isImmediate === true;
}

function areTogether(reply: Reply | Together): reply is Together {
  return typeof reply === 'object' && reply !== null && 'together' in reply;
}

/** Commands that are asked together. */
interface Batch extends CommandRange {
  row: KeysRow;
}

/**
 * Writes the reply of each command of a batch. The first key that has no answer is an error, and ends its list. The commands after it are not
 * answered: their keys were not asked, and may be known.
 * @returns the number of commands that were answered
 */
function writeAnswers(commands: ParsedCommands, batch: Batch, answers: Answers, writer: ReplyWriter): number {
  const { row, from, to } = batch;
  const { verdicts, answered, error } = answers;
  if (!row.isList && error === undefined) {
    row.answer(writer, verdicts, 0, answered);
    return to - from;
  }
  let key = 0;
  for (let command = from; command < to; command++) {
    const count = keyCount(commands, command);
    const ready = Math.max(0, Math.min(count, answered - key));
    if (row.isList) writer.listOf(ready < count ? ready + 1 : count);
    row.answer(writer, verdicts, key, ready);
    if (ready < count) {
      writer.write(replyOfError(error));
      return command + 1 - from;
    }
    key += count;
  }
  return to - from;
}

/** The objects that all connections use, one after the other: none leaves anything there. */
export interface Shared {
  readonly writer: ReplyWriter;
  readonly keys: KeyBatch;
}

/** Runs the commands of one connection. */
export class Dispatcher {
  readonly #context: CommandContext;
  readonly #writer: ReplyWriter;
  readonly #keys: KeyBatch;
  /** Clients send the same command and the same detector most of the time. */
  readonly #rows = new Latest(rowOf);
  readonly #names = new Latest((bytes) => bytes.toString());
  readonly #tokens = new Latest((bytes) => bytes.toString('latin1'));

  /** True if a command was run that may have changed or asked a detector. The connection sets it back. */
  usesDetectors = false;

  constructor(context: CommandContext, { writer, keys }: Shared) {
    this.#context = context;
    this.#writer = writer;
    this.#keys = keys;
  }

  /** Tells whether a command is one of this server or of Redis. One of this server has as many arguments as it takes. */
  isKnown(commands: ParsedCommands, index: number): boolean {
    const command = new Arguments(commands, index);
    const row = this.#rows.of(commands.bytes, ...command.span(0));
    return row ? takes(row, command) : notOffered(command) !== undefined;
  }

  /** Runs the command at an index, with those after it that are one batch with it. */
  run(commands: ParsedCommands, index: number): Step {
    const command = new Arguments(commands, index);
    const row = this.#rows.of(commands.bytes, ...command.span(0));
    const refusal = refusalOf(row, command, this.#context);
    const { session } = this.#context;
    if (refusal) return this.#answer(refusedIn(session, row?.name, refusal));
    if (session.transaction && !isImmediate(row as CommandRow)) {
      return this.#answer(queueCommand(session, commands, index));
    }
    const wait = this.#waitToWrite(row as CommandRow, commands, index);
    if (wait) return wait instanceof ErrorReply ? this.#answer(wait) : wait;
    if (isKeysRow(row as CommandRow)) return this.#ask(commands, index, row as KeysRow);
    if (isBatchRow(row as CommandRow)) return this.#runBatch(commands, index, row as BatchRow);
    const { run } = row as SingleRow;
    try {
      const reply = run(command, this.#context);
      if (reply instanceof Promise) return reply.catch(replyOfError);
      if (areTogether(reply)) {
        this.#writer.listOf(reply.together.count);
        return reply.together;
      }
      return this.#answer(reply);
    } catch (error) {
      return this.#answer(replyOfError(error));
    }
  }

  /** Returns the promise that a change waits for, or the error by which it is refused; undefined if it can be made. */
  #waitToWrite(row: CommandRow, commands: ParsedCommands, index: number): Promise<undefined> | ErrorReply | undefined {
    const { data } = this.#context.server;
    if (data === undefined) return undefined;
    if (!isWriting(row)) {
      if (!isAsking(row)) return undefined;
      this.usesDetectors = true;
      // A question moves the time of a window.
      return data.isSaving ? data.pause?.then(() => undefined) : undefined;
    }
    const problem = data.problemOfChange(loggedBytesOf(row, commands, index));
    if (problem !== undefined) {
      this.#context.server.counts.refusedChanges++;
      return notWritable(problem);
    }
    const { pause } = data;
    this.usesDetectors = true;
    return pause?.then(() => undefined);
  }

  #answer(reply: Reply): Step {
    if (reply instanceof ErrorReply) this.#context.server.counts.errors++;
    // HELLO changes the version of its own reply.
    this.#writer.version = this.#context.session.protocol;
    this.#writer.write(reply);
    return 1;
  }

  #runBatch(commands: ParsedCommands, index: number, row: BatchRow): Step {
    try {
      const next = { commands, index, writer: this.#writer, keys: this.#keys, tokens: this.#tokens };
      const step = row.runBatch(next, this.#context);
      if (typeof step === 'number') return step;
      return step instanceof Promise ? step.catch(replyOfError) : this.#answer(step);
    } catch (error) {
      return this.#answer(replyOfError(error));
    }
  }

  #ask(commands: ParsedCommands, from: number, row: KeysRow): Step {
    const [, most = Number.POSITIVE_INFINITY] = row.arguments;
    const batch: Batch = { row, from, to: endOfAlike(commands, from, most - 1) };
    const name = this.#names.of(commands.bytes, ...new Arguments(commands, from).span(1));
    const entry = this.#context.server.store.find(name);
    const { autoCreateBytes } = this.#context.server;
    if (entry) return this.#askEntry(commands, batch, entry);
    if (row.make && autoCreateBytes !== undefined) {
      return row.make(name, this.#context).then(() => undefined, replyOfError);
    }
    this.#answerMissing(commands, batch, name);
    return batch.to - from;
  }

  #askEntry(commands: ParsedCommands, batch: Batch, entry: DetectorEntry): number {
    const { row } = batch;
    if (entry.claims && row.ask === 'observe' && !row.hasPending) {
      return this.#answerAll(batch, MADE_FOR_CLAIMS);
    }
    this.#keys.take(commands, batch);
    const answers = askSome(entry, batch.row, this.#keys);
    if (answers.error !== undefined) this.#context.server.counts.errors++;
    return writeAnswers(commands, batch, answers, this.#writer);
  }

  /** The answers for a detector that there is not. */
  #answerMissing(commands: ParsedCommands, batch: Batch, name: string): void {
    const { row } = batch;
    if (row.missing !== undefined) {
      this.#keys.take(commands, batch);
      const { verdicts, count } = this.#keys;
      writeAnswers(commands, batch, { verdicts: verdicts.fill(row.missing), answered: count }, this.#writer);
      return;
    }
    this.#answerAll(batch, row.make ? missingFilter(name) : noDetector(name));
  }

  /** Answers each command of a batch with an error. @returns their number */
  #answerAll({ from, to }: Batch, error: ErrorReply): number {
    for (let command = from; command < to; command++) this.#writer.write(error);
    this.#context.server.counts.errors += to - from;
    return to - from;
  }
}
