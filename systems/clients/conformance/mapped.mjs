// Scripts on keys that maps have, for Redis and Valkey, and what makes the detectors of the maps.

import { createHash } from 'node:crypto';
import { differs, raw } from './steps.mjs';

/** The maps of the server. No other script has keys like these. */
export const maps = [
  'dedup:*=events',
  'once:*=first',
  '*:dupefilter=first',
  'idem:*=requests,claim,committed=processed',
  // Those of redis-semaphore and celery-once.
  'mutex:*=requests,claim',
  'qo_*=requests,claim',
];

/** A script that does something with a key if it has the token. */
const ifMine = (then, otherwise) =>
  `if redis.call("get", KEYS[1]) == ARGV[1] then return ${then} else return ${otherwise} end`;
const release = ifMine('redis.call("del", KEYS[1])', '0');
const extend = ifMine('redis.call("pexpire", KEYS[1], ARGV[2])', '0');
/** As redlock and Spring Integration write it. */
const acquireAll =
  'for i, key in ipairs(KEYS) do if redis.call("exists", key) == 1 then return 0 end end ' +
  'for i, key in ipairs(KEYS) do redis.call("set", key, ARGV[1], "PX", ARGV[2]) end return #KEYS';
const releaseEach =
  'local count = 0 for i, key in ipairs(KEYS) do if redis.call("get", key) == ARGV[1] then ' +
  'redis.pcall("del", key) count = count + 1 end end return count';
const renew =
  'if redis.call("get", KEYS[1]) == ARGV[1] then redis.call("pexpire", KEYS[1], ARGV[2]) return true end return false';

const digestOf = (script) => createHash('sha1').update(script).digest('hex');
const call = (script, ...words) => ({ command: ['EVAL', script, ...words.join(' ').split(' ')] });
const callDigest = (script, ...words) => ({ command: ['EVALSHA', digestOf(script), ...words.join(' ').split(' ')] });

export const creations = [
  'FS.CREATE events ALGORITHM exactwindow WINDOW 1d MEMORY 1MiB',
  'FS.CREATE first ALGORITHM exact MEMORY 1MiB',
  'FS.CREATE requests CLAIMS LEASE 60s WINDOW 1d MEMORY 1MiB',
];

