// Errors as replies. Their texts are those of Redis 7 and RedisBloom 2.8 where these have the same error.

import { FirstseenError, shownValue } from '../../base/errors.js';
import { FilterFull, MadeForClaims } from '../operations/ask.js';
import { logProblemText, madeForClaimsText, nameInReplies } from '../operations/errortexts.js';
import { ErrorReply } from '../resp/replies.js';
import type { Arguments } from './arguments.js';
import type { CommandContext, NextCommands } from './row.js';

export const SYNTAX_ERROR = new ErrorReply('ERR syntax error');
/** The error for an argument that is not a whole number. */
export const NOT_WHOLE = new ErrorReply('ERR value is not an integer or out of range');
export const BAD_EXPIRY = new ErrorReply("ERR invalid expire time in 'set' command");
/** The text of RedisBloom, for its commands. */
export const NOT_FOUND = new ErrorReply('ERR not found');
export const LOADING = new ErrorReply('LOADING the server is reading its data folder');
export const NO_AUTHENTICATION = new ErrorReply('NOAUTH Authentication required.');
export const MADE_FOR_CLAIMS = new ErrorReply(`ERR ${madeForClaimsText}`);
const FULL = new ErrorReply('ERR non scaling filter is full');

const MAX_SHOWN_BYTES = 128;

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

export function unknownCommand(command: Arguments): ErrorReply {
  const name = command.text(0).slice(0, MAX_SHOWN_BYTES);
  let shown = '';
  for (let i = 1; i < command.count && shown.length < MAX_SHOWN_BYTES; i++) {
    shown += `'${command.text(i).slice(0, MAX_SHOWN_BYTES - shown.length)}' `;
  }
  return new ErrorReply(`ERR unknown command '${name}', with args beginning with: ${shown}`);
}

export function unknownSubcommand(command: Arguments): ErrorReply {
  const [name, subcommand] = [command.word(0), command.text(1).slice(0, MAX_SHOWN_BYTES)];
  return new ErrorReply(`ERR unknown subcommand '${subcommand}'. Try ${name} HELP.`);
}

/** The error for a change while the log cannot be written. */
export function notWritable(problem: unknown): ErrorReply {
  return new ErrorReply(`MISCONF the log cannot be written (${logProblemText(problem)}), so this change was not made`);
}

export function noPermission(name: string): ErrorReply {
  return new ErrorReply(`NOPERM this user has no permissions to run the '${name.toLowerCase()}' command`);
}
