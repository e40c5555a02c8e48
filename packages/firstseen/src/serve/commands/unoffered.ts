// Commands of Redis and its modules that this server does not offer. Some clients repeat a command for ever when it is unknown, and people
// want to know what there is in its place.

import { ErrorReply } from '../resp/replies.js';
import type { Arguments } from './arguments.js';

interface Unoffered {
  /** In upper case, as Redis names them. */
  readonly names: string;
  /** The advice in the error. */
  readonly instead: string;
}

const GUIDE = 'docs/FROM-REDIS.md says what can move';

const unoffered: readonly Unoffered[] = [
  {
    names: 'EVAL_RO EVALSHA_RO FCALL FCALL_RO FUNCTION',
    instead:
      'this server runs no scripts, but for those of locks by EVAL; FS.OBSERVE tests and adds a key in one step, and FS.CLAIM, FS.COMMIT and FS.ABORT are a lock',
  },
  {
    names:
      'SUBSCRIBE PSUBSCRIBE SSUBSCRIBE UNSUBSCRIBE PUNSUBSCRIBE SUNSUBSCRIBE PUBLISH SPUBLISH PUBSUB BLPOP BRPOP BLMOVE BLMPOP BRPOPLPUSH BZPOPMIN BZPOPMAX BZMPOP',
    instead: 'this server passes no messages between clients; FS.CLAIM waits for a key with WAIT',
  },
  {
    names: 'MONITOR SLOWLOG LATENCY',
    instead: 'FS.STATS, INFO and the metrics of HTTP tell what the server does',
  },
  {
    names: 'SETBIT GETBIT BITCOUNT BITOP BITPOS BITFIELD BITFIELD_RO',
    instead: 'bits of a filter are a detector here: BF.ADD and BF.EXISTS, or FS.CREATE',
  },
  {
    names:
      'CF.RESERVE CF.ADD CF.ADDNX CF.INSERT CF.INSERTNX CF.EXISTS CF.MEXISTS CF.DEL CF.COUNT CF.SCANDUMP CF.LOADCHUNK CF.INFO',
    instead: 'a filter that forgets by itself is FS.CREATE with WINDOW; BF.RESERVE makes one that does not',
  },
  {
    names: 'BF.SCANDUMP BF.LOADCHUNK DUMP RESTORE MIGRATE',
    instead: 'GET and PUT /detectors/NAME/snapshot of HTTP move a detector',
  },
  {
    names: 'PFADD PFCOUNT PFMERGE PFDEBUG PFSELFTEST',
    instead: 'FS.STATS tells how many distinct elements a detector has seen',
  },
  {
    names:
      'SAVE BGSAVE BGREWRITEAOF LASTSAVE SYNC PSYNC REPLICAOF SLAVEOF FAILOVER WAIT WAITAOF ROLE CLUSTER READONLY READWRITE',
    instead: 'this server is one process with a log of its own; FS.SAVE writes its snapshots, and INFO tells of them',
  },
  {
    names: 'FLUSHALL FLUSHDB SWAPDB',
    instead: 'FS.DROP drops a detector, and FS.CLEAR makes it empty',
  },
  {
    names: 'RANDOMKEY',
    instead: 'a detector has no list of its keys; SCAN and FS.LIST list the detectors, and FS.TEST asks for a key',
  },
  { names: 'ACL', instead: 'tokens give clients their roles (docs/SERVER.md)' },
  { names: 'SHUTDOWN DEBUG', instead: 'the process of the server is controlled from outside: SIGTERM stops it' },
  {
    names:
      'INCR INCRBY INCRBYFLOAT DECR DECRBY APPEND GETSET GETDEL GETEX GETRANGE SETRANGE STRLEN SUBSTR LCS MGET MSET MSETNX',
    instead: `a detector keeps no values; ${GUIDE}`,
  },
  {
    names: 'RENAME RENAMENX COPY MOVE',
    instead: 'GET and PUT /detectors/NAME/snapshot of HTTP copy a detector to another name or server',
  },
  {
    names: 'TOUCH SORT SORT_RO',
    instead: `a detector has no list of its keys; ${GUIDE}`,
  },
  {
    names: 'EXPIRE EXPIREAT PEXPIRE PEXPIREAT EXPIRETIME PEXPIRETIME PERSIST',
    instead: `the window of a detector says how long its keys are kept; ${GUIDE}`,
  },
  {
    names:
      'SCARD SMEMBERS SRANDMEMBER SPOP SREM SMOVE SSCAN SINTER SINTERCARD SINTERSTORE SUNION SUNIONSTORE SDIFF SDIFFSTORE',
    instead: `a set is SADD, SISMEMBER and SMISMEMBER on a key of a map; ${GUIDE}`,
  },
  {
    names:
      'HSET HSETNX HGET HMSET HMGET HGETALL HDEL HEXISTS HINCRBY HINCRBYFLOAT HKEYS HLEN HRANDFIELD HSCAN HSTRLEN HVALS LPUSH LPUSHX RPUSH RPUSHX LPOP RPOP LRANGE LLEN LINDEX LINSERT LMOVE LMPOP LPOS LREM LSET LTRIM RPOPLPUSH ZADD ZCARD ZCOUNT ZINCRBY ZRANGE ZRANGEBYSCORE ZRANK ZREM ZREMRANGEBYSCORE ZSCORE ZMSCORE ZPOPMIN ZPOPMAX ZSCAN XADD XLEN XRANGE XREAD XREADGROUP XGROUP XACK XDEL XTRIM XPENDING XCLAIM XAUTOCLAIM XINFO GEOADD GEOSEARCH',
    instead: `this server has detectors, and no hashes, lists, sorted sets or streams; ${GUIDE}`,
  },
  {
    names:
      'CMS.INITBYDIM CMS.INITBYPROB CMS.INCRBY CMS.QUERY CMS.MERGE CMS.INFO TOPK.RESERVE TOPK.ADD TOPK.QUERY TOPK.LIST TOPK.INFO TDIGEST.CREATE TDIGEST.ADD TDIGEST.QUANTILE',
    instead: 'this server counts no elements by key; FS.OBSERVE tells the first occurrence of each',
  },
];

const insteadOf: ReadonlyMap<string, string> = new Map(
  unoffered.flatMap(({ names, instead }) => names.split(' ').map((name) => [name, instead] as const)),
);

/** The names of all commands that have an answer here. */
export const unofferedNames: readonly string[] = [...insteadOf.keys()];

/** The error of a command that Redis has and this server does not; undefined for any other name. */
export function notOffered(command: Arguments): ErrorReply | undefined {
  const name = command.word(0);
  const instead = insteadOf.get(name);
  return instead === undefined ? undefined : new ErrorReply(`ERR ${name} is not offered: ${instead}`);
}
