// SET and SETNX on keys of maps. With NX they ask whether a key is new, and add or claim it; SET without NX commits a key that was claimed.

import { observeSome } from '../operations/ask.js';
import { areAlikeBut, spanAt } from '../resp/batch.js';
import type { ParsedCommands } from '../resp/commands.js';
import { ErrorReply } from '../resp/replies.js';
import type { ProtocolVersion } from '../resp/writer.js';
import { MAX_TOKEN_BYTES } from '../store/portions.js';
import { Arguments } from './arguments.js';
import { isTokenAt } from './claims.js';
import { BAD_EXPIRY, NOT_WHOLE, SYNTAX_ERROR, writeError } from './errors.js';
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
import { claimMapped, commitMapped, VALUE, valueMapped } from './mappedclaims.js';
import type { BatchRow, BatchStep, CommandContext, NextCommands } from './row.js';

const [KEY, FIRST_WORD] = [1, 3];
/** The time of SETEX, which the value follows. */
const TIME = 2;
const BAD_VALUE = new ErrorReply(`ERR the value of a key that is claimed has 1 to ${MAX_TOKEN_BYTES} bytes`);
const PAST = new ErrorReply('ERR the time of SET is in the past; give a later one');

/** The milliseconds of the units that a time is given in: from now on, or since 1970. */
const units: Readonly<Record<string, number>> = { EX: 1000, PX: 1 };
const unitsOfTimes: Readonly<Record<string, number>> = { EXAT: 1000, PXAT: 1 };
/** Redis has whole numbers of 64 bits. */
const MAX_WHOLE = 2 ** 63;
/** The other words of SET that Redis has. */
const otherWords: readonly string[] = ['XX', 'KEEPTTL'];

/** The words of SET besides the key and the value. */
interface SetWords {
  isNew: boolean;
  /** True if the reply is the value that the key had. */
  isGet: boolean;
  milliseconds: number | undefined;
  /** A word of Redis that maps do not take. */
  other: string | undefined;
}

/** The time that an argument says, in milliseconds from now on; undefined if the word before it says no time. */
function timeAt(command: Arguments, index: number, word: string): number | ErrorReply | undefined {
  const [unit, unitOfTime] = [units[word], unitsOfTimes[word]];
  if (unit === undefined && unitOfTime === undefined) return undefined;
  if (index === command.count) return SYNTAX_ERROR;
  const time = command.whole(index);
  if (time === undefined || time > MAX_WHOLE) return NOT_WHOLE;
  if (time <= 0) return BAD_EXPIRY;
  // Redis has no room for its milliseconds either, or nearly none.
  if (time * (unit ?? (unitOfTime as number)) > Number.MAX_SAFE_INTEGER) return BAD_EXPIRY;
  const milliseconds = unit === undefined ? time * (unitOfTime as number) - Date.now() : time * unit;
  return milliseconds > 0 ? milliseconds : PAST;
}

/** Reads the words of SET. */
function readWords(command: Arguments): SetWords | ErrorReply {
  const words: SetWords = { isNew: false, isGet: false, milliseconds: undefined, other: undefined };
  for (let i = FIRST_WORD; i < command.count; i++) {
    const word = command.word(i);
    const time = timeAt(command, i + 1, word);
    if (word === 'NX') words.isNew = true;
    else if (word === 'GET') words.isGet = true;
    else if (otherWords.includes(word)) words.other = word;
    else if (time === undefined || words.milliseconds !== undefined) return SYNTAX_ERROR;
    else if (time instanceof ErrorReply) return time;
    else {
      words.milliseconds = time;
      i++;
    }
  }
  return words;
}

/** SETNX has no words. */
const newForEver: SetWords = { isNew: true, isGet: false, milliseconds: undefined, other: undefined };

/** The units of the commands whose time comes before the value. */
const unitsOfCommands: Readonly<Record<string, string>> = { SETEX: 'EX', PSETEX: 'PX' };

/** Reads the words of a command of this name. */
function wordsOf(name: string, command: Arguments): SetWords | ErrorReply {
  const unit = unitsOfCommands[name];
  if (unit === undefined) return name === 'SETNX' ? newForEver : readWords(command);
  const time = timeAt(command, TIME, unit);
  if (time === BAD_EXPIRY) return new ErrorReply(BAD_EXPIRY.text.replace('set', name.toLowerCase()));
  return time instanceof ErrorReply ? time : { ...newForEver, isNew: false, milliseconds: time };
}

/** The action of a batch on each key. */
interface Action {
  mapped: Mapped;
  kept: Kept;
  isCommit: boolean;
  isGet: boolean;
  /** True if the time comes before the value. */
  hasTimeFirst: boolean;
}

