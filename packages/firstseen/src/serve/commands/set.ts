// SET and SETNX on keys of maps. With NX they ask whether a key is new, and add or claim it; SET without NX commits a key that was claimed.

import { areAlikeBut, spanAt } from '../resp/batch.js';
import type { ParsedCommands } from '../resp/commands.js';
import { ErrorReply } from '../resp/replies.js';
import type { ProtocolVersion } from '../resp/writer.js';
import { MOST_TOKEN_BYTES } from '../store/portions.js';
import { Arguments } from './arguments.js';
import { observeSome } from './ask.js';
import { isTokenAt } from './claims.js';
import { SYNTAX_ERROR, writeError } from './errors.js';
import { wrongTime } from './kept.js';
import {
  detectorOf,
  isForClaims,
  type Kept,
  type Mapped,
  type MappedClaims,
  mapAt,
  notTaken,
  withoutMap,
} from './mapped.js';
import { claimMapped, commitMapped, VALUE } from './mappedclaims.js';
import type { BatchRow, BatchStep, CommandContext, NextCommands } from './row.js';

const [KEY, FIRST_WORD] = [1, 3];
const NOT_WHOLE = new ErrorReply('ERR value is not an integer or out of range');
const BAD_VALUE = new ErrorReply(`ERR the value of a key that is claimed has 1 to ${MOST_TOKEN_BYTES} bytes`);
const BAD_EXPIRY = new ErrorReply("ERR invalid expire time in 'set' command");

/** The milliseconds of the units that a time is given in. */
const units: Readonly<Record<string, number>> = { EX: 1000, PX: 1 };
/** The other words of SET that Redis has, with the arguments after them. */
const otherWords: Readonly<Record<string, number>> = { XX: 0, GET: 0, KEEPTTL: 0, EXAT: 1, PXAT: 1 };

/** What SET says besides the key and the value. */
interface SetWords {
  isNew: boolean;
  milliseconds: number | undefined;
  /** A word of Redis that maps do not take. */
  other: string | undefined;
}

/** Reads the words of SET. */
function readWords(given: Arguments): SetWords | ErrorReply {
  const words: SetWords = { isNew: false, milliseconds: undefined, other: undefined };
  for (let i = FIRST_WORD; i < given.count; i++) {
    const word = given.word(i);
    const unit = units[word];
    const skipped = otherWords[word];
    if (word === 'NX') words.isNew = true;
    else if (unit !== undefined) {
      if (++i === given.count || words.milliseconds !== undefined) return SYNTAX_ERROR;
      const time = given.whole(i);
      if (time === undefined) return NOT_WHOLE;
      if (time <= 0) return BAD_EXPIRY;
      words.milliseconds = time * unit;
    } else if (skipped !== undefined) {
      words.other = word;
      i += skipped;
    } else return SYNTAX_ERROR;
  }
  return words;
}

/** What a batch does with each key. */
interface Action {
  mapped: Mapped;
  kept: Kept;
  isCommit: boolean;
}

/** What the next command does, or why it does nothing. */
function actionOf(name: string, given: Arguments, { server }: CommandContext): Action | ErrorReply {
  const map = mapAt(given, KEY, server);
  if (map === undefined) return withoutMap(name);
  const words = name === 'SETNX' ? { isNew: true, milliseconds: undefined, other: undefined } : readWords(given);
  if (words instanceof ErrorReply) return words;
  const { isNew, milliseconds, other } = words;
  if (other !== undefined) return notTaken(`SET with ${other}`, map);
  if (!isNew && map.meaning === 'seen') return notTaken('SET without NX', map);
  const kept = { milliseconds, isLease: isNew && map.meaning === 'claims' };
  const mapped = detectorOf(map, server, kept);
  if (mapped instanceof ErrorReply) return mapped;
  return wrongTime(mapped, kept) ?? { mapped, kept, isCommit: !isNew };
}

/** The end of the commands that do the same with other keys of the map. */
function endOfSame(
  commands: ParsedCommands,
  from: number,
  { mapped: { map }, isCommit }: Action,
  { server }: CommandContext,
): number {
  let to = from + 1;
  for (; to < commands.count && areAlikeBut(commands, [from, to], [KEY, VALUE]); to++) {
    if (server.maps.find(commands.bytes, ...spanAt(commands, to, KEY)) !== map) break;
    if (map.meaning === 'claims' && !isCommit && !isTokenAt(new Arguments(commands, to), VALUE)) break;
  }
  return to;
}

/** By version of the protocol, the reply to SET for a distinct key, and for a duplicate. */
const setReplies: Readonly<Record<ProtocolVersion, readonly [Buffer, Buffer]>> = {
  2: [Buffer.from('+OK\r\n'), Buffer.from('$-1\r\n')],
  3: [Buffer.from('+OK\r\n'), Buffer.from('_\r\n')],
};
const setnxReplies = [Buffer.from(':1\r\n'), Buffer.from(':0\r\n')];

/** Claims or commits the keys of a batch. */
function settle(
  claiming: MappedClaims,
  { kept, isCommit }: Action,
  next: NextCommands,
  context: CommandContext,
): number {
  const [ok, none] = setReplies[next.writer.version];
  const keys = { next, context, ok, none };
  return isCommit ? commitMapped(claiming, keys) : claimMapped(claiming, kept.milliseconds as number, keys);
}

function runBatch(name: string, next: NextCommands, context: CommandContext): BatchStep {
  const { commands, index, writer, keys } = next;
  const given = new Arguments(commands, index);
  const action = actionOf(name, given, context);
  if (action instanceof ErrorReply) return action;
  const { mapped, isCommit } = action;
  const isClaims = isForClaims(mapped);
  if (isClaims && !isCommit && !isTokenAt(given, VALUE)) return BAD_VALUE;
  keys.takeOne(commands, { from: index, to: endOfSame(commands, index, action, context) }, KEY);
  if (isClaims) return settle(mapped, action, next, context);
  const { verdicts, answered, error } = observeSome(mapped.entry, keys);
  writer.words(verdicts, 0, answered, name === 'SETNX' ? setnxReplies : setReplies[writer.version]);
  if (answered === keys.count) return answered;
  // The first key that has no answer is an error. Those after it were not observed, and are commands of their own.
  writeError(next, error as Error, context);
  return answered + 1;
}

function setRow(name: string, row: Pick<BatchRow, 'usage' | 'summary' | 'arguments'>): BatchRow {
  return { ...row, name, role: 'observe', runBatch: (next, context) => runBatch(name, next, context) };
}

export const setRows: readonly BatchRow[] = [
  setRow('SET', {
    usage: 'key value [NX] [EX seconds | PX milliseconds]',
    summary: 'asks by NX whether a key of a map is new; without NX, commits a key that was claimed',
    arguments: [2],
  }),
  setRow('SETNX', {
    usage: 'key value',
    summary: 'asks whether a key of a map is new',
    arguments: [2, 2],
  }),
];
