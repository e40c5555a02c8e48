// Runs commands that were parsed. Commands on keys of one detector that follow one another are one batch of the kernel.

import { Arguments } from './commands/arguments.js';
import { type Answers, askSome } from './commands/ask.js';
import { missingFilter } from './commands/bloom.js';
import {
  NO_AUTHENTICATION,
  NOT_FOUND,
  noPermission,
  replyOfError,
  unknownCommand,
  wrongArguments,
} from './commands/errors.js';
import { commandNamed } from './commands/registry.js';
import { type CommandContext, type CommandRow, isKeysRow, type KeysRow, type Together } from './commands/row.js';
import { queueCommand, refusedIn } from './commands/transaction.js';
import { isSamePart, type ParsedCommands } from './resp/commands.js';
import { ErrorReply, type Reply } from './resp/replies.js';
import type { ReplyWriter } from './resp/writer.js';
import { mayDo } from './session.js';
import type { DetectorEntry } from './store/entry.js';

/** The index of the first key among the arguments of a command on keys. */
const FIRST_KEY = 2;

/**
 * What became of commands: how many were run; what the first of them waits for: its reply, or undefined if it is to be run again;
 * or the commands that are run in place of it.
 */
export type Step = number | Promise<Reply | undefined> | ParsedCommands;

/** Names of commands are short: a longer one is unknown. */
const MOST_NAME_BYTES = 32;

function rowOf(given: Arguments): CommandRow | undefined {
  const name = given.bytes(0);
  return name.length > MOST_NAME_BYTES ? undefined : commandNamed.get(name.toString('latin1').toUpperCase());
}

/** The error for a command that is not run at all. */
function refusalOf(row: CommandRow | undefined, given: Arguments, { session }: CommandContext): ErrorReply | undefined {
  if (row === undefined) return session.role === 'none' ? NO_AUTHENTICATION : unknownCommand(given);
  if (!mayDo(session.role, row.role)) return session.role === 'none' ? NO_AUTHENTICATION : noPermission(row.name);
  const [least, most = Number.POSITIVE_INFINITY] = row.arguments;
  const count = given.count - 1;
  return count < least || count > most ? wrongArguments(row.name) : undefined;
}

function isImmediate(row: CommandRow): boolean {
  return !isKeysRow(row) && row.isImmediate === true;
}

function areTogether(reply: Reply | Together): reply is Together {
  return typeof reply === 'object' && reply !== null && 'together' in reply;
}

/** Whether two commands have the same name and the same detector, byte for byte. */
function isAlike({ bytes, starts, ends, firsts }: ParsedCommands, one: number, other: number): boolean {
  const [a, b] = [firsts[one] as number, firsts[other] as number];
  if ((firsts[other + 1] as number) - b < FIRST_KEY + 1) return false;
  const isSame = (i: number) =>
    isSamePart(bytes, starts[a + i] as number, ends[a + i] as number, starts[b + i] as number, ends[b + i] as number);
  return isSame(1) && isSame(0);
}

/** Commands that follow one another, and the spans of all their keys. */
interface Batch {
  row: KeysRow;
  from: number;
  to: number;
}

/** The end of the commands that are like the first one and can be asked with it. */
function endOfBatch(commands: ParsedCommands, from: number, row: KeysRow): number {
  const { firsts, count } = commands;
  const [, most = Number.POSITIVE_INFINITY] = row.arguments;
  let to = from + 1;
  while (to < count && (firsts[to + 1] as number) - (firsts[to] as number) - 1 <= most && isAlike(commands, from, to))
    to++;
  return to;
}