export const mapped = {
  'keys that are seen': [
    ...['SET dedup:a 1 NX EX 86400', 'SET dedup:a 2 NX EX 86400', 'set dedup:a 2 nx px 86400000'],
    ...['SET dedup:b 1 PX 86400000 NX', 'EXISTS dedup:a', 'EXISTS dedup:a dedup:none dedup:b dedup:a'],
    ...['SETNX once:a 1', 'SETNX once:a 2', 'SET once:a 1 NX', 'SET once:b 1 NX', 'setnx once:b 1', 'EXISTS once:a'],
    { command: ['SETNX', 'once:', ''] },
    { command: ['SETNX', 'once:', ''] },
  ],
  'members of sets': [
    ...['SADD x:dupefilter a', 'SADD x:dupefilter a', 'SADD x:dupefilter a b c b', 'SADD y:dupefilter a'],
    ...['SISMEMBER x:dupefilter a', 'SISMEMBER x:dupefilter z', 'SISMEMBER none:dupefilter a'],
    ...['SMISMEMBER x:dupefilter a z b', 'SMISMEMBER none:dupefilter a', 'SMISMEMBER y:dupefilter a b'],
    { command: ['SADD', 'x:dupefilter', ''] },
    { command: ['SADD', 'x:dupefilter', ''] },
  ],
  'keys that are claimed': [
    ...['GET idem:a', 'EXISTS idem:a', 'DEL idem:a', 'SET idem:a one NX PX 60000', 'SET idem:a two NX PX 60000'],
    ...['SET idem:a one NX EX 60', 'GET idem:a', 'EXISTS idem:a idem:b', 'DEL idem:a idem:a idem:b', 'GET idem:a'],
    ...['SET idem:a two NX PX 60000', 'SET idem:a processed EX 86400', 'GET idem:a', 'SET idem:a x NX PX 60000'],
    ...['EXISTS idem:a', 'SET idem:a processed EX 86400', 'SET idem:never processed PX 86400000', 'GET idem:never'],
    ...['SET idem:c 1 NX PX 60000', 'UNLINK idem:c', 'UNLINK idem:c'],
  ],
  'locks by scripts': [
    ...['SET idem:l one NX PX 60000', 'TTL idem:l', 'TTL idem:none', 'PTTL idem:none', 'TTL', 'PTTL a b'],
    ...[call(release, '1 idem:l two'), call(extend, '1 idem:l one 60000'), call(extend, '1 idem:l two 60000')],
    ...[callDigest(release, '1 idem:l one'), call(release, '1 idem:l one')],
    ...[
      { command: ['SCRIPT', 'LOAD', renew] },
      callDigest(renew, '1 idem:l one 60000'),
      call(extend, '1 idem:l one 1'),
    ],
    { command: ['SCRIPT', 'EXISTS', digestOf(renew), 'none', digestOf(release)] },
    ...[call(acquireAll, '2 idem:l idem:m one 60000'), call(acquireAll, '2 idem:m idem:n two 60000'), 'GET idem:n'],
    ...[callDigest(renew, '1 idem:l one 60000'), callDigest(renew, '1 idem:l two 60000'), 'GET idem:m'],
    ...[
      call(releaseEach, '3 idem:l idem:m idem:n one'),
      call(releaseEach, '2 idem:l idem:m one'),
      'EXISTS idem:l idem:m',
    ],
    ...[call(extend, '1 idem:l one 0'), 'SET idem:l one NX PX 60000', call(extend, '1 idem:l one 0'), 'EXISTS idem:l'],
    ...['EVAL', 'EVAL x', 'EVALSHA x', 'SCRIPT', 'SCRIPT EXISTS', 'SCRIPT KILL'],
    ...[{ command: ['EVAL', release, 'x', 'idem:l'] }, { command: ['EVAL', release, '2', 'idem:l'] }],
    { command: ['EVAL', release, '-1', 'idem:l'] },
    ...['SET idem:g one NX GET PX 60000', 'SET idem:g two NX GET PX 60000', 'SET idem:g processed EX 86400 GET'],
    ...[
      'SET idem:g three PX 60000 NX GET',
      'SET idem:g one NX PXAT 0',
      'SET idem:g one EXAT x',
      'SET idem:g one PX 1 PXAT 1',
    ],
  ],
  'errors of commands on mapped keys': [
    ...['SET', 'SET dedup:e', 'SETNX dedup:e', 'SETNX dedup:e 1 2', 'GET', 'GET a b', 'SADD x:dupefilter'],
    ...['SISMEMBER x:dupefilter', 'SISMEMBER x:dupefilter a b', 'SMISMEMBER x:dupefilter'],
    ...['SET dedup:e 1 NX EX', 'SET dedup:e 1 NX EX x', 'SET dedup:e 1 NX EX 0', 'SET dedup:e 1 NX EX -5'],
    ...['SET dedup:e 1 NX EX 1 PX 1', 'SET dedup:e 1 NX NOTHING', 'SET dedup:e 1 NX EX 1.5', 'EXISTS dedup:e'],
  ],
  'mapped keys in pipelines and transactions': [
    raw(
      'SET dedup:p 1 NX EX 86400\r\nSET dedup:q 1 NX EX 86400\r\nSET dedup:p 1 NX EX 86400\r\nSETNX once:p 1\r\nSETNX once:p 1\r\n' +
        'SET idem:p 1 NX PX 60000\r\nSET idem:p 1 NX PX 60000\r\nSET idem:p processed EX 86400\r\nPING\r\n',
      9,
    ),
    ...['MULTI', 'SET dedup:t 1 NX EX 86400', 'SET dedup:t 1 NX EX 86400', 'SADD t:dupefilter m', 'GET idem:t'],
    ...['SET idem:t v NX PX 60000', 'GET idem:t', 'DEL idem:t', 'EXISTS idem:t dedup:t', 'EXEC'],
  ],
  'other meanings of mapped keys': [
    ...['SET dedup:m 1 NX EX 86400', 'SET idem:m 1 NX PX 60000', 'SET idem:m processed EX 86400'],
    differs('SET dedup:m2 1', 'meaning'),
    differs('GET dedup:m', 'meaning'),
    differs('INCR once:m', 'meaning'),
    differs('TTL dedup:m', 'meaning'),
    differs('SET dedup:m3 1 NX EX 3600', 'time'),
    differs('SETNX dedup:m4 1', 'time'),
    differs('SET idem:m5 1 NX EX 86400', 'time'),
    differs('DEL dedup:m', 'forgets'),
    differs('DEL idem:m', 'forgets'),
    differs({ command: ['EVAL', 'return redis.call("del", KEYS[1])', '1', 'idem:m6'] }, 'scripts'),
    differs('TTL idem:m', 'left'),
    differs('EXISTS elsewhere', 'unmapped'),
    differs('DEL elsewhere', 'unmapped'),
    differs('TTL elsewhere', 'unmapped'),
    differs('SET elsewhere 1 NX', 'unmapped'),
  ],
};
