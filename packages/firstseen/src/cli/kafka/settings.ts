// What `firstseen kafka` was told, by flags and variables.

import { hostname } from 'node:os';
import { join } from 'node:path';
import { checkBytes } from '../../base/check.js';
import { defined } from '../../base/defined.js';
import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import { checkWindow } from '../../detectors/settings.js';
import { groupOfHalf, repartitionGroup } from '../../kafka/group/halves.js';
import { type KeyOptions, type KeyPlace, schemeOf } from '../../kafka/messages/keys.js';
import { canDiffer } from '../../kafka/messages/messagekeys.js';
import { schemeOfCut } from '../../kafka/repartition/partitioner.js';
import type { RepartitionSettings } from '../../kafka/repartition/repartitioner.js';
import { unpackedKeys } from '../../kafka/repartition/unpacking.js';
import type { WorkerSettings } from '../../kafka/settings.js';
import { checkDifferent } from '../../kafka/topics.js';
import { window as windowRow } from '../../options/detector.js';
import type { ValuesOf } from '../../options/filled.js';
import { flagOfOption } from '../../options/flagnames.js';
import * as rows from '../../options/kafka.js';
import { entryOf } from '../../options/longflag.js';
import { emptyKey, nullKey } from '../../options/records.js';
import { checkRules, type OptionRule } from '../../options/rules.js';
import { type Settings, settingsOf } from '../../options/settings.js';
import type { CreateOptions } from '../../plan/keys.js';
import { checkLocalFolder } from '../localfolder.js';
import type { GivenValues } from '../options.js';
import { MAX_PORT } from '../port.js';

type KafkaRow = (typeof rows.kafkaRows)[number];

/** The values of the options. */
export type KafkaValues = ValuesOf<KafkaRow>;

/** Records of a transaction at most. */
const MAX_RECORDS = 10_000;
/** Groups name folders and topics too; brokers take the same of members. */
const MAX_NAME_CHARACTERS = 200;
const nameForm = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;

/** An address with its port: a name, or an IPv6 address in brackets, which may follow the protocol. */
const addressForm = /^(?:\w+:\/\/)?(?:\[[^\]]*\]|[^:[\]]*):([^:]*)$/;

/**
 * Describes the error in the address of a broker; undefined if there is none. The client would take another port for
 * one that is too large.
 */
function problemOf(address: string): string | undefined {
  if (address.trim() === '') return 'with an empty address';
  const [, port] = addressForm.exec(address.trim()) ?? [];
  if (port === undefined) return undefined;
  if (!/^\d+$/.test(port)) return `whose port ${JSON.stringify(port)} is not a number`;
  return Number(port) >= 1 && Number(port) <= MAX_PORT ? undefined : `whose port ${port} is not from 1 to ${MAX_PORT}`;
}

/** @throws FirstseenError E_USAGE for an address that is empty, or whose port is not one */
function checkBrokers(brokers: string | undefined): void {
  const problem = brokers?.split(',').map(problemOf).find(Boolean);
  if (problem === undefined) return;
  throw new FirstseenError('E_USAGE', phrase`${optionName('brokers')} is ${JSON.stringify(brokers)}, ${problem}`, {
    ...{ option: 'brokers', given: brokers },
    remedy: 'give addresses such as host:9092, with commas between them',
  });
}

/** The options that are of no use without another one. */
const rules: readonly OptionRule<KafkaRow['name']>[] = [
  { options: ['tlsCert'], requires: ['tlsKey'] },
  { options: ['tlsKey'], requires: ['tlsCert'] },
  { options: ['saslUser'], requires: ['saslPasswordFile'] },
  { options: ['saslPasswordFile', 'saslMechanism'], requires: ['saslUser'] },
  { options: ['fromPointers', 'allowsMissing'], requires: ['fromGroup'] },
  { options: ['seed'], excludes: ['secret'] },
];