/** The spans of the keys of commands: those of one command are together already. */
function keysOf({ bytes, starts, ends, firsts }: ParsedCommands, { from, to }: Batch) {
  const first = (firsts[from] as number) + FIRST_KEY;
  const end = firsts[to] as number;
  if (to === from + 1)
    return { bytes, starts: starts.subarray(first, end), ends: ends.subarray(first, end), count: end - first };
  const count = end - (firsts[from] as number) - FIRST_KEY * (to - from);
  const [keyStarts, keyEnds] = [new Uint32Array(count), new Uint32Array(count)];
  let key = 0;
  for (let command = from; command < to; command++) {
    const next = firsts[command + 1] as number;
    for (let i = (firsts[command] as number) + FIRST_KEY; i < next; i++, key++) {
      keyStarts[key] = starts[i] as number;
      keyEnds[key] = ends[i] as number;
    }
  }
  return { bytes, starts: keyStarts, ends: keyEnds, count };
}

/** Writes the reply of each command of a batch. The first key that has no answer is an error, and ends its list. */
function writeAnswers(commands: ParsedCommands, batch: Batch, answers: Answers, writer: ReplyWriter): void {
  const { row, from, to } = batch;
  const { verdicts, answered, error } = answers;
  let key = 0;
  for (let command = from; command < to; command++) {
    const count = (commands.firsts[command + 1] as number) - (commands.firsts[command] as number) - FIRST_KEY;
    const ready = Math.max(0, Math.min(count, answered - key));
    if (row.isList) writer.listOf(ready < count ? ready + 1 : count);
    row.answer(writer, verdicts, key, ready);
    if (ready < count) writer.write(replyOfError(error));
    key += count;
  }
}

/** The answers for a detector that there is not. */
function writeMissing(commands: ParsedCommands, batch: Batch, name: string, writer: ReplyWriter): void {
  const { row, from, to } = batch;
  if (row.missing !== undefined) {
    const { count } = keysOf(commands, batch);
    writeAnswers(commands, batch, { verdicts: new Uint8Array(count).fill(row.missing), answered: count }, writer);
    return;
  }
  const reply = row.make ? missingFilter(name) : NOT_FOUND;
  for (let command = from; command < to; command++) writer.write(reply);
}

/** Runs the commands of one connection. */
export class Dispatcher {
  readonly #context: CommandContext;
  readonly #writer: ReplyWriter;

  constructor(context: CommandContext, writer: ReplyWriter) {
    this.#context = context;
    this.#writer = writer;
  }

  /** Runs the command at an index, with those after it that are one batch with it. */
  run(commands: ParsedCommands, index: number): Step {
    const given = new Arguments(commands, index);
    const row = rowOf(given);
    const refusal = refusalOf(row, given, this.#context);
    const { session } = this.#context;
    if (refusal) return this.#answer(refusedIn(session, row?.name, refusal));
    if (session.transaction && !isImmediate(row as CommandRow)) {
      return this.#answer(queueCommand(session, commands, index));
    }
    if (isKeysRow(row as CommandRow)) return this.#ask(commands, index, row as KeysRow);
    const { run } = row as Exclude<CommandRow, KeysRow>;
    try {
      const reply = run(given, this.#context);
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

  #answer(reply: Reply): Step {
    if (reply instanceof ErrorReply) this.#context.server.counts.errors++;
    // HELLO changes the version of its own reply.
    this.#writer.version = this.#context.session.protocol;
    this.#writer.write(reply);
    return 1;
  }

  #ask(commands: ParsedCommands, from: number, row: KeysRow): Step {
    const batch: Batch = { row, from, to: endOfBatch(commands, from, row) };
    const name = new Arguments(commands, from).text(1);
    const entry = this.#context.server.store.find(name);
    const { autoCreateBytes } = this.#context.server;
    if (entry) this.#askEntry(commands, batch, entry);
    else if (row.make && autoCreateBytes !== undefined) {
      return row.make(name, this.#context).then(() => undefined, replyOfError);
    } else writeMissing(commands, batch, name, this.#writer);
    return batch.to - from;
  }

  #askEntry(commands: ParsedCommands, batch: Batch, entry: DetectorEntry): void {
    const answers = askSome(entry, batch.row.ask, keysOf(commands, batch));
    if (answers.error !== undefined) this.#context.server.counts.errors++;
    writeAnswers(commands, batch, answers, this.#writer);
  }
}
