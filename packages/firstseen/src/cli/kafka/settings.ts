// What `firstseen kafka` was told, by flags and variables.

import { hostname } from 'node:os';
import { join } from 'node:path';
import { checkBytes, millisecondsOf } from '../../base/check.js';
import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import { checkWindow } from '../../detectors/settings.js';
import { schemeOfCut } from '../../kafka/cutting.js';
import { repartitionGroup } from '../../kafka/halves.js';
import type { KeyOptions, KeyPlace } from '../../kafka/keys.js';
import { canDiffer } from '../../kafka/messagekeys.js';
import type { RepartitionSettings } from '../../kafka/repartitioner.js';
import { schemeOf } from '../../kafka/replay.js';
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
import { MAX_PORT } from '../port.js';

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
  batches?: boolean;
  keys?: string[];
  keyFrom?: string;
  partitioned?: boolean;
  repartition?: string;
  onError?: KeyOptions['onError'];
  memory?: string;
  window?: string | number;
  distinctElements?: number;
  maxLead?: string;
  isClockReset?: boolean;
  snapshotEvery?: number;
  from?: WorkerSettings['from'];
  fromGroup?: string;
  fromPointers?: string;
  allowsMissing?: boolean;
  instance?: string;
  pointers?: string;
  host?: string;
  httpPort?: number;
  config?: string[];
}

/** Records of a transaction at most. */
const MAX_RECORDS = 10_000;
/** Groups name folders and topics too; brokers take the same of members. */
const MAX_NAME_CHARACTERS = 200;
const nameForm = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;
const needed = [rows.brokers, rows.inputTopic, rows.outputTopic, rows.groupName, rows.stateFolder] as const;

function givenIn(row: OptionRow, flags: GivenFlags): unknown {
  const value = flags[attributeOf(row)];
  return row.kind === 'presence' && value !== undefined ? (row.gives ?? true) : value;
}

/**
 * Describes the error in the address of a broker; undefined if there is none. The client would take another port for
 * one that is too large.
 */
function problemOf(address: string): string | undefined {
  if (address.trim() === '') return 'with an empty address';
  const [, port] = /:(\d+)$/.exec(address.trim()) ?? [];
  return port === undefined || (Number(port) >= 1 && Number(port) <= MAX_PORT)
    ? undefined
    : `whose port ${port} is not from 1 to ${MAX_PORT}`;
}

/** @throws FirstseenError E_USAGE for an address that is empty, or whose port is not one */
function checkBrokers(given: string | undefined): void {
  const problem = given?.split(',').map(problemOf).find(Boolean);
  if (problem === undefined) return;
  throw new FirstseenError('E_USAGE', phrase`${optionName('brokers')} is ${JSON.stringify(given)}, ${problem}`, {
    ...{ option: 'brokers', given },
    remedy: 'give addresses such as host:9092, with commas between them',
  });
}

