// Commands on names: those of detectors, and keys that a map has.

import { ErrorReply, type Reply, Status } from '../resp/replies.js';
import { mayDo, type ServerState } from '../session.js';
import type { DetectorEntry } from '../store/entry.js';
import type { Arguments } from './arguments.js';
import { noPermission } from './errors.js';
import {
  claimedAt,
  detectorOf,
  isForClaims,
  type Mapped,
  type MappedClaims,
  mapAt,
  notTaken,
  shownKey,
  withoutMap,
} from './mapped.js';
import { abortMapped, isCommitted, isHeld, remainingOf, valueMapped } from './mappedclaims.js';
import type { CommandContext, SingleRow } from './row.js';

/** The answer of TYPE for a detector, of whatever family. */
export const TYPE_NAME = 'firstseen';

function committed(key: Uint8Array): ErrorReply {
  return new ErrorReply(
    `ERR the key ${shownKey(key)} is committed, and a detector forgets no single key; FS.CLEAR makes it forget all`,
  );
}

/**
 * The detector of a name that no map has; undefined if there is none, and an error if that is a key as the program has it, which was to have
 * a map: an answer would tell that it was not seen.
 */
function namedAt(
  command: Arguments,
  i: number,
  { store, maps }: Pick<ServerState, 'store' | 'maps'>,
): DetectorEntry | ErrorReply | undefined {
  const entry = store.find(command.text(i));
  return entry === undefined && maps.all.length > 0 ? withoutMap(command.word(0), command.bytes(i)) : entry;
}

/** Counts the arguments for which a function is true, or returns the first error. */
function countWhere(command: Arguments, isTrue: (index: number) => boolean | ErrorReply): Reply {
  let count = 0;
  for (let i = 1; i < command.count; i++) {
    const isCounted = isTrue(i);
    if (isCounted instanceof ErrorReply) return isCounted;
    if (isCounted) count++;
  }
  return count;
}

/** Tells if a key of a map is seen or held. */
function isKnown(mapped: Mapped, key: Uint8Array): boolean {
  if (isForClaims(mapped)) return isHeld(mapped, key) || isCommitted(mapped, key);
  mapped.entry.keepTime();
  return mapped.entry.detector.has(key);
}

function exists(command: Arguments, { server }: CommandContext): Reply {
  return countWhere(command, (i) => {
    const map = mapAt(command, i, server.maps);
    if (map === undefined) {
      const named = namedAt(command, i, server);
      return named instanceof ErrorReply ? named : named !== undefined;
    }
    const mapped = detectorOf(map, server.store);
    return mapped instanceof ErrorReply ? mapped : isKnown(mapped, command.bytes(i));
  });
}

/** The map of a key that may be freed, the name of a detector, or why it cannot be removed. */
function removable(
  command: Arguments,
  i: number,
  { server, session }: CommandContext,
): MappedClaims | string | ErrorReply {
  const map = mapAt(command, i, server.maps);
  const [name, key] = [command.word(0), command.bytes(i)];
  if (map === undefined) {
    if (!mayDo(session.role, 'admin')) return noPermission(name);
    const named = namedAt(command, i, server);
    return named instanceof ErrorReply ? named : command.text(i);
  }
  const mapped = detectorOf(map, server.store);
  if (mapped instanceof ErrorReply) return mapped;
  if (!isForClaims(mapped)) return notTaken(name, map, key);
  return !isHeld(mapped, key) && isCommitted(mapped, key) ? committed(key) : mapped;
}

/** Frees keys and removes detectors: all that are named, or none if there is an error. */
function remove(command: Arguments, context: CommandContext): Reply {
  const removals: (MappedClaims | string)[] = [];
  for (let i = 1; i < command.count; i++) {
    const one = removable(command, i, context);
    if (one instanceof ErrorReply) return one;
    removals.push(one);
  }
  return countWhere(command, (i) => {
    const one = removals[i - 1] as MappedClaims | string;
    return typeof one === 'string' ? context.server.store.drop(one) : abortMapped(one, command.bytes(i));
  });
}

