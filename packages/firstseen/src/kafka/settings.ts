// What a worker is asked.

import type { ValuesOf } from '../options/filled.js';
import type { workerRows } from '../options/kafka.js';
import type { CreateOptions } from '../plan/keys.js';
import type { KeyOptions } from './messages/keys.js';
import type { ClockOptions } from './observing/windowclock.js';
import type { PointersOf } from './pointers/pointers.js';
import type { ContainerNote } from './repartition/containers.js';
import type { Topics } from './topics.js';

/** A group that has stopped, and whose place a new one takes. */
export interface OldGroup {
  group: string;
  /** The topic of its pointers. */
  pointers: string;
}

/** The settings of a worker: some options as they are, and what follows from the others. */
export interface WorkerSettings extends ValuesOf<(typeof workerRows)[number]> {
  /** The group from which this one takes over, if it does. */
  old?: OldGroup | undefined;
  topics: Topics;
  /** Of the input, and so of all topics. */
  partitions: number;
  /** The folder of the snapshots of the group. */
  folder: string;
  keys: KeyOptions;
  /** True if each message has to have the key that is compared. */
  checksMessageKeys: boolean;
  /** The note that the containers of the input must have; undefined for an input that holds records. */
  unpacks?: ContainerNote | undefined;
  /** The detector of one partition. */
  detector: CreateOptions;
  /** The options of the window's clock. */
  clock: ClockOptions;
  /**
   * The options that decide the answers, and the output, by name. A worker that was asked for something else is
   * refused.
   */
  asked: Readonly<Record<string, unknown>>;
  /** The end of the topic at which a new group begins. */
  from: 'earliest' | 'latest';
  /** True if a record that an output refuses is dropped, in place of an error. */
  dropsRefused?: boolean | undefined;
  /** Records of a transaction. */
  maxRecords: number;
}

/** The pointers of the group of a worker. */
export function pointersOf({
  group,
  topics,
  partitions,
}: Pick<WorkerSettings, 'group' | 'topics' | 'partitions'>): PointersOf {
  return { group, input: topics.input, topic: topics.pointers, partitions };
}
