// The scripts that this server knows: those by which libraries of locks compare a token and do something with its key, in one step.

import { normalForm } from './normal.js';

/** The reply of a script: a number, the status OK, nil, or the number of keys or milliseconds that it has found. */
export type ScriptReply = number | 'OK' | 'found' | null;

/** The effect of a script. The first argument is the token of the lock. */
export interface ScriptForm {
  /**
   * Frees keys, begins their leases again, holds them, holds them or begins their leases again, or tells how long one of them is still
   * held.
   */
  readonly action: 'release' | 'extend' | 'acquire' | 'renew' | 'remaining';
  /** The keys that it uses: the first one; each of them by itself; or all of them, or none if it can not be all. */
  readonly keys: 'first' | 'each' | 'all';
  /** The number of the argument that is the time, from 1 on. */
  readonly timeArgument?: number;
  /** The milliseconds of the unit of the time. */
  readonly unitMilliseconds?: number;
  /** The rule for adding the time to what is left of the lease: always, or if the third argument is 0. */
  readonly adds?: 'always' | 'unless replaced';
  /**
   * The number of the argument that has the number of bytes of the token that say whose it is. All of them do in most
   * scripts.
   */
  readonly ownerArgument?: number;
  /** The reply if it was done. */
  readonly done: ScriptReply;
  /** The reply if another has a key, or nobody does. */
  readonly otherwise: ScriptReply;
  /** The reply if nobody has the key, where that is another one. */
  readonly free?: ScriptReply;
}

const [KEY, TOKEN, TIME] = ['KEYS[1]', 'ARGV[1]', 'ARGV[2]'];

function call(command: string, ...words: string[]): string {
  return `redis.call('${command}', ${words.join(', ')})`;
}

const IF_MINE = `if ${call('get', KEY)} == ${TOKEN} then`;
const MINE_OR_ZERO = `local a = ${call('get', KEY)} if not a or a ~= ${TOKEN} then return 0 end`;
const FREE = call('del', KEY);
const EXTEND = call('pexpire', KEY, TIME);
const EACH_KEY = 'for a, b in ipairs(KEYS) do';
const VALUES = `local c = ${call('mget', 'unpack(KEYS)')}`;
const ALL_MINE_OR_FALSE = `${VALUES} ${EACH_KEY} if c[a] ~= ${TOKEN} then return false end end`;
const SET_EACH = `${EACH_KEY} ${call('set', 'b', TOKEN, "'PX'", TIME)} end return #KEYS`;
const SAY_OK = "return redis.status_reply('OK')";

/** Both ways to say what is returned otherwise. */
function orElse(beginning: string, otherwise: string): string[] {
  return [`${beginning} else return ${otherwise} end`, `${beginning} end return ${otherwise}`];
}

/** The replies of most scripts. */
const oneOrZero = { done: 1, otherwise: 0 } as const;
/** True and false of Lua. */
const trueOrFalse = { done: 1, otherwise: null } as const;
const okOrNil = { done: 'OK', otherwise: null } as const;

const release = { action: 'release', keys: 'first' } as const;
const extend = { action: 'extend', keys: 'first', timeArgument: 2 } as const;
const renew = { action: 'renew', keys: 'first', timeArgument: 2 } as const;

/** Of redis-py: adds time to what is left. */
const ADD_TIME = `${MINE_OR_ZERO} local b = ${call('pttl', KEY)} if not b then b = 0 end if b < 0 then return 0 end`;

/** Of redislock: its token may be followed by other data. */
const obtain = { action: 'renew', timeArgument: 3, ownerArgument: 2 } as const;
const OBTAIN = `
  if ${call('set', KEY, TOKEN, "'NX'", "'PX'", 'ARGV[3]')} then ${SAY_OK} end
  if ${call('getrange', KEY, '0', 'ARGV[2] - 1')} == string.sub(${TOKEN}, 1, ARGV[2]) then
    return ${call('set', KEY, TOKEN, "'PX'", 'ARGV[3]')} end`;
const OBTAIN_ALL = `
  local function a(b) for c, d in ipairs(KEYS) do ${call('pexpire', 'd', 'b')} end end
  local function e() local f = tonumber(ARGV[2])
    for g, h in ipairs(KEYS) do
      if ${call('getrange', 'h', '0', 'f - 1')} ~= string.sub(${TOKEN}, 1, f) then return false end
    end return true end
  local i = {} for j, k in ipairs(KEYS) do table.insert(i, k) table.insert(i, ${TOKEN}) end
  if ${call('msetnx', 'unpack(i)')} ~= 1 then if e() == false then return false end ${call('mset', 'unpack(i)')} end
  a(ARGV[3]) ${SAY_OK}`;

