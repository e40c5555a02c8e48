// Sets of Redis on keys of maps: each member of a set is an element.

import { DUPLICATE } from '../../kernel/abi.js';
import { addAll, type Spans, testAll } from '../operations/ask.js';
import { ErrorReply, type Reply } from '../resp/replies.js';
import type { DetectorEntry } from '../store/entry.js';
import type { Arguments } from './arguments.js';
import { replyOfError } from './errors.js';
import { wrongTime } from './kept.js';
import { detectorOf, mapAt, notTaken, withoutMap } from './mapped.js';
import type { CommandContext, SingleRow } from './row.js';

const [SET, FIRST_MEMBER] = [1, 2];

/**
 * The elements of members: the length of the name of the set, a colon, the name, and the member. So members of two sets are never one
 * element, whatever their bytes are.
 */
function elementsOf(command: Arguments): Spans {
  const set = command.bytes(SET);
  const head = Buffer.concat([Buffer.from(`${set.length}:`), set]);
  const count = command.count - FIRST_MEMBER;
  const [starts, ends] = [new Uint32Array(count), new Uint32Array(count)];
  const parts: Buffer[] = [];
  let end = 0;
  for (let i = 0; i < count; i++) {
    const member = command.bytes(FIRST_MEMBER + i);
    starts[i] = end;
    end += head.length + member.length;
    ends[i] = end;
    parts.push(head, member);
  }
  return { bytes: Buffer.concat(parts, end), starts, ends, count, verdicts: new Uint8Array(count) };
}

/** Asks about members. They have no time, so those that are added are kept for ever. */
function onMembers(
  name: string,
  isAdding: boolean,
  ask: (entry: DetectorEntry, members: Spans) => Reply,
): Pick<SingleRow, 'name' | 'run' | 'role' | 'isAsking'> {
  const run = (command: Arguments, { server }: CommandContext): Reply => {
    const map = mapAt(command, SET, server.maps);
    const key = command.bytes(SET);
    if (map === undefined) return withoutMap(name, key);
    if (map.meaning === 'claims') return notTaken(name, map, key);
    const keeping = { milliseconds: undefined, isLease: false };
    const mapped = detectorOf(map, server.store, keeping);
    if (mapped instanceof ErrorReply) return mapped;
    const spans = elementsOf(command);
    const wrong = isAdding ? wrongTime(mapped, keeping, key) : undefined;
    if (wrong) return wrong;
    try {
      return ask(mapped.entry, spans);
    } catch (error) {
      return replyOfError(error);
    }
  };
  return { name, run, ...(isAdding ? { role: 'observe' } : { role: 'read', isAsking: true }) };
}

/** @throws FirstseenError for a member that has no fingerprint */
function areMembers(entry: DetectorEntry, members: Spans): number[] {
  const { verdicts, error } = testAll(entry, members);
  if (error !== undefined) throw error;
  return Array.from(verdicts, (verdict) => (verdict === DUPLICATE ? 1 : 0));
}

export const memberRows: readonly SingleRow[] = [
  {
    ...onMembers('SADD', true, addAll),
    usage: 'key member [member ...]',
    summary: 'adds members of a set on a map, and tells how many are new',
    replies: [{ mapped: ['how many members are new, and adds them', 'an error'] }],
    arguments: [2],
  },
  {
    ...onMembers('SISMEMBER', false, (entry, members) => areMembers(entry, members)[0] as number),
    usage: 'key member',
    summary: 'tells whether a member was added to a set on a map',
    replies: [{ mapped: ['whether the member was added', 'an error'] }],
    arguments: [2, 2],
  },
  {
    ...onMembers('SMISMEMBER', false, areMembers),
    usage: 'key member [member ...]',
    summary: 'tells which members were added to a set on a map',
    replies: [{ mapped: ['which members were added', 'an error'] }],
    arguments: [2],
  },
];
