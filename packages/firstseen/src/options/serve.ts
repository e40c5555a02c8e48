// The options of the server.

import type { OptionRow } from './row.js';

const forServer = { group: 'input', jobs: [] } as const;

export const host = {
  ...forServer,
  name: 'host',
  flag: '--host <address>',
  kind: 'text',
  default: '127.0.0.1',
  help: 'address to listen on: that of the loopback interface, because clients are not authenticated',
} as const satisfies OptionRow;

export const port = {
  ...forServer,
  name: 'port',
  flag: '--port <n>',
  kind: 'number',
  default: 6390,
  help: 'port for the protocol of Redis; 0 takes a free one',
} as const satisfies OptionRow;

export const totalMemory = {
  ...forServer,
  name: 'memory',
  flag: '-m, --memory <size>',
  kind: 'bytes',
  shownDefault: '70 % of the memory of the machine or container',
  help: 'memory of all detectors together',
} as const satisfies OptionRow;

export const mostDetectors = {
  ...forServer,
  name: 'maxDetectors',
  flag: '--max-detectors <n>',
  kind: 'whole',
  default: 100_000,
  help: 'detectors at most',
} as const satisfies OptionRow;

export const mostConnections = {
  ...forServer,
  name: 'maxConnections',
  flag: '--max-connections <n>',
  kind: 'whole',
  default: 10_000,
  help: 'connections at most',
} as const satisfies OptionRow;

export const autoCreate = {
  ...forServer,
  name: 'autoCreate',
  flag: '--auto-create <size>',
  kind: 'bytes',
  help: 'make a Bloom filter of this memory when BF.ADD, BF.MADD or BF.INSERT names one that does not exist',
} as const satisfies OptionRow;

export const maps = {
  ...forServer,
  name: 'map',
  flag: '--map <keys=detector>',
  kind: 'texts',
  help: "have a detector answer SET NX, SADD and others on keys of Redis, such as 'dedup:*=events', or 'idem:*=requests,claim' to claim keys; repeatable",
} as const satisfies OptionRow;

export const data = {
  ...forServer,
  name: 'data',
  flag: '--data <folder>',
  kind: 'text',
  default: 'firstseen-data',
  help: 'folder of the log and the snapshots; it is made if there is none',
} as const satisfies OptionRow;

export const inMemory = {
  ...forServer,
  name: 'inMemory',
  flag: '--in-memory',
  kind: 'presence',
  help: 'keep nothing on disk: a server that stops has forgotten everything',
} as const satisfies OptionRow;

export const durability = {
  ...forServer,
  name: 'durability',
  flag: '--durability <when>',
  kind: 'word',
  words: ['always', 'interval', 'snapshot'],
  default: 'interval',
  help: '{words}: a change is on the disk before its reply, within a second, or when the server stops and at FS.SAVE',
} as const satisfies OptionRow;

export const logLimit = {
  ...forServer,
  name: 'logLimit',
  flag: '--log-limit <size>',
  kind: 'bytes',
  default: 2 ** 26,
  help: 'bytes of the log after which new snapshots are written from it; the memory of the detectors, if that is larger',
} as const satisfies OptionRow;

export const onDamage = {
  ...forServer,
  name: 'onDamage',
  flag: '--on-damage <what>',
  kind: 'word',
  words: ['fail', 'cut'],
  default: 'fail',
  help: '{words}: what to do about a log that is damaged before its end; cut goes on without what follows',
} as const satisfies OptionRow;

export const serveRows = [
  ...[host, port, data, inMemory, durability, logLimit, onDamage],
  ...[totalMemory, mostDetectors, mostConnections, autoCreate, maps],
] as const;
