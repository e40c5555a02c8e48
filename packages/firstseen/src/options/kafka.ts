// The options of a worker on Kafka.

import {
  algorithm,
  memory as detectorMemory,
  distinctElements,
  fpr,
  layout,
  parameters,
  refresh,
  secret,
  seed,
  window,
  windowSlack,
} from './detector.js';
import { emptyKey, maxLead, missingKey, nullKey, onError } from './records.js';
import { commandRow, type OptionRow } from './row.js';
import { isClockReset as runClockReset } from './run.js';

export const brokers = commandRow({
  isRequired: true,
  name: 'brokers',
  flag: '--brokers <list>',
  kind: 'text',
  help: 'addresses of brokers, such as host:9092, with commas between them',
});

export const input = commandRow({
  isRequired: true,
  name: 'input',
  flag: '--input <topic>',
  kind: 'text',
  help: 'topic to read',
});

export const output = commandRow({
  isRequired: true,
  name: 'output',
  flag: '--output <topic>',
  kind: 'text',
  help: 'topic for the first occurrences; it has as many partitions as the input',
});

export const duplicatesTo = commandRow({
  name: 'duplicatesTo',
  flag: '--duplicates-to <topic>',
  kind: 'text',
  help: 'also write the duplicates, to this topic, which has as many partitions as the input',
});

export const pointers = commandRow({
  name: 'pointers',
  flag: '--pointers <topic>',
  kind: 'text',
  shownDefault: 'the name of the group and -pointers',
  help: 'compacted topic with the position of each partition; it is created if it does not exist',
});

export const group = commandRow({
  isRequired: true,
  name: 'group',
  flag: '--group <name>',
  kind: 'text',
  help: 'consumer group: its workers share the partitions, and what they have seen',
});

export const fromGroup = commandRow({
  name: 'fromGroup',
  flag: '--from-group <name>',
  kind: 'text',
  shownDefault: 'none',
  help: 'group that has stopped, from which a new group takes over: the new one observes what is in the window without emitting it, and goes on',
});

export const fromPointers = commandRow({
  name: 'fromPointers',
  flag: '--from-pointers <topic>',
  kind: 'text',
  shownDefault: 'the name of that group and -pointers',
  help: 'topic of the pointers of the group from which a new one takes over',
});

export const allowsMissing = commandRow({
  name: 'allowsMissing',
  flag: '--allow-missing',
  kind: 'presence',
  help: 'take over although the topics lack records: repeats of these pass; by default, the worker refuses, and says what is missing',
});

export const instance = commandRow({
  name: 'instance',
  flag: '--instance <name>',
  kind: 'text',
  shownDefault: 'the name of the machine',
  help: 'name of this worker in its group; a worker that starts with the same name replaces it at once',
});

export const state = commandRow({
  isRequired: true,
  name: 'state',
  flag: '--state <folder>',
  kind: 'text',
  help: 'folder of the snapshots, which all workers of the group share; it is created if it does not exist',
});

export const snapshotEvery = commandRow({
  name: 'snapshotEvery',
  flag: '--snapshot-every <n>',
  kind: 'whole',
  default: 1_000_000,
  help: 'records of a partition after which a snapshot of it is taken; one is also taken after an hour with any record; a start reads again what came since the last one',
});

export const from = commandRow({
  name: 'from',
  flag: '--from <where>',
  kind: 'word',
  words: ['earliest', 'latest'],
  default: 'earliest',
  help: 'where a group that is new begins: {words}',
});

export const format = commandRow({
  name: 'format',
  flag: '-f, --format <name>',
  kind: 'word',
  words: ['lines', 'ndjson', 'u64'],
  shownDefault: 'lines, or ndjson with a key',
  help: '{words}: the key is in plain bytes, in a JSON object, or an integer of 8 bytes in a batch',
  agrees: 'record',
});

export const keys = commandRow({
  name: 'keys',
  flag: '-k, --key <path>',
  kind: 'texts',
  shownDefault: 'all of the value',
  help: 'path of the key in JSON, such as user.id; several are one key; repeatable',
  agrees: 'record',
});

export const keyFrom = commandRow({
  name: 'keyFrom',
  flag: '--key-from <place>',
  kind: 'text',
  default: 'value',
  help: 'part of a record that has the key: value, key, or header:NAME',
  agrees: 'record',
});

export const partitioned = commandRow({
  name: 'partitioned',
  flag: '--partitioned',
  kind: 'presence',
  help: 'equal keys are in one partition of the input, even if message keys differ from them; by default, a message whose key differs stops the worker',
});

