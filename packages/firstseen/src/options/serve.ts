// The options of the server.

import { commandRow, type OptionRow } from './row.js';

/** An option that names a file with the tokens of a role. */
interface TokenRow extends OptionRow {
  readonly role: 'read' | 'observe' | 'admin';
}

export const config = commandRow({
  name: 'config',
  flag: '--config <file>',
  kind: 'text',
  help: 'JSON file with any of these options by the names of their flags, and with detectors',
});

export const host = commandRow({
  name: 'host',
  flag: '--host <address>',
  kind: 'text',
  default: '127.0.0.1',
  help: 'address to listen on; one that other machines can reach requires tokens, or certificates of clients',
});

export const port = commandRow({
  name: 'port',
  flag: '--port <n>',
  kind: 'number',
  default: 6390,
  help: 'port for the protocol of Redis; 0 chooses a free one',
});

export const httpPort = commandRow({
  name: 'httpPort',
  flag: '--http-port <n>',
  kind: 'number',
  default: 6391,
  help: 'port for HTTP; 0 chooses a free one',
});

export const redisOnly = commandRow({
  name: 'redisOnly',
  flag: '--redis-only',
  kind: 'presence',
  help: 'do not listen for HTTP',
});

export const memoryBytes = commandRow({
  // Not `memory`, which is an option of each detector.
  name: 'memoryBytes',
  flag: '-m, --memory <size>',
  kind: 'bytes',
  shownDefault: '70 % of the memory of the machine or container',
  help: 'memory of all detectors together',
});

export const maxDetectors = commandRow({
  name: 'maxDetectors',
  flag: '--max-detectors <n>',
  kind: 'whole',
  default: 100_000,
  help: 'maximum number of detectors',
});

export const maxConnections = commandRow({
  name: 'maxConnections',
  flag: '--max-connections <n>',
  kind: 'whole',
  default: 10_000,
  help: 'maximum number of connections, for each protocol',
});

export const requestBytes = commandRow({
  name: 'requestBytes',
  flag: '--max-request <size>',
  kind: 'bytes',
  default: 2 ** 25,
  help: 'maximum size of a command',
});

export const requestMilliseconds = commandRow({
  name: 'requestMilliseconds',
  flag: '--request-timeout <duration>',
  kind: 'duration',
  isTimer: true,
  default: '1m',
  help: 'time for a client to send a whole command once it has begun, and to authenticate',
});

export const idleMilliseconds = commandRow({
  name: 'idleMilliseconds',
  flag: '--idle-timeout <duration>',
  kind: 'duration',
  isTimer: true,
  shownDefault: 'none',
  help: 'time after which the connection of a client that sends nothing is closed',
});

export const drainMilliseconds = commandRow({
  name: 'drainMilliseconds',
  flag: '--drain-delay <duration>',
  kind: 'duration',
  isTimer: true,
  shownDefault: 'none',
  help: 'time from a signal to stop, when /readyz begins to fail, until the server ends its connections',
});

export const keyed = commandRow({
  name: 'keyed',
  flag: '--keyed <when>',
  kind: 'word',
  words: ['auto', 'always', 'never'],
  default: 'auto',
  help: '{words}: hash with a secret in new detectors that do not say otherwise; auto does so if other machines can reach the server',
});

export const autoCreateBytes = commandRow({
  name: 'autoCreateBytes',
  flag: '--auto-create <size>',
  kind: 'bytes',
  help: 'make a Bloom filter of this memory when BF.ADD, BF.MADD or BF.INSERT names one that does not exist',
});

const tokenFile = { group: 'input', jobs: [], kind: 'text', holdsSecret: true } as const;

export const tokenReadFile = {
  ...tokenFile,
  name: 'tokenReadFile',
  role: 'read',
  flag: '--token-read-file <file>',
  help: 'file of tokens, one a line: clients with one may query, and change nothing',
} as const satisfies TokenRow;

export const tokenObserveFile = {
  ...tokenFile,
  name: 'tokenObserveFile',
  role: 'observe',
  flag: '--token-observe-file <file>',
  help: 'file of tokens for clients that may also add keys and claim them',
} as const satisfies TokenRow;

export const tokenAdminFile = {
  ...tokenFile,
  name: 'tokenAdminFile',
  role: 'admin',
  flag: '--token-admin-file <file>',
  help: 'file of tokens for clients that may do everything',
} as const satisfies TokenRow;

export const tlsCert = commandRow({
  name: 'tlsCert',
  flag: '--tls-cert <file>',
  kind: 'text',
  help: 'certificate of the server in PEM: connections are encrypted',
});

export const tlsKey = commandRow({
  name: 'tlsKey',
  flag: '--tls-key <file>',
  kind: 'text',
  help: 'private key of the certificate in PEM',
});

export const tlsCa = commandRow({
  name: 'tlsCa',
  flag: '--tls-ca <file>',
  kind: 'text',
  help: 'authorities in PEM: clients must have a certificate of one of them',
});

export const maps = commandRow({
  name: 'maps',
  flag: '--map <keys=detector>',
  kind: 'texts',
  help: "map keys of Redis to a detector, for SET NX, SADD and others, such as 'dedup:*=events', or 'idem:*=requests,claim' to claim keys; repeatable",
});

export const folder = commandRow({
  name: 'folder',
  flag: '--data <folder>',
  kind: 'text',
  default: 'firstseen-data',
  help: 'folder of the log and the snapshots; it is created if it does not exist',
});

export const requireData = commandRow({
  name: 'requireData',
  flag: '--require-data',
  kind: 'presence',
  help: 'start only with the data of an earlier start, so that an unmounted volume is noticed; serve --init makes an empty data folder',
});

export const inMemory = commandRow({
  name: 'inMemory',
  flag: '--in-memory',
  kind: 'presence',
  help: 'store nothing on disk: a server that stops loses everything',
});

export const durability = commandRow({
  name: 'durability',
  flag: '--durability <when>',
  kind: 'word',
  words: ['always', 'interval', 'snapshot'],
  default: 'interval',
  help: '{words}: a change is on the disk before its reply, within a second, or when the server stops and at FS.SAVE',
});

export const logLimitBytes = commandRow({
  name: 'logLimitBytes',
  flag: '--log-limit <size>',
  kind: 'bytes',
  default: 2 ** 26,
  help: 'size of the log at which new snapshots replace it, or the memory of the detectors if that is larger',
});

export const onDamage = commandRow({
  name: 'onDamage',
  flag: '--on-damage <what>',
  kind: 'word',
  words: ['fail', 'cut'],
  default: 'fail',
  help: '{words}: what to do about a log that is damaged before its end, or about damaged snapshots; cut goes on without what follows the damage, or from earlier snapshots',
});

/** The options of the address. */
export const addressRows = [host, port, httpPort, redisOnly] as const;
export const tokenRows = [tokenReadFile, tokenObserveFile, tokenAdminFile] as const;
export const tlsRows = [tlsCert, tlsKey, tlsCa] as const;
/** The options of the data folder. */
export const dataRows = [folder, requireData, inMemory, durability, logLimitBytes, onDamage] as const;
/** The other options, which the server takes as they are. */
export const serverRows = [
  ...[memoryBytes, maxDetectors, maxConnections],
  ...[requestBytes, requestMilliseconds, idleMilliseconds, drainMilliseconds],
  ...[keyed, autoCreateBytes, maps],
] as const;

/** Options that an option file cannot have. */
export const rowsWithoutEntry = [config] as const;

/** Options that are flags, variables and entries of a file. */
export const serveRows = [...addressRows, ...tokenRows, ...tlsRows, ...dataRows, ...serverRows] as const;
