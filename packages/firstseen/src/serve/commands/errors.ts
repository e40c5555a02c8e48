// Errors as replies. Their texts are those of Redis 7 and RedisBloom 2.8 where these have the same error.

import { FirstseenError, type OptionNaming, shownValue } from '../../base/errors.js';
import { longFlag } from '../../options/longflag.js';
import { serveRows } from '../../options/serve.js';
import { ErrorReply } from '../resp/replies.js';
import type { Arguments } from './arguments.js';
import { FilterFull, MadeForClaims } from './ask.js';
import { claimWords, createWords } from './createoptions.js';
import type { CommandContext, NextCommands } from './row.js';

export const SYNTAX_ERROR = new ErrorReply('ERR syntax error');
/** The error for an argument that is not a whole number. */
export const NOT_WHOLE = new ErrorReply('ERR value is not an integer or out of range');
export const BAD_EXPIRY = new ErrorReply("ERR invalid expire time in 'set' command");
/** The text of RedisBloom, for its commands. */
export const NOT_FOUND = new ErrorReply('ERR not found');
export const LOADING = new ErrorReply('LOADING the server is reading its data folder');
export const NO_AUTHENTICATION = new ErrorReply('NOAUTH Authentication required.');
export const MADE_FOR_CLAIMS = new ErrorReply(
  'ERR the detector was made for claims, and this command has no answer for a key that is held; use FS.CLAIM, or FS.OBSERVE, which answers pending',
);
const FULL = new ErrorReply('ERR non scaling filter is full');

const MAX_SHOWN_BYTES = 128;

/** The names of options in replies: the words of FS.CREATE, and the flags of the server. Both have a memory. */
const optionTexts: ReadonlyMap<string, string> = new Map([
  ...serveRows.map((row) => [row.name, longFlag(row)] as const),
  ...Array.from(createWords, ([word, { name }]) => [name, word] as const),
  ...Object.keys(claimWords).map((word) => [word.toLowerCase(), word] as const),
]);

export const nameInReplies: OptionNaming = (option) => optionTexts.get(option) ?? option;

/** The reply for an error of the library: what is wrong, what to do, and the code. */
export function replyOfError(error: unknown): ErrorReply {
  if (error instanceof FilterFull) return FULL;
  if (error instanceof MadeForClaims) return MADE_FOR_CLAIMS;
  if (error instanceof FirstseenError) return new ErrorReply(`ERR ${error.render(nameInReplies)} [${error.code}]`);
  throw error;
}

/** The reply where no detector has a name. */
export function noDetector(name: string): ErrorReply {
  return new ErrorReply(
    `ERR not found: no detector is called ${shownValue(name)}; FS.CREATE makes one, and FS.LIST tells their names`,
  );
}

/** Writes the reply for an error of the library. */
export function writeError({ writer }: NextCommands, error: unknown, { server }: CommandContext): void {
  server.counts.errors++;
  writer.write(replyOfError(error));
}

export function wrongArguments(name: string): ErrorReply {
  return new ErrorReply(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
}

export function unknownCommand(given: Arguments): ErrorReply {
  const name = given.text(0).slice(0, MAX_SHOWN_BYTES);
  let shown = '';
  for (let i = 1; i < given.count && shown.length < MAX_SHOWN_BYTES; i++) {
    shown += `'${given.text(i).slice(0, MAX_SHOWN_BYTES - shown.length)}' `;
  }
  return new ErrorReply(`ERR unknown command '${name}', with args beginning with: ${shown}`);
}

export function unknownSubcommand(given: Arguments): ErrorReply {
  const [command, subcommand] = [given.word(0), given.text(1).slice(0, MAX_SHOWN_BYTES)];
  return new ErrorReply(`ERR unknown subcommand '${subcommand}'. Try ${command} HELP.`);
}

/** Why the log cannot be written, as clients are told it. */
export function logProblemText(problem: unknown): string {
  return problem instanceof FirstseenError ? problem.render(nameInReplies) : (problem as Error).message;
}

/** The error for a change while the log cannot be written. */
export function notWritable(problem: unknown): ErrorReply {
  return new ErrorReply(`MISCONF the log cannot be written (${logProblemText(problem)}), so this change was not made`);
}

export function noPermission(name: string): ErrorReply {
  return new ErrorReply(`NOPERM this user has no permissions to run the '${name.toLowerCase()}' command`);
}