/** @throws FirstseenError that says where a wrong value was given; E_USAGE without what every worker needs */
export function readKafkaSettings(flags: GivenValues, variables: NodeJS.ProcessEnv = process.env): Settings {
  const settings = settingsOf({
    rows: rows.kafkaRows,
    rowsWithoutEntry: [],
    ...{ flags, variables },
    otherVariables: ['FIRSTSEEN_DEBUG'],
    otherEntries: [],
    owner: 'this command',
  });
  checkBrokers(settings.givenOf(rows.brokers));
  checkLocalFolder('state', settings.givenOf(rows.state));
  const missingRow = rows.kafkaRows.find((row) => 'isRequired' in row && settings.givenOf(row) === undefined);
  if (missingRow === undefined) {
    checkRules(rules, settings.given, flagOfOption);
    return settings;
  }
  throw new FirstseenError('E_USAGE', phrase`${optionName(missingRow.name)} is missing`, {
    option: missingRow.name,
    remedy: phrase`give ${optionName(missingRow.name)}: ${missingRow.help}`,
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
  const { isBatch, partitioned, repartition } = values;
  const errorOf = (problem: Phrase, remedy: Phrase) =>
    new FirstseenError('E_USAGE', problem, { option: 'isBatch', remedy });
  const batch = optionName('isBatch');
  if (format === 'u64' && !isBatch) {
    throw errorOf(phrase`${optionName('format')} is u64, which requires ${batch}`, phrase`give ${batch}`);
  }
  if (!isBatch) return;
  if (keyFrom !== 'value') {
    throw errorOf(
      phrase`${batch} reads values, but ${optionName('keyFrom')} is ${keyFrom}`,
      phrase`leave one of them out`,
    );
  }
  if (partitioned || repartition !== undefined) return;
  throw errorOf(
    phrase`the records of a message may have many keys with ${batch}, but a message is in one partition`,
    phrase`give ${optionName('repartition')} and a topic, or ${optionName('partitioned')} if equal keys are in one partition`,
  );
}

function keyOptions(settings: Settings): KeyOptions {
  const values = settings.valuesOf(rows.kafkaRows);
  const { keys = [], format = keys.length > 0 ? 'ndjson' : 'lines', keyFrom, isBatch = false } = values;
  const { missingKey, onError } = values;
  if ((format === 'ndjson') !== keys.length > 0) {
    const problem = phrase`${optionName('format')} is ${format}, but ${optionName('keys')} is ${keys.length > 0 ? 'given' : 'missing'}`;
    throw new FirstseenError('E_USAGE', problem, {
      option: 'keys',
      remedy: phrase`give ${optionName('keys')} with ndjson, and leave it out with lines`,
    });
  }
  checkBatches(values, format, keyFrom);
  return {
    ...{ place: placeOf(keyFrom), format, isBatch, keys, missingKey, onError },
    // The scheme of containers has them as they were given.
    emptyKey: settings.givenOf(emptyKey),
    nullKey: settings.givenOf(nullKey),
  };
}

/** The share of a partition. */
function shareOf(memory: number | string, partitions: number): number | string {
  if (memory === 'auto') return memory;
  return Math.floor(checkBytes('memory', memory) / partitions);
}

/** The detector of one partition: memory and expectations are those of all partitions together. */
function detectorOptions(settings: Settings, keys: KeyOptions, partitions: number): CreateOptions {
  const { memory, ...values } = settings.valuesOf([rows.memory, ...rows.kafkaDetectorRows]);
  const { distinctElements } = values;
  return {
    ...(defined(values) as CreateOptions),
    memory: shareOf(memory, partitions),
    ...(distinctElements === undefined ? {} : { distinctElements: Math.ceil(distinctElements / partitions) }),
    ...schemeOf(keys),
  };
}

/** Reads the options of the window's clock. @throws FirstseenError E_USAGE for a window that does not follow them */
function clockOptions(settings: Settings): WorkerSettings['clock'] {
  const clockRows = [rows.maxLeadMilliseconds, rows.isClockReset];
  const window = settings.givenOf(windowRow);
  const isTimed = window !== undefined && 'milliseconds' in checkWindow(window);
  const idle = isTimed ? undefined : clockRows.find((row) => settings.givenOf(row) !== undefined);
  if (idle) {
    throw new FirstseenError('E_USAGE', phrase`${optionName(idle.name)} needs a window that is a duration`, {
      option: idle.name,
      remedy: phrase`give ${optionName('window')} as a duration, such as 1h, or leave ${optionName(idle.name)} out`,
    });
  }
  return defined(settings.valuesOf(clockRows));
}

/** Returns the options that decide the answers, and where they go, by the names of options, as it can be in JSON. */
function askedOf(settings: Settings, { memory }: CreateOptions, partitions: number): WorkerSettings['asked'] {
  const inJson = (value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const entries = rows.decidingRows.map((row) => [entryOf(row), inJson(settings.givenOf(row))] as const);
  return { ...defined(Object.fromEntries(entries)), memory, partitions, output: settings.givenOf(rows.output) };
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

/** @throws FirstseenError E_USAGE for the name that the first half of another group has */
function checkNotHalf(group: string): void {
  const other = groupOfHalf(group);
  if (other === group) return;
  throw new FirstseenError(
    'E_USAGE',
    phrase`${optionName('group')} is ${group}, but a worker of the group ${other} with ${optionName('repartition')} has this name for its first half`,
    { option: 'group', given: group, remedy: 'give a name that ends in another way' },
  );
}

export function topicsOf(values: KafkaValues): WorkerSettings['topics'] {
  const { input, repartition, output, duplicatesTo, group, pointers = `${group}-pointers` } = values;
  checkName('group', group);
  checkNotHalf(group);
  const read = repartition === undefined ? { input } : { input: repartition, source: input };
  const topics = { ...read, output, duplicatesTo, pointers };
  checkDifferent(topics);
  return topics;
}

/** The group from which a new one takes over; undefined for none. @throws FirstseenError E_USAGE for one that cannot be */
function oldGroupOf({ group, fromGroup, fromPointers }: KafkaValues): WorkerSettings['old'] {
  if (fromGroup === undefined) return undefined;
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
export function repartitionSettings(settings: Settings, worker: WorkerSettings): RepartitionSettings | undefined {
  const { topics, partitions, unpacks: note, maxRecords } = worker;
  if (topics.source === undefined || note === undefined) return undefined;
  const { from } = settings.valuesOf([rows.from]);
  const { input: topic, source, pointers } = topics;
  const group = repartitionGroup(worker.group);
  return { group, source, topic, partitions, pointers, note, keys: keyOptions(settings), from, maxRecords };
}

/** @throws FirstseenError E_USAGE, E_PARAMETER or E_MEMORY for options that contradict each other */
export function workerSettings(settings: Settings, partitions: number): WorkerSettings {
  const values = settings.valuesOf(rows.kafkaRows);
  const keys = keyOptions(settings);
  const isCut = values.repartition !== undefined;
  const detector = detectorOptions(settings, keys, partitions);
  return {
    ...settings.valuesOf(rows.workerRows),
    old: oldGroupOf(values),
    topics: topicsOf(values),
    partitions,
    folder: join(values.state, values.group),
    keys: isCut ? unpackedKeys(keys) : keys,
    checksMessageKeys: !isCut && values.partitioned !== true && canDiffer(keys),
    unpacks: isCut ? { group: values.group, scheme: schemeOfCut(keys) } : undefined,
    detector,
    clock: clockOptions(settings),
    asked: askedOf(settings, detector, partitions),
    // The whole topic of containers is read: where the input begins is what the first half decides.
    from: isCut ? 'earliest' : values.from,
    dropsRefused: values.onError === 'drop',
    maxRecords: MAX_RECORDS,
  };
}
