// The commands of RedisBloom's Bloom filters, with its replies and errors. A filter here has fixed memory.

import { DUPLICATE } from '../../kernel/abi.js';
import { longFlag } from '../../options/longflag.js';
import * as rows from '../../options/serve.js';
import { observeSome } from '../operations/ask.js';
import { ErrorReply, OK, type Reply, Status } from '../resp/replies.js';
import type { ReplyWriter } from '../resp/writer.js';
import { mayDo } from '../session.js';
import type { DetectorEntry } from '../store/entry.js';
import { filterOptions, madeByItself } from '../store/filter.js';
import type { DetectorRequest, Filter } from '../store/request.js';
import type { Arguments } from './arguments.js';
import { NOT_FOUND, noPermission, replyOfError, wrongArguments } from './errors.js';
import type { CommandContext, CommandRow, KeysRow } from './row.js';

const DISTINCT = 0;
const ITEM_EXISTS = new ErrorReply('ERR item exists');
/** The filter that BF.INSERT makes when it is not told: RedisBloom's defaults. */
const DEFAULT_FILTER: Filter = { capacity: 100, errorRate: 0.01, isNonScaling: false };

function requestFor(filter: Filter): DetectorRequest {
  return { options: filterOptions(filter), filter };
}

/** The rate and the capacity that were given, or what is wrong with them. */
function goalOf(rate: number | undefined, capacity: number | undefined): ErrorReply | undefined {
  if (rate === undefined) return new ErrorReply('ERR bad error rate');
  if (!(rate > 0 && rate < 1)) return new ErrorReply('ERR (0 < error rate range < 1) ');
  if (capacity === undefined) return new ErrorReply('ERR bad capacity');
  return capacity < 1 ? new ErrorReply('ERR (capacity should be larger than 0)') : undefined;
}

/** Growing would need memory that the rate of false positives, which is promised now, does not tell. */
function refusedGrowth(name: string, { capacity, errorRate }: Filter, expansion: number): ErrorReply {
  return new ErrorReply(
    `ERR a filter here has fixed memory and does not grow; leave EXPANSION out, or reserve what it would grow to: ` +
      `BF.RESERVE ${name} ${errorRate} ${capacity * (1 + expansion)}`,
  );
}

interface FilterWords {
  filter: Filter;
  expansion: number;
}

/** Reads EXPANSION and NONSCALING from an index on, which must be all that follows. */
function readWords(command: Arguments, from: number, filter: Filter): FilterWords | ErrorReply {
  let [expansion, isNonScaling] = [0, false];
  for (let i = from; i < command.count; i++) {
    if (command.is(i, 'NONSCALING')) isNonScaling = true;
    else if (command.is(i, 'EXPANSION')) {
      if (++i === command.count) return new ErrorReply('ERR no expansion');
      const value = command.whole(i);
      if (value === undefined) return new ErrorReply('ERR bad expansion');
      if (value < 0) return new ErrorReply('ERR expansion should be greater or equal to 1');
      expansion = value;
      if (value === 0) isNonScaling = true;
    } else return wrongArguments('BF.RESERVE');
  }
  if (isNonScaling && expansion > 0) return new ErrorReply('Nonscaling filters cannot expand');
  return { filter: { ...filter, isNonScaling }, expansion };
}

async function reserve(command: Arguments, { server }: CommandContext): Promise<Reply> {
  const name = command.text(1);
  const [rate, capacity] = [command.number(2), command.whole(3)];
  const wrong = goalOf(rate, capacity);
  if (wrong) return wrong;
  const words = readWords(command, 4, { capacity: capacity as number, errorRate: rate as number, isNonScaling: false });
  if (words instanceof ErrorReply) return words;
  if (server.store.find(name)) return ITEM_EXISTS;
  if (words.expansion > 0) return refusedGrowth(name, words.filter, words.expansion);
  const creation = await server.store.create(name, requestFor(words.filter));
  return creation === 'created' ? OK : ITEM_EXISTS;
}

