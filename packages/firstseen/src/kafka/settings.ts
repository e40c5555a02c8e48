// What a worker is asked.

import type { CreateOptions } from '../plan/keys.js';
import type { ContainerNote } from './containers.js';
import type { KeyOptions } from './keys.js';
import type { ClockOptions } from './windowclock.js';

/** The topics of a worker. Their partitions correspond: a record stays in the partition of its number. */
export interface Topics {
  /** What a worker reads. */
  input: string;
  /** The topic that is cut into the input, if it is another one. */
  source?: string | undefined;
  output: string;
  /** Duplicates are written here, if it is given. */
  duplicates?: string | undefined;
  pointers: string;
}

/** A group that has stopped, and whose place a new one takes. */
export interface OldGroup {
  group: string;
  /** The topic of its pointers. */
  pointers: string;
}

export interface WorkerSettings {
  group: string;
  /** The group from which this one takes over, if it does. */
  old?: OldGroup | undefined;
  /** Whether a group that takes over goes on without what cannot be observed any more. */
  allowsMissing?: boolean | undefined;
  topics: Topics;
  /** Of the input, and so of all topics. */
  partitions: number;
  /** The folder of the snapshots of the group. */
  folder: string;
  keys: KeyOptions;
  /** Whether each message has to have the key that is compared. */
  checksMessageKeys: boolean;
  /** What the containers have to say that the input holds; undefined for an input that holds records. */
  unpacks?: ContainerNote | undefined;
  /** The detector of one partition. */
  detector: CreateOptions;
  /** The options of the window's clock. */
  clock: ClockOptions;
  /** What decides the answers, and the output, by the names of options. A worker that was asked for something else is refused. */
  asked: Readonly<Record<string, unknown>>;
  /** Where a group that is new begins. */
  from: 'earliest' | 'latest';
  /** Records of a partition after which a new snapshot is taken. */
  snapshotEvery: number;
  /** Records of a transaction. */
  mostRecords: number;
}
