// What `firstseen kafka` was told, by flags and variables.

import { hostname } from 'node:os';
import { join } from 'node:path';
import { checkBytes } from '../../base/check.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { schemeOfCut } from '../../kafka/cutting.js';
import type { KeyOptions, KeyPlace } from '../../kafka/keys.js';
import { canDiffer } from '../../kafka/messagekeys.js';
import type { RepartitionSettings } from '../../kafka/repartitioner.js';
import type { WorkerSettings } from '../../kafka/settings.js';
import { checkDifferent } from '../../kafka/topics.js';
import { unpackedKeys } from '../../kafka/unpacking.js';
import { DEFAULT_MEMORY_BYTES } from '../../options/detector.js';
import * as rows from '../../options/kafka.js';
import { entryOf } from '../../options/longflag.js';
import type { OptionRow } from '../../options/row.js';
import { type Settings, settingsOf } from '../../options/settings.js';
import type { CreateOptions } from '../../plan/keys.js';
import { recordDefaults } from '../../records/policies.js';
import { attributeOf } from '../options.js';

export type GivenFlags = Readonly<Record<string, unknown>>;

/** The values of the options, by their names. */
export interface KafkaValues extends Pick<KeyOptions, 'missingKey' | 'emptyKey' | 'nullKey'> {
  brokers: string;
  input: string;
  output: string;
  duplicatesTo?: string;
  group: string;
  state: string;
  format?: KeyOptions['format'];
  keys?: string[];
  keyFrom?: string;
  partitioned?: boolean;
  repartition?: string;
  onError?: KeyOptions['onError'];
  memory?: string;
  distinctElements?: number;
  snapshotEvery?: number;
  from?: WorkerSettings['from'];
  instance?: string;
  pointers?: string;
  host?: string;
  httpPort?: number;
  config?: string[];
}

/** Records of a transaction at most. */
const MOST_RECORDS = 10_000;
/** What names a folder and a topic too. */
const groupForm = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,200}$/;
const needed = [rows.brokers, rows.inputTopic, rows.outputTopic, rows.groupName, rows.stateFolder] as const;

function givenIn(row: OptionRow, flags: GivenFlags): unknown {
  const value = flags[attributeOf(row)];
  return row.kind === 'presence' && value !== undefined ? (row.gives ?? true) : value;
}

/** @throws FirstseenError that says where a wrong value was given; E_USAGE without what every worker needs */
export function readKafkaSettings(flags: GivenFlags, variables: NodeJS.ProcessEnv = process.env): Settings {
  const settings = settingsOf({
    rows: rows.kafkaRows,
    rowsWithoutEntry: [],
    flags: Object.fromEntries(rows.kafkaRows.map((row) => [row.name, givenIn(row, flags)])),
    variables,
    otherVariables: ['FIRSTSEEN_DEBUG'],
    otherEntries: [],
    owner: 'this command',
  });
  const missing = needed.find(({ name }) => settings.values[name] === undefined);
  if (missing === undefined) return settings;
  throw new FirstseenError('E_USAGE', phrase`${optionName(missing.name)} is missing`, {
    option: missing.name,
    remedy: phrase`give ${optionName(missing.name)}: ${missing.help}`,
  });
}

function placeOf(text: string): KeyPlace {
  if (text === 'value' || text === 'key') return text;
  const [, header] = /^header:(.+)$/s.exec(text) ?? [];
  if (header !== undefined) return { header };
  throw new FirstseenError(
    'E_USAGE',
    phrase`${optionName('keyFrom')} is ${text}, but must be value, key or header:NAME`,
    {
      ...{ option: 'keyFrom', given: text },
      remedy: 'give one of them',
    },
  );
}