/** The filter that is made when an element is added, if the server was told to. */
async function autoCreate(name: string, { server }: CommandContext): Promise<DetectorEntry | undefined> {
  const { autoCreateBytes, store } = server;
  if (autoCreateBytes === undefined) return undefined;
  await store.create(name, madeByItself(autoCreateBytes));
  return store.find(name);
}

function answerNew(writer: ReplyWriter, verdicts: Uint8Array, from: number, count: number): void {
  writer.verdicts(verdicts, from, count, DISTINCT);
}

function answerSeen(writer: ReplyWriter, verdicts: Uint8Array, from: number, count: number): void {
  writer.verdicts(verdicts, from, count, DUPLICATE);
}

const adding = { ask: 'observe', role: 'observe', answer: answerNew, make: autoCreate } as const;
const asking = { ask: 'test', role: 'read', answer: answerSeen, missing: DISTINCT } as const;

const keysRows: readonly KeysRow[] = [
  {
    ...adding,
    name: 'BF.ADD',
    usage: 'filter item',
    summary: 'adds an item, and tells whether it is new',
    isList: false,
    arguments: [2, 2],
  },
  {
    ...adding,
    name: 'BF.MADD',
    usage: 'filter item [item ...]',
    summary: 'adds items, and tells which are new',
    isList: true,
    arguments: [2],
  },
  {
    ...asking,
    name: 'BF.EXISTS',
    usage: 'filter item',
    summary: 'tells whether an item was added',
    isList: false,
    arguments: [2, 2],
  },
  {
    ...asking,
    name: 'BF.MEXISTS',
    usage: 'filter item [item ...]',
    summary: 'tells which items were added',
    isList: true,
    arguments: [2],
  },
];

interface Insertion {
  filter: Filter;
  expansion: number;
  /** True if what the filter is made of was given. */
  isDescribed: boolean;
  isCreating: boolean;
  itemsAt: number;
}

/** Returns the error for the words of BF.INSERT, in the words of RedisBloom, which here has others than BF.RESERVE. */
function badWords({ filter: { capacity, errorRate }, expansion }: Omit<Insertion, 'itemsAt'>): ErrorReply | undefined {
  const isInRange = capacity >= 1 && errorRate > 0 && errorRate < 1 && expansion >= 0;
  return isInRange ? undefined : new ErrorReply('Bad argument received');
}

/** Reads the words of BF.INSERT up to its items. */
function readInsertion(command: Arguments): Insertion | ErrorReply {
  let { capacity, errorRate, isNonScaling } = DEFAULT_FILTER;
  let [expansion, isDescribed, isCreating] = [0, false, true];
  for (let i = 2; i < command.count; i++) {
    if (command.is(i, 'ITEMS')) {
      if (i + 1 === command.count) return wrongArguments('BF.INSERT');
      const insertion = { filter: { capacity, errorRate, isNonScaling }, expansion, isDescribed, isCreating };
      return badWords(insertion) ?? { ...insertion, itemsAt: i + 1 };
    }
    if (command.is(i, 'NOCREATE')) isCreating = false;
    else if (command.is(i, 'NONSCALING')) isNonScaling = true;
    else if (command.is(i, 'CAPACITY')) {
      const value = command.whole(++i);
      if (value === undefined) return new ErrorReply('Bad capacity');
      [capacity, isDescribed] = [value, true];
    } else if (command.is(i, 'ERROR')) {
      const value = command.number(++i);
      if (value === undefined) return new ErrorReply('Bad error rate');
      [errorRate, isDescribed] = [value, true];
    } else if (command.is(i, 'EXPANSION')) {
      const value = command.whole(++i);
      if (value === undefined) return new ErrorReply('Bad expansion');
      expansion = value;
    } else return new ErrorReply('ERR Unknown argument received');
  }
  return wrongArguments('BF.INSERT');
}

