// Commands on names: those of detectors, and keys that a map has.

import { ErrorReply, type Reply, Status } from '../resp/replies.js';
import { mayDo } from '../session.js';
import type { Arguments } from './arguments.js';
import { noPermission } from './errors.js';
import { detectorOf, isForClaims, type Mapped, type MappedClaims, mapAt, notTaken, withoutMap } from './mapped.js';
import { abortMapped, isCommitted, isHeld, valueMapped } from './mappedclaims.js';
import type { CommandContext, SingleRow } from './row.js';

const COMMITTED = new ErrorReply(
  'ERR the key is committed, and a detector forgets no single key; FS.CLEAR makes it forget all',
);

/** Counts the arguments for which a function is true, or returns the first error. */
function countWhere(given: Arguments, isTrue: (index: number) => boolean | ErrorReply): Reply {
  let count = 0;
  for (let i = 1; i < given.count; i++) {
    const found = isTrue(i);
    if (found instanceof ErrorReply) return found;
    if (found) count++;
  }
  return count;
}

/** Whether a key of a map is seen or held. */
function isKnown(mapped: Mapped, key: Uint8Array): boolean {
  if (isForClaims(mapped)) return isHeld(mapped, key) || isCommitted(mapped, key);
  mapped.entry.keepTime();
  return mapped.entry.detector.has(key);
}

function exists(given: Arguments, { server }: CommandContext): Reply {
  return countWhere(given, (i) => {
    const map = mapAt(given, i, server);
    if (map === undefined) return server.store.find(given.text(i)) !== undefined;
    const mapped = detectorOf(map, server);
    return mapped instanceof ErrorReply ? mapped : isKnown(mapped, given.bytes(i));
  });
}

/** The map of a key that may be freed, the name of a detector, or why it cannot be removed. */
function removable(
  given: Arguments,
  i: number,
  { server, session }: CommandContext,
): MappedClaims | string | ErrorReply {
  const map = mapAt(given, i, server);
  const command = given.word(0);
  if (map === undefined) return mayDo(session.role, 'admin') ? given.text(i) : noPermission(command);
  const mapped = detectorOf(map, server);
  if (mapped instanceof ErrorReply) return mapped;
  if (!isForClaims(mapped)) return notTaken(command, map);
  return !isHeld(mapped, given.bytes(i)) && isCommitted(mapped, given.bytes(i)) ? COMMITTED : mapped;
}

/** Frees keys and removes detectors: all that are named, or none if there is an error. */
function remove(given: Arguments, context: CommandContext): Reply {
  const found: (MappedClaims | string)[] = [];
  for (let i = 1; i < given.count; i++) {
    const one = removable(given, i, context);
    if (one instanceof ErrorReply) return one;
    found.push(one);
  }
  return countWhere(given, (i) => {
    const one = found[i - 1] as MappedClaims | string;
    return typeof one === 'string' ? context.server.store.drop(one) : abortMapped(one, given.bytes(i));
  });
}

function get(given: Arguments, { server }: CommandContext): Reply {
  const map = mapAt(given, 1, server);
  if (map === undefined) return withoutMap('GET');
  if (map.meaning === 'seen') return notTaken('GET', map);
  const mapped = detectorOf(map, server);
  return mapped instanceof ErrorReply ? mapped : valueMapped(mapped as MappedClaims, given.bytes(1));
}

function type(given: Arguments, { server }: CommandContext): Reply {
  const map = mapAt(given, 1, server);
  return map ? notTaken('TYPE', map) : new Status(server.store.find(given.text(1)) ? 'firstseen' : 'none');
}

export const keyRows: readonly SingleRow[] = [
  {
    name: 'EXISTS',
    usage: 'key [key ...]',
    summary: 'counts the detectors of these names, and the keys of maps that are seen or held',
    role: 'read',
    arguments: [1],
    isAsking: true,
    run: exists,
  },
  {
    name: 'TYPE',
    usage: 'detector',
    summary: 'tells whether a name is a detector',
    role: 'read',
    arguments: [1, 1],
    run: type,
  },
  {
    name: 'GET',
    usage: 'key',
    summary: 'tells the value of a key that is claimed, or that it is committed',
    role: 'read',
    arguments: [1, 1],
    isAsking: true,
    run: get,
  },
  ...['DEL', 'UNLINK'].map(
    (name): SingleRow => ({
      name,
      usage: 'key [key ...]',
      summary: 'removes detectors, frees keys that are claimed, and counts them',
      role: 'observe',
      arguments: [1],
      run: remove,
    }),
  ),
];