/** @throws FirstseenError E_USAGE for a text without characters, as a variable of a shell gives that is not set */
function checkTexts(settings: Settings): void {
  const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';
  const found = rows.kafkaRows.find(({ kind, name }) => kind === 'text' && isBlank(settings.values[name]));
  if (found === undefined) return;
  const given = settings.values[found.name];
  throw new FirstseenError('E_USAGE', phrase`${optionName(found.name)} is ${JSON.stringify(given)}, without a text`, {
    ...{ option: found.name, given },
    remedy: phrase`give ${optionName(found.name)}: ${found.help}`,
  });
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
  checkBrokers(settings.values[rows.brokers.name] as string | undefined);
  checkTexts(settings);
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

/** @throws FirstseenError E_USAGE for options that batches need, or that exclude them */
function checkBatches(values: KafkaValues, format: KeyOptions['format'], keyFrom: string): void {
  const { batches = false, partitioned, repartition } = values;
  const refused = (problem: Phrase, remedy: Phrase) =>
    new FirstseenError('E_USAGE', problem, { option: 'batches', remedy });
  const batch = optionName('batches');
  if (format === 'u64' && !batches) {
    throw refused(phrase`${optionName('format')} is u64, and there is no ${batch}`, phrase`give ${batch}`);
  }
  if (!batches) return;
  if (keyFrom !== 'value') {
    throw refused(
      phrase`${batch} are in values, but ${optionName('keyFrom')} is ${keyFrom}`,
      phrase`leave one of them out`,
    );
  }
  if (partitioned || repartition !== undefined) return;
  throw refused(
    phrase`${batch} have many keys, and a message has one`,
    phrase`give ${optionName('repartition')} and a topic, or ${optionName('partitioned')} if equal keys are in one partition`,
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
  checkBatches(values, format, keyFrom);
  return {
    ...{ place: placeOf(keyFrom), format, isBatch: values.batches === true, keys },
    missingKey,
    emptyKey,
    nullKey,
    onError,
  };
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
    ...schemeOf(keys),
  };
}

/** Reads the options of the window's clock. @throws FirstseenError E_USAGE for a window that does not follow them */
function clockOptions({ window, maxLead, isClockReset }: KafkaValues): WorkerSettings['clock'] {
  const isTimed = window !== undefined && 'milliseconds' in checkWindow(window);
  const idle = isTimed
    ? undefined
    : ([maxLead && rows.maxRecordLead, isClockReset && rows.resetsClock].find(Boolean) as OptionRow | undefined);
  if (idle) {
    throw new FirstseenError('E_USAGE', phrase`${optionName(idle.name)} is for a window that is a duration`, {
      option: idle.name,
      remedy: phrase`give ${optionName('window')} as a duration, such as 1h, or leave ${optionName(idle.name)} out`,
    });
  }
  return {
    isClockReset,
    ...(maxLead === undefined ? {} : { maxLeadMilliseconds: millisecondsOf('maxLead', maxLead) }),
  };
}

/** Returns the options that decide the answers, and where they go, by the names of options, as it can be in JSON. */
function askedOf(values: KafkaValues, { memory }: CreateOptions, partitions: number): WorkerSettings['asked'] {
  const inJson = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const given = rows.decidingRows.map((row) => [entryOf(row), inJson(values[row.name as keyof KafkaValues])] as const);
  const asked = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return { ...asked, memory, partitions, output: values.output };
}

/** @throws FirstseenError E_USAGE for a name that cannot be that of a folder, or of a member */
function checkName(option: 'group' | 'fromGroup' | 'instance', name: string): void {
  if (nameForm.test(name) && name.length <= MAX_NAME_CHARACTERS) return;
  const problem = nameForm.test(name)
    ? phrase`${optionName(option)} has ${name.length} characters, but may have ${MAX_NAME_CHARACTERS}`
    : phrase`${optionName(option)} is ${JSON.stringify(name)}, but must be a name`;
  throw new FirstseenError('E_USAGE', problem, {
    ...{ option, given: name },
    remedy: `give letters, digits, points, underscores and hyphens, ${MAX_NAME_CHARACTERS} at most`,
  });
}

export function topicsOf(values: KafkaValues): WorkerSettings['topics'] {
  const { input, repartition, output, duplicatesTo, group, pointers = `${group}-pointers` } = values;
  checkName('group', group);
  const read = repartition === undefined ? { input } : { input: repartition, source: input };
  const topics = { ...read, output, duplicates: duplicatesTo, pointers };
  checkDifferent(topics);
  return topics;
}

/** The group from which a new one takes over; undefined for none. @throws FirstseenError E_USAGE for one that cannot be */
function oldGroupOf({ group, fromGroup, fromPointers }: KafkaValues): WorkerSettings['old'] {
  if (fromGroup === undefined) {
    if (fromPointers === undefined) return undefined;
    throw new FirstseenError('E_USAGE', phrase`${optionName('fromPointers')} requires ${optionName('fromGroup')}`, {
      option: 'fromPointers',
      remedy: phrase`give ${optionName('fromGroup')}, or leave ${optionName('fromPointers')} out`,
    });
  }
  checkName('fromGroup', fromGroup);
  if (fromGroup !== group) return { group: fromGroup, pointers: fromPointers ?? `${fromGroup}-pointers` };
  throw new FirstseenError('E_USAGE', phrase`${optionName('group')} and ${optionName('fromGroup')} are both ${group}`, {
    ...{ option: 'fromGroup', given: fromGroup },
    remedy: phrase`give a new ${optionName('group')}`,
  });
}

export function instanceOf({ instance = hostname() }: KafkaValues): string {
  checkName('instance', instance);
  return instance;
}

/** The first half of a worker that repartitions; undefined for one that does not. */
export function repartitionSettings(values: KafkaValues, worker: WorkerSettings): RepartitionSettings | undefined {
  const { topics, partitions, unpacks: note, maxRecords } = worker;
  if (topics.source === undefined || note === undefined) return undefined;
  const from = values.from ?? rows.from.default;
  const { input: topic, source, pointers } = topics;
  const group = repartitionGroup(worker.group);
  return { group, source, topic, partitions, pointers, note, keys: keyOptions(values), from, maxRecords };
}

/** @throws FirstseenError E_USAGE, E_PARAMETER or E_MEMORY for options that contradict each other */
export function workerSettings(values: KafkaValues, partitions: number): WorkerSettings {
  const keys = keyOptions(values);
  const isCut = values.repartition !== undefined;
  const detector = detectorOptions(values, keys, partitions);
  return {
    group: values.group,
    old: oldGroupOf(values),
    allowsMissing: values.allowsMissing,
    topics: topicsOf(values),
    partitions,
    folder: join(values.state, values.group),
    keys: isCut ? unpackedKeys(keys) : keys,
    checksMessageKeys: !isCut && values.partitioned !== true && canDiffer(keys),
    unpacks: isCut ? { group: values.group, scheme: schemeOfCut(keys) } : undefined,
    detector,
    clock: clockOptions(values),
    asked: askedOf(values, detector, partitions),
    // The whole topic of containers is read: where the input begins is what the first half decides.
    from: isCut ? 'earliest' : (values.from ?? rows.from.default),
    snapshotEvery: values.snapshotEvery ?? rows.snapshotEvery.default,
    maxRecords: MAX_RECORDS,
  };
}