async function insert(command: Arguments, context: CommandContext): Promise<Reply> {
  const name = command.text(1);
  const insertion = readInsertion(command);
  if (insertion instanceof ErrorReply) return insertion;
  const { filter, expansion, isDescribed, isCreating, itemsAt } = insertion;
  const { store } = context.server;
  if (!store.find(name) && isCreating && isDescribed) {
    // As BF.RESERVE: who may add keys may not take any memory for them.
    if (!mayDo(context.session.role, 'admin')) return noPermission('BF.INSERT');
    if (expansion > 0) return refusedGrowth(name, filter, expansion);
    await store.create(name, requestFor(filter));
  }
  const entry = store.find(name) ?? (isCreating ? await autoCreate(name, context) : undefined);
  if (entry === undefined) return isCreating ? missingFilter(name) : NOT_FOUND;
  const { verdicts, answered, error } = observeSome(entry, command.spans(itemsAt));
  const answers: Reply[] = Array.from(verdicts.subarray(0, answered), (verdict) => verdict === DISTINCT);
  return error === undefined ? answers : [...answers, replyOfError(error)];
}

/** The error for a filter that there is not, where RedisBloom would make one. */
export function missingFilter(name: string): ErrorReply {
  return new ErrorReply(
    `ERR not found; make the filter with BF.RESERVE ${name} error_rate capacity, or start the server with ${longFlag(rows.autoCreateBytes)}`,
  );
}

/** The fields of the reply to BF.INFO, by the words that ask for one of them. */
const infoFields: readonly {
  readonly word: string;
  readonly field: string;
  readonly of: (entry: DetectorEntry) => Reply;
}[] = [
  { word: 'CAPACITY', field: 'Capacity', of: ({ request }) => request.filter?.capacity ?? 0 },
  { word: 'SIZE', field: 'Size', of: ({ memoryBytes }) => memoryBytes },
  { word: 'FILTERS', field: 'Number of filters', of: () => 1 },
  { word: 'ITEMS', field: 'Number of items inserted', of: ({ distinct }) => distinct },
  { word: 'EXPANSION', field: 'Expansion rate', of: () => 0 },
];

/** The fields that RedisBloom has not, after those that it has. */
function ownFields(entry: DetectorEntry): [string, Reply][] {
  const { filter } = entry.request;
  if (filter === undefined) return [['Algorithm', entry.detector.settings.family.name]];
  return [
    ['Error rate', String(filter.errorRate)],
    ['Fuller than planned', entry.distinct > filter.capacity ? 'yes' : 'no'],
  ];
}

function info(command: Arguments, { server, session }: CommandContext): Reply {
  const entry = server.store.find(command.text(1));
  if (command.count === 3) {
    const field = infoFields.find(({ word }) => command.is(2, word));
    if (field === undefined) return new ErrorReply('Invalid information value');
    if (entry === undefined) return NOT_FOUND;
    const value = field.of(entry);
    return session.protocol === 3 ? new Map([[new Status(field.field), value]]) : [value];
  }
  if (entry === undefined) return NOT_FOUND;
  const fields = infoFields.map(({ field, of }): [string, Reply] => [field, of(entry)]);
  return new Map([...fields, ...ownFields(entry)].map(([field, value]) => [new Status(field), value]));
}

export const bloomRows: readonly CommandRow[] = [
  {
    name: 'BF.RESERVE',
    usage: 'filter error_rate capacity [NONSCALING]',
    summary: 'makes a Bloom filter of fixed memory',
    role: 'admin',
    arguments: [3, 6],
    run: reserve,
  },
  ...keysRows,
  {
    name: 'BF.INSERT',
    usage: 'filter [CAPACITY n] [ERROR rate] [NOCREATE] [NONSCALING] ITEMS item [item ...]',
    summary: 'adds items, and makes the filter first if CAPACITY or ERROR is given',
    role: 'observe',
    arguments: [3],
    run: insert,
  },
  {
    name: 'BF.INFO',
    usage: 'filter [CAPACITY | SIZE | FILTERS | ITEMS | EXPANSION]',
    summary: 'tells the capacity, the memory and the items of a filter',
    role: 'read',
    arguments: [1, 2],
    run: info,
  },
  {
    name: 'BF.CARD',
    usage: 'filter',
    summary: 'tells how many items were added',
    role: 'read',
    arguments: [1, 1],
    run: (command, { server }) => server.store.find(command.text(1))?.distinct ?? 0,
  },
];