export const repartition = commandRow({
  name: 'repartition',
  flag: '--repartition <topic>',
  kind: 'text',
  help: 'repartition the input by the key into this topic first; outputs have as many partitions as it has',
});

export const isBatch = commandRow({
  name: 'isBatch',
  flag: '--batches',
  kind: 'presence',
  help: 'a value holds many records: lines, or integers; the output has the message with those that are new',
  agrees: 'record',
});

export const maxLeadMilliseconds = commandRow({
  name: 'maxLeadMilliseconds',
  flag: maxLead.flag,
  kind: maxLead.kind,
  shownDefault: 'a tenth of the window, from 1s to 1h',
  help: 'how far the time of a record may be ahead of the clock of this machine; one that is further ahead does not move the window',
});

export const isClockReset = commandRow({
  name: runClockReset.name,
  flag: runClockReset.flag,
  kind: runClockReset.kind,
  help: 'set the time of a window that is too far ahead back to the clock of this machine; nothing is forgotten',
});

export const memory = commandRow({
  name: detectorMemory.name,
  flag: detectorMemory.flag,
  kind: detectorMemory.kind,
  agrees: detectorMemory.agrees,
  default: detectorMemory.default,
  help: 'memory of the detectors of all partitions together, such as 64MiB',
  shownDefault: '64MiB',
});

export const host = commandRow({
  name: 'host',
  flag: '--host <address>',
  kind: 'text',
  default: '127.0.0.1',
  help: 'address to listen on for HTTP',
});

export const httpPort = commandRow({
  name: 'httpPort',
  flag: '--http-port <n>',
  kind: 'number',
  shownDefault: 'none',
  help: 'HTTP port for metrics and health; 0 chooses a free one',
});

export const isEncrypted = commandRow({
  name: 'isEncrypted',
  flag: '--tls',
  kind: 'presence',
  help: 'encrypt connections to brokers; each option for certificates implies it',
});

export const tlsCa = commandRow({
  name: 'tlsCa',
  flag: '--tls-ca <file>',
  kind: 'text',
  shownDefault: 'those of the machine',
  help: 'authorities in PEM of the certificates of brokers',
});

export const tlsCert = commandRow({
  name: 'tlsCert',
  flag: '--tls-cert <file>',
  kind: 'text',
  help: 'certificate of this client in PEM',
});

export const tlsKey = commandRow({
  name: 'tlsKey',
  flag: '--tls-key <file>',
  kind: 'text',
  help: 'private key of the certificate in PEM',
});

export const saslMechanism = commandRow({
  name: 'saslMechanism',
  flag: '--sasl-mechanism <name>',
  kind: 'word',
  words: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
  default: 'SCRAM-SHA-512',
  help: 'SASL mechanism: {words}',
});

export const saslUser = commandRow({
  name: 'saslUser',
  flag: '--sasl-user <name>',
  kind: 'text',
  help: 'name of a user of the brokers',
});

export const saslPasswordFile = commandRow({
  name: 'saslPasswordFile',
  flag: '--sasl-password-file <file>',
  kind: 'text',
  holdsSecret: true,
  help: 'file with the password of the user',
});

export const config = commandRow({
  name: 'config',
  flag: '--config <property=value>',
  kind: 'texts',
  help: 'property of librdkafka; those that the guarantee needs are refused; repeatable',
});

/** The rows of the detector. */
export const kafkaDetectorRows = [
  ...[algorithm, fpr, window, windowSlack, refresh, distinctElements, parameters, layout, seed, secret],
] as const;

/** The rows that a worker takes as they are. */
export const workerRows = [group, snapshotEvery, allowsMissing] as const;

export const kafkaRows = [
  ...[brokers, input, output, duplicatesTo, group, state],
  ...[format, isBatch, keys, keyFrom, partitioned, repartition, missingKey, emptyKey, nullKey, onError],
  ...[memory, ...kafkaDetectorRows],
  ...[
    maxLeadMilliseconds,
    isClockReset,
    snapshotEvery,
    from,
    fromGroup,
    fromPointers,
    allowsMissing,
    instance,
    pointers,
  ],
  ...[isEncrypted, tlsCa, tlsCert, tlsKey, saslMechanism, saslUser, saslPasswordFile, config],
  ...[host, httpPort],
] as const;

/** The rows that decide the answers: a group keeps them. Those of records also decide how an input is cut. */
export const decidingRows: readonly OptionRow[] = kafkaRows.filter((row) => 'agrees' in row);