function keyOptions(values: KafkaValues): KeyOptions {
  const { keys = [], format = keys.length > 0 ? 'ndjson' : 'lines', keyFrom = rows.keyFrom.default } = values;
  const { missingKey, emptyKey, nullKey, onError = recordDefaults.onError } = values;
  if ((format === 'ndjson') !== keys.length > 0) {
    const problem = phrase`${optionName('format')} is ${format}, and there ${keys.length > 0 ? 'is a' : 'is no'} ${optionName('keys')}`;
    throw new FirstseenError('E_USAGE', problem, {
      option: 'keys',
      remedy: phrase`give ${optionName('keys')} with ndjson, and leave it out with lines`,
    });
  }
  return { place: placeOf(keyFrom), format, keys, missingKey, emptyKey, nullKey, onError };
}

/** The share of a partition. */
function shareOf(memory: string | undefined, partitions: number): number | string {
  if (memory === 'auto') return memory;
  return Math.floor(checkBytes('memory', memory ?? DEFAULT_MEMORY_BYTES) / partitions);
}

/** The detector of one partition: memory and expectations are those of all partitions together. */
function detectorOptions(values: KafkaValues, keys: KeyOptions, partitions: number): CreateOptions {
  const given = rows.kafkaDetectorRows.map(({ name }) => [name, values[name as keyof KafkaValues]] as const);
  const { distinctElements } = values;
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    memory: shareOf(values.memory, partitions),
    ...(distinctElements === undefined ? {} : { distinctElements: Math.ceil(distinctElements / partitions) }),
    ...(keys.format === 'lines' ? {} : { format: keys.format, keys: keys.keys }),
  };
}

/** What decides the answers, by the names of options. */
function askedOf(values: KafkaValues, { memory }: CreateOptions, partitions: number): WorkerSettings['asked'] {
  const given = rows.decidingRows.map((row) => [entryOf(row), values[row.name as keyof KafkaValues]] as const);
  const asked = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return { ...asked, memory, partitions };
}

/** @throws FirstseenError E_USAGE for a name that cannot be that of a folder */
function checkGroup(group: string): void {
  if (groupForm.test(group)) return;
  throw new FirstseenError('E_USAGE', phrase`${optionName('group')} is ${group}, but must be a name`, {
    ...{ option: 'group', given: group },
    remedy: 'give letters, digits, points, underscores and hyphens',
  });
}

export function topicsOf(values: KafkaValues): WorkerSettings['topics'] {
  const { input, repartition, output, duplicatesTo, group, pointers = `${group}-pointers` } = values;
  checkGroup(group);
  const read = repartition === undefined ? { input } : { input: repartition, source: input };
  const topics = { ...read, output, duplicates: duplicatesTo, pointers };
  checkDifferent(topics);
  return topics;
}

export function instanceOf({ instance = hostname() }: KafkaValues): string {
  return instance;
}

/** The first half of a worker that repartitions; undefined for one that does not. */
export function repartitionSettings(values: KafkaValues, worker: WorkerSettings): RepartitionSettings | undefined {
  const { topics, partitions, unpacks: note, mostRecords } = worker;
  if (topics.source === undefined || note === undefined) return undefined;
  const from = values.from ?? rows.from.default;
  return { source: topics.source, topic: topics.input, partitions, note, keys: keyOptions(values), from, mostRecords };
}

/** @throws FirstseenError E_USAGE, E_PARAMETER or E_MEMORY for options that contradict each other */
export function workerSettings(values: KafkaValues, partitions: number): WorkerSettings {
  const keys = keyOptions(values);
  const isCut = values.repartition !== undefined;
  const detector = detectorOptions(values, keys, partitions);
  return {
    group: values.group,
    topics: topicsOf(values),
    partitions,
    folder: join(values.state, values.group),
    keys: isCut ? unpackedKeys(keys) : keys,
    checksMessageKeys: !isCut && values.partitioned !== true && canDiffer(keys),
    unpacks: isCut ? { group: values.group, scheme: schemeOfCut(keys) } : undefined,
    detector,
    asked: askedOf(values, detector, partitions),
    // The whole topic of containers is read: where the input begins is what the first half decides.
    from: isCut ? 'earliest' : (values.from ?? rows.from.default),
    snapshotEvery: values.snapshotEvery ?? rows.snapshotEvery.default,
    mostRecords: MOST_RECORDS,
  };
}
