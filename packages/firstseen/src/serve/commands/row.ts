// The contract of a command: one row has all that there is to say of it.

import type { KeyBatch } from '../resp/batch.js';
import type { ParsedCommands } from '../resp/commands.js';
import type { Latest } from '../resp/latest.js';
import type { Reply } from '../resp/replies.js';
import type { ReplyWriter } from '../resp/writer.js';
import type { Role, ServerState, Session } from '../session.js';
import type { Arguments } from './arguments.js';

export interface CommandContext {
  readonly session: Session;
  readonly server: ServerState;
}

/** A form of a command, and its reply in the words of docs/SERVER.md. */
export interface ReplyForm {
  /** The arguments of the form; those of the row by default. */
  readonly usage?: string;
  /** The reply; of a command on keys, that for the name of a detector. */
  readonly reply?: string;
  /** The replies for a key of a map: of keys that are seen, and of keys that are claimed. */
  readonly mapped?: readonly [seen: string, claimed: string];
}

/** A row of a command whose replies a table shows. */
export interface Replied {
  readonly replies: readonly ReplyForm[];
}

interface NamedRow {
  /** In upper case. */
  readonly name: string;
  /** The arguments in words, for COMMAND DOCS and the documentation. */
  readonly usage: string;
  readonly summary: string;
  /** The replies that the tables of docs/SERVER.md show. */
  readonly replies?: readonly ReplyForm[];
  readonly role: Role;
  /** The fewest and the most arguments after the name; without a second number, any number. */
  readonly arguments: readonly [least: number, most?: number];
  /** True if it is answered while the data folder is read: clients send it when they connect. */
  readonly isWhileLoading?: true;
  /** True if the log may have a record for each argument. */
  readonly logsEach?: true;
}

/** Commands whose replies are one list, as the reply of EXEC. */
export interface Together {
  readonly together: ParsedCommands;
}

/** A command that runs by itself. */
export interface SingleRow extends NamedRow {
  /** True if it is run inside a transaction too, and not queued. */
  readonly isImmediate?: true;
  /** True if it asks detectors, though it changes none: that moves the time of their windows. */
  readonly isAsking?: true;
  /** Errors of the library become error replies. */
  run(command: Arguments, context: CommandContext): Reply | Promise<Reply> | Together;
}

/** A command that asks a detector about keys, from its second argument on. Commands that follow one another are one batch. */
export interface KeysRow extends NamedRow {
  readonly ask: 'observe' | 'test';
  /** True if it has an answer for a key that a claim holds. Others that add keys are refused on a detector for claims. */
  readonly hasPending?: true;
  /** True if the reply is a list, whatever the number of keys. */
  readonly isList: boolean;
  /** Writes the answers of a number of keys, from a verdict on, without the head of a list. */
  answer(writer: ReplyWriter, verdicts: Uint8Array, from: number, count: number): void;
  /** Makes the detector of a name that there is not, if the server makes them by itself. */
  make?(name: string, context: CommandContext): Promise<unknown>;
  /** The answer for each key of a detector that does not exist. Without it, the command is an error. */
  readonly missing?: number;
}

/** Commands of which one is next, and where their replies are written. */
export interface NextCommands {
  readonly commands: ParsedCommands;
  readonly index: number;
  readonly writer: ReplyWriter;
  /** Room for their keys. */
  readonly keys: KeyBatch;
  /** Reads tokens, a character for each byte: many clients have one token for all claims. */
  readonly tokens: Latest<string>;
}

/**
 * The result of a step of a batch: the number of commands that it has answered; or the reply to the next command alone,
 * or a promise of it.
 */
export type BatchStep = number | Exclude<Reply, number> | Promise<Reply>;

/** A command whose batches are its own matter: it knows which of the commands that follow it are one batch with it. */
export interface BatchRow extends NamedRow {
  /** Answers the next command, and those after it that are one batch with it. An error that it throws is the reply to the next command. */
  runBatch(next: NextCommands, context: CommandContext): BatchStep;
}

export type CommandRow = SingleRow | KeysRow | BatchRow;

/** Tells if a command changes detectors, and so the log. */
export function isWriting({ role }: CommandRow): boolean {
  return role === 'observe' || role === 'admin';
}

export function isKeysRow(row: CommandRow): row is KeysRow {
  return 'ask' in row;
}

export function isBatchRow(row: CommandRow): row is BatchRow {
  return 'runBatch' in row;
}

/** Tells if a command asks detectors without changing them. */
export function isAsking(row: CommandRow): boolean {
  return !isWriting(row) && (isKeysRow(row) || ('isAsking' in row && row.isAsking === true));
}