function get(command: Arguments, context: CommandContext): Reply {
  const mapped = claimedAt(command, 1, context);
  return mapped instanceof ErrorReply ? mapped : valueMapped(mapped, command.bytes(1));
}

/** The answers of Redis for the time of a key that has none, and of a key that does not exist. */
const [NO_TIME, NO_KEY] = [-1, -2];

/** Milliseconds until a claim ends. The time of a committed key is not told: a detector does not know when a key came. */
function timeLeft(command: Arguments, context: CommandContext): number | ErrorReply {
  const { server } = context;
  const key = command.bytes(1);
  if (mapAt(command, 1, server.maps) === undefined) {
    const named = namedAt(command, 1, server);
    if (named instanceof ErrorReply) return named;
    return named === undefined ? NO_KEY : NO_TIME;
  }
  const mapped = claimedAt(command, 1, context);
  if (mapped instanceof ErrorReply) return mapped;
  const milliseconds = remainingOf(mapped, key);
  if (milliseconds !== undefined) return milliseconds;
  if (!isCommitted(mapped, key)) return NO_KEY;
  return mapped.entry.detector.settings.parameters.band === undefined ? NO_TIME : withoutTime(command.word(0), key);
}

function withoutTime(command: string, key: Uint8Array): ErrorReply {
  return new ErrorReply(
    `ERR the key ${shownKey(key)} is committed, and its detector does not know when it came; ${command} is for keys that are held`,
  );
}

/** A row of a command that tells how long a claim still holds its key. */
function timeRow(name: string, summary: string, unitMilliseconds: number): SingleRow {
  const run = (command: Arguments, context: CommandContext) => {
    const left = timeLeft(command, context);
    // As Redis rounds it.
    return left instanceof ErrorReply || left < 0 ? left : Math.round(left / unitMilliseconds);
  };
  const claimed = 'the time that is left of the claim, or -2; an error for a committed key of a window';
  const replies = [{ reply: '-1: a detector has no time', mapped: ['an error', claimed] }] as const;
  return { name, usage: 'key', summary, replies, role: 'read', arguments: [1, 1], isAsking: true, run };
}

function type(command: Arguments, { server }: CommandContext): Reply {
  const map = mapAt(command, 1, server.maps);
  if (map) return notTaken('TYPE', map, command.bytes(1));
  const named = namedAt(command, 1, server);
  return named instanceof ErrorReply ? named : new Status(named ? TYPE_NAME : 'none');
}

export const keyRows: readonly SingleRow[] = [
  {
    name: 'EXISTS',
    usage: 'key [key ...]',
    summary: 'counts the detectors of these names, and the keys of maps that are seen or held',
    replies: [{ reply: 'how many there are', mapped: ['how many were seen', 'how many are held or committed'] }],
    role: 'read',
    arguments: [1],
    isAsking: true,
    run: exists,
  },
  {
    name: 'TYPE',
    usage: 'detector',
    summary: 'tells whether a name is a detector',
    replies: [{ reply: '`firstseen`' }],
    role: 'read',
    arguments: [1, 1],
    run: type,
  },
  {
    name: 'GET',
    usage: 'key',
    summary: 'answers the value of a claimed key, or the word for committed keys',
    replies: [{ mapped: ['an error', 'the value of the claim, `committed` or the word after `committed=`, or nil'] }],
    role: 'read',
    arguments: [1, 1],
    isAsking: true,
    run: get,
  },
  timeRow('TTL', 'tells for how many seconds a claim still holds its key', 1000),
  timeRow('PTTL', 'tells for how many milliseconds a claim still holds its key', 1),
  ...['DEL', 'UNLINK'].map(
    (name): SingleRow => ({
      name,
      usage: 'key [key ...]',
      summary: 'removes detectors, frees keys that are claimed, and counts them',
      replies: [{ mapped: ['an error', 'the number of claims that were freed; an error if a key is committed'] }],
      role: 'observe',
      arguments: [1],
      logsEach: true,
      run: remove,
    }),
  ),
];