/** The effects of scripts, with the ways to write them. */
const knownScripts: readonly (readonly [form: ScriptForm, scripts: readonly string[]])[] = [
  [
    { ...release, ...oneOrZero },
    [
      ...orElse(`${IF_MINE} return ${FREE}`, '0'),
      ...orElse(`${IF_MINE} ${FREE} return 1`, '0'),
      `${MINE_OR_ZERO} ${FREE} return 1`,
    ],
  ],
  [{ ...release, ...trueOrFalse }, orElse(`${IF_MINE} ${FREE} return true`, 'false')],
  [
    { ...release, ...oneOrZero, free: -1 },
    orElse(`local a = ${call('get', KEY)} if a == ${TOKEN} then return ${FREE} elseif a == false then return -1`, '0'),
  ],
  [
    { action: 'release', keys: 'each', done: 'found', otherwise: 'found' },
    [`local c = 0 ${EACH_KEY} if ${call('get', 'b')} == ${TOKEN} then ${call('del', 'b')} c = c + 1 end end return c`],
  ],
  [{ action: 'release', keys: 'all', ...okOrNil }, [`${ALL_MINE_OR_FALSE} ${call('del', 'unpack(KEYS)')} ${SAY_OK}`]],
  [
    { ...extend, ...oneOrZero },
    [
      ...orElse(`${IF_MINE} return ${EXTEND}`, '0'),
      ...orElse(`${IF_MINE} ${EXTEND} return 1`, '0'),
      `${MINE_OR_ZERO} ${EXTEND} return 1`,
    ],
  ],
  [{ ...extend, ...oneOrZero, unitMilliseconds: 1000 }, orElse(`${IF_MINE} return ${call('expire', KEY, TIME)}`, '0')],
  [{ ...extend, ...trueOrFalse }, orElse(`${IF_MINE} ${EXTEND} return true`, 'false')],
  [{ ...extend, ...oneOrZero, adds: 'always' }, [`${ADD_TIME} ${call('pexpire', KEY, `b + ${TIME}`)} return 1`]],
  [
    { ...extend, ...oneOrZero, adds: 'unless replaced' },
    [`${ADD_TIME} local c = ${TIME} if ARGV[3] == '0' then c = ${TIME} + b end ${call('pexpire', KEY, 'c')} return 1`],
  ],
  [
    { ...extend, keys: 'all', done: 'found', otherwise: 0 },
    [`${EACH_KEY} if ${call('get', 'b')} ~= ${TOKEN} then return 0 end end ${SET_EACH}`],
  ],
  [
    { ...extend, keys: 'all', ...okOrNil },
    [`${ALL_MINE_OR_FALSE} ${EACH_KEY} ${call('pexpire', 'b', TIME)} end ${SAY_OK}`],
  ],
  [
    { action: 'acquire', keys: 'first', timeArgument: 2, ...okOrNil },
    [
      `return ${call('set', KEY, TOKEN, "'NX'", "'PX'", TIME)}`,
      `return ${call('set', KEY, TOKEN, "'PX'", TIME, "'NX'")}`,
    ],
  ],
  [
    { action: 'acquire', keys: 'all', timeArgument: 2, done: 'found', otherwise: 0 },
    [`${EACH_KEY} if ${call('exists', 'b')} == 1 then return 0 end end ${SET_EACH}`],
  ],
  [
    { ...renew, ...oneOrZero },
    orElse(`${IF_MINE} return ${EXTEND} elseif ${call('set', KEY, TOKEN, "'PX'", TIME, "'NX'")} then return 1`, '0'),
  ],
  [
    { ...renew, ...trueOrFalse },
    orElse(
      `local a = ${call('get', KEY)} if a == ${TOKEN} then ${EXTEND} return true elseif not a then ${call('set', KEY, TOKEN, "'PX'", TIME)} return true`,
      'false',
    ),
  ],
  [{ ...obtain, keys: 'first', ...okOrNil }, [OBTAIN]],
  [{ ...obtain, keys: 'all', ...okOrNil }, [OBTAIN_ALL]],
  [
    { action: 'remaining', keys: 'first', done: 'found', otherwise: -3 },
    orElse(`${IF_MINE} return ${call('pttl', KEY)}`, '-3'),
  ],
  [
    { action: 'remaining', keys: 'first', done: 'found', otherwise: 0 },
    orElse(`${IF_MINE} local a = ${call('pttl', KEY)} return (a > 0) and a or 0`, '0'),
  ],
  [
    { action: 'remaining', keys: 'all', done: 'found', otherwise: -3 },
    [
      `${VALUES} local d = -3 ${EACH_KEY} if c[a] == ${TOKEN} then d = ${call('pttl', 'KEYS[a]')} else return -3 end end return d`,
    ],
  ],
];

const formOf: ReadonlyMap<string | undefined, ScriptForm> = new Map(
  knownScripts.flatMap(([form, scripts]) => scripts.map((script) => [normalForm(script), form] as const)),
);

/** Returns the effect of a script; undefined for one that is not known. */
export function findForm(script: string): ScriptForm | undefined {
  const normal = normalForm(script);
  return normal === undefined ? undefined : formOf.get(normal);
}