/** Returns the action of the next command, or the error for which it does nothing. */
function actionOf(name: string, command: Arguments, { server }: CommandContext): Action | ErrorReply {
  const key = command.bytes(KEY);
  const map = mapAt(command, KEY, server.maps);
  if (map === undefined) return withoutMap(name, key);
  const words = wordsOf(name, command);
  if (words instanceof ErrorReply) return words;
  const { isNew, isGet, milliseconds, other = isGet && map.meaning === 'seen' ? 'GET' : undefined } = words;
  if (other !== undefined) return notTaken(`SET with ${other}`, map, key);
  if (!isNew && map.meaning === 'seen') return notTaken(name === 'SET' ? 'SET without NX' : name, map, key);
  const keeping = { milliseconds, isLease: isNew && map.meaning === 'claims' };
  const mapped = detectorOf(map, server.store, keeping);
  if (mapped instanceof ErrorReply) return mapped;
  return (
    wrongTime(mapped, keeping, key) ?? {
      mapped,
      kept: keeping,
      isCommit: !isNew,
      isGet,
      hasTimeFirst: name in unitsOfCommands,
    }
  );
}

/** The end of the commands that do the same with other keys of the map. */
function endOfSame(
  commands: ParsedCommands,
  from: number,
  { mapped: { map }, isCommit, isGet, hasTimeFirst }: Action,
  { server }: CommandContext,
): number {
  let to = from + 1;
  // Each has a reply of its own.
  if (isGet) return to;
  const value = hasTimeFirst ? TIME + 1 : VALUE;
  for (; to < commands.count && areAlikeBut(commands, [from, to], [KEY, value]); to++) {
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

function bulkOf(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]);
}

const setnxReplies = [Buffer.from(':1\r\n'), Buffer.from(':0\r\n')];

/** Claims or commits the keys of a batch. */
function settle(
  claiming: MappedClaims,
  { kept, isCommit, isGet }: Action,
  next: NextCommands,
  context: CommandContext,
): number {
  const [ok, none] = setReplies[next.writer.version];
  const value = isGet ? valueMapped(claiming, new Arguments(next.commands, next.index).bytes(KEY)) : undefined;
  const before = value === null || value === undefined ? none : bulkOf(value);
  // With GET, who gets the key is told that it had no value, and anybody else the value that it has.
  const keys = { next, context, ok: isGet ? (isCommit ? before : none) : ok, none: before };
  return isCommit ? commitMapped(claiming, keys) : claimMapped(claiming, kept.milliseconds as number, keys);
}

function runBatch(name: string, next: NextCommands, context: CommandContext): BatchStep {
  const { commands, index, writer, keys } = next;
  const command = new Arguments(commands, index);
  const action = actionOf(name, command, context);
  if (action instanceof ErrorReply) return action;
  const { mapped, isCommit } = action;
  const isClaims = isForClaims(mapped);
  if (isClaims && !isCommit && !isTokenAt(command, VALUE)) return BAD_VALUE;
  keys.takeOne(commands, { from: index, to: endOfSame(commands, index, action, context) }, KEY);
  if (isClaims) return settle(mapped, action, next, context);
  const { verdicts, answered, error } = observeSome(mapped.entry, keys);
  writer.words(verdicts, 0, answered, name === 'SETNX' ? setnxReplies : setReplies[writer.version]);
  if (answered === keys.count) return answered;
  // The first key that has no answer is an error. Those after it were not observed, and are commands of their own.
  writeError(next, error as Error, context);
  return answered + 1;
}

function setRow(name: string, row: Pick<BatchRow, 'usage' | 'summary' | 'replies' | 'arguments'>): BatchRow {
  return { ...row, name, role: 'observe', runBatch: (next, context) => runBatch(name, next, context) };
}

const TIMES = 'EX, PX, EXAT or PXAT time';
const COMMITTED = ['an error', 'OK; the key is committed, whoever holds it'] as const;

export const setRows: readonly BatchRow[] = [
  setRow('SET', {
    usage: 'key value [NX] [GET] [EX seconds | PX milliseconds | EXAT seconds | PXAT milliseconds]',
    summary: 'with NX, tells whether a key of a map is new, and adds or claims it; without NX, commits a claimed key',
    replies: [
      {
        usage: `key value NX [${TIMES}]`,
        mapped: [
          'OK if the key is new, and adds it; otherwise nil',
          'OK if the key is free, and holds it for the time; otherwise nil',
        ],
      },
      {
        usage: `key value NX GET [${TIMES}]`,
        mapped: ['an error', 'nil if the key is free, and holds it; otherwise what GET answers'],
      },
      { usage: `key value [GET] [${TIMES}]`, mapped: COMMITTED },
    ],
    arguments: [2],
  }),
  setRow('SETEX', {
    usage: 'key seconds value',
    summary: 'commits a key that was claimed, as SET with EX',
    replies: [{ mapped: COMMITTED }],
    arguments: [3, 3],
  }),
  setRow('PSETEX', {
    usage: 'key milliseconds value',
    summary: 'commits a key that was claimed, as SET with PX',
    replies: [{ mapped: COMMITTED }],
    arguments: [3, 3],
  }),
  setRow('SETNX', {
    usage: 'key value',
    summary: 'tells whether a key of a map is new, and adds it',
    replies: [{ mapped: ['1 if the key is new, and adds it; otherwise 0', 'an error: a claim has a time'] }],
    arguments: [2, 2],
  }),
];
