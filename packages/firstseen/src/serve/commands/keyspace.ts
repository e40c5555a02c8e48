// What tools ask to find their way: the names of detectors as keys, and what each of them takes.

import { ErrorReply, type Reply } from '../resp/replies.js';
import type { DetectorEntry } from '../store/entry.js';
import type { DetectorStore } from '../store/store.js';
import type { Arguments } from './arguments.js';
import { NOT_WHOLE, SYNTAX_ERROR } from './errors.js';
import { globOf } from './glob.js';
import { TYPE_NAME } from './keys.js';
import { mapAt, notTaken } from './mapped.js';
import type { CommandContext, SingleRow } from './row.js';
import { type Subcommands, withSubcommands } from './subcommands.js';

const BAD_CURSOR = new ErrorReply('ERR invalid cursor');
const DEFAULT_COUNT = 10;
/** Numbers of detectors that one page looks at: those that were dropped count too. */
const MAX_LOOKED_AT = 10_000;

/** The words of SCAN besides the cursor. */
interface ScanWords {
  matches(name: string): boolean;
  count: number;
  /** True if it asks for what there is: every key is a detector. */
  isOfType: boolean;
}

function readWords(command: Arguments): ScanWords | ErrorReply {
  const words: ScanWords = { matches: () => true, count: DEFAULT_COUNT, isOfType: true };
  for (let i = 2; i < command.count; i += 2) {
    if (i + 1 === command.count) return SYNTAX_ERROR;
    if (command.is(i, 'MATCH')) words.matches = globOf(command.text(i + 1));
    else if (command.is(i, 'TYPE')) words.isOfType = command.text(i + 1).toLowerCase() === TYPE_NAME;
    else if (command.is(i, 'COUNT')) {
      const count = command.whole(i + 1);
      if (count === undefined) return NOT_WHOLE;
      if (count < 1) return SYNTAX_ERROR;
      words.count = count;
    } else return SYNTAX_ERROR;
  }
  return words;
}

/** The detectors after a number, which never changes, so that no detector is left out while others come and go. */
function pageAfter(store: DetectorStore, cursor: number, count: number): { entries: DetectorEntry[]; next: number } {
  const entries: DetectorEntry[] = [];
  const end = Math.min(store.nextNumber, cursor + 1 + Math.max(count, MAX_LOOKED_AT));
  let number = cursor + 1;
  for (; number < end && entries.length < count; number++) {
    const entry = store.findNumber(number);
    if (entry) entries.push(entry);
  }
  return { entries, next: number < store.nextNumber ? number - 1 : 0 };
}

function scan(command: Arguments, { server }: CommandContext): Reply {
  const cursor = command.whole(1);
  if (cursor === undefined || cursor < 0) return BAD_CURSOR;
  const words = readWords(command);
  if (words instanceof ErrorReply) return words;
  const { entries, next } = pageAfter(server.store, cursor, words.count);
  const names = entries.map(({ name }) => name).filter((name) => words.isOfType && words.matches(name));
  return [String(next), names];
}

function keys(command: Arguments, { server }: CommandContext): Reply {
  return Array.from(server.store.list(), ({ name }) => name).filter(globOf(command.text(1)));
}

/** Tells something of the detector that is the second argument; nil if there is none. */
function ofDetector(tell: (entry: DetectorEntry) => Reply): Subcommands[string]['run'] {
  return (command, { server }) => {
    const map = mapAt(command, 2, server.maps);
    if (map) return notTaken(`${command.word(0)} ${command.word(1)}`, map, command.bytes(2));
    const entry = server.store.find(command.text(2));
    return entry ? tell(entry) : null;
  };
}

const objectCommands: Subcommands = {
  ENCODING: {
    usage: '<detector>',
    summary: 'tells the algorithm of a detector',
    arguments: [1, 1],
    run: ofDetector(({ detector }) => detector.settings.family.name),
  },
  REFCOUNT: {
    usage: '<detector>',
    summary: 'answers 1 if the detector exists',
    arguments: [1, 1],
    run: ofDetector(() => 1),
  },
};

const memoryCommands: Subcommands = {
  USAGE: {
    usage: '<detector> [SAMPLES <count>]',
    summary: 'tells the memory of a detector in bytes; SAMPLES has no effect',
    arguments: [1, 3],
    run: ofDetector((entry) => entry.costBytes),
  },
};

const moduleCommands: Subcommands = {
  LIST: { summary: 'answers an empty list: the server has no modules', arguments: [0, 0], run: () => [] },
};

export const keyspaceRows: readonly SingleRow[] = [
  {
    name: 'SCAN',
    usage: 'cursor [MATCH pattern] [COUNT count] [TYPE type]',
    summary: 'lists the names of the detectors, a page at a time',
    replies: [{ reply: 'names of detectors' }],
    role: 'read',
    arguments: [1],
    run: scan,
  },
  {
    name: 'KEYS',
    usage: 'pattern',
    summary: 'lists the names of the detectors that match a pattern',
    replies: [{ reply: 'names of detectors' }],
    role: 'read',
    arguments: [1, 1],
    run: keys,
  },
  {
    name: 'OBJECT',
    summary: 'tells about a detector',
    replies: [{ usage: 'ENCODING detector', reply: 'its algorithm' }],
    role: 'read',
    ...withSubcommands(objectCommands),
  },
  {
    name: 'MEMORY',
    summary: 'tells the memory of a detector',
    replies: [{ usage: 'USAGE detector', reply: 'the bytes that a detector takes of the memory of the server' }],
    role: 'read',
    ...withSubcommands(memoryCommands),
  },
  {
    name: 'MODULE',
    summary: 'answers an empty list: the server has no modules',
    replies: [{ usage: 'LIST', reply: 'an empty list: the server has no modules' }],
    role: 'read',
    ...withSubcommands(moduleCommands),
  },
];
