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
  kind: 'whole',
  default: 6390,
  help: 'port for the protocol of Redis',
} as const satisfies OptionRow;

export const totalMemory = {
  ...forServer,
  name: 'totalMemory',
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

export const serveRows = [host, port, totalMemory, mostDetectors, mostConnections, autoCreate] as const;
