// Restores the detectors of the newest set of snapshots. Where damage may be cut off, a damaged set is passed over for an earlier one, or for
// the log alone if it begins with the first block.

import { rename } from 'node:fs/promises';
import { FirstseenError, optionName, phrase, rendered } from '../../base/errors.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import { syncFolder } from '../../io/system/syncfolder.js';
import type { Checksum } from '../../snapshot/frame.js';
import { heldOf } from '../store/portions.js';
import type { DetectorStore } from '../store/store.js';
import { BlockReader } from './blocks.js';
import { DAMAGED, pathOf } from './files.js';
import { decodeHead, LOG_HEAD_BYTES } from './logfile.js';
import type { DamagePolicy } from './replay.js';
import { openSet, unreadable } from './snapshotset.js';

export interface RestoreOptions {
  folder: string;
  store: DetectorStore;
  checksum: Checksum;
  onDamage: DamagePolicy;
  /** Ends it with its reason. */
  stopping?: AbortSignal | undefined;
}

/** The sequences of the files of a folder. */
export interface FolderFiles {
  snapshots: readonly number[];
  logs: readonly number[];
}

/** A set of snapshots that cannot be read. */
export interface DamagedSet {
  sequence: number;
  problem: string;
}

/** The state from which the log goes on. */
export interface Beginning {
  /** The sequence of the snapshots that were restored; undefined if the log begins with nothing. */
  snapshot: number | undefined;
  /** The number of the last block of the log that they have. */
  lastBlock: number;
  /** The newer sets that were passed over, the newest first. */
  damaged: readonly DamagedSet[];
}

/** Restores the detectors of a set. @returns the number of the last block that it has */
async function restoreSet({ folder, store, checksum, stopping }: RestoreOptions, sequence: number): Promise<number> {
  const path = pathOf(folder, 'snapshot', sequence);
  const set = await openSet(path, checksum);
  try {
    for (const { number, name, request, requests, held, read } of set.entries) {
      stopping?.throwIfAborted();
      const saved = { number, name, request, requests, held: heldOf(held), snapshot: await read() };
      await store.restore(saved).catch((error) => {
        throw unreadable(path, name, error);
      });
    }
    store.nextNumber = Math.max(store.nextNumber, set.nextDetector);
    return set.lastBlock;
  } finally {
    await set.close();
  }
}

/** Tells if the logs have everything from the first block on. */
async function beginsWithNothing({ folder, checksum }: RestoreOptions, { logs }: FolderFiles): Promise<boolean> {
  const [first] = logs;
  if (first === undefined) return false;
  const reader = await BlockReader.open(pathOf(folder, 'log', first), checksum);
  try {
    return decodeHead(await reader.read(LOG_HEAD_BYTES, 0), checksum)?.firstBlock === 1;
  } finally {
    await reader.close();
  }
}

/** The error for a damaged set, of which an earlier set or the log alone can take the place. */
function replaceable({ folder }: RestoreOptions, error: FirstseenError, earlier: number | undefined): FirstseenError {
  const { code, problem, details } = error.data;
  const remaining =
    earlier === undefined ? 'the log alone' : `${shownPath(pathOf(folder, 'snapshot', earlier))} and the log`;
  const remedy = phrase`restore the data folder from a copy, or give ${optionName('onDamage')} cut to go on from ${remaining}: what they lack is distinct again`;
  return new FirstseenError(code, problem, { ...details, remedy, cause: error });
}

/** @throws FirstseenError E_SNAPSHOT when the newest set is damaged, unless damage is cut off and something earlier is there; as `restore` */
export async function restoreNewest(options: RestoreOptions, files: FolderFiles): Promise<Beginning> {
  const { store, onDamage } = options;
  const damaged: DamagedSet[] = [];
  let firstError: FirstseenError | undefined;
  for (const [index, sequence] of files.snapshots.toReversed().entries()) {
    try {
      return { snapshot: sequence, lastBlock: await restoreSet(options, sequence), damaged };
    } catch (error) {
      if (!(error instanceof FirstseenError) || error.code !== 'E_SNAPSHOT') throw error;
      const earlier = files.snapshots.at(-2 - index);
      const isReplaceable = earlier !== undefined || (await beginsWithNothing(options, files));
      firstError ??= error;
      if (!isReplaceable) throw firstError;
      if (onDamage === 'fail') throw replaceable(options, error, earlier);
      damaged.push({ sequence, problem: rendered(error.data.problem, (name) => name) });
      // The damaged set may have restored some of its detectors before its damage was found.
      for (const { name } of [...store.list()]) store.drop(name);
    }
  }
  return { snapshot: undefined, lastBlock: 0, damaged };
}

/** The path to which a damaged set is moved, so that no start reads it. */
function pathAside(folder: string, sequence: number): string {
  return `${pathOf(folder, 'snapshot', sequence)}${DAMAGED}`;
}

/** Moves damaged sets out of the way: later starts do not read them, and people can. */
export async function setAside(folder: string, damaged: readonly DamagedSet[]): Promise<void> {
  for (const { sequence } of damaged) {
    await rename(systemPath(pathOf(folder, 'snapshot', sequence)), systemPath(pathAside(folder, sequence)));
  }
  if (damaged.length > 0) await syncFolder(folder);
}

/** The message about damaged sets: what took their place, and what is lost. */
export function damagedWarning(
  folder: string,
  { snapshot, damaged }: Beginning,
  { lastBlock, isWhole }: { lastBlock: number; isWhole: boolean },
): string {
  const problems = damaged.map(
    ({ sequence, problem }) => `${problem}; its file is now ${shownPath(pathAside(folder, sequence))}`,
  );
  const place =
    snapshot === undefined ? 'the log alone' : `${shownPath(pathOf(folder, 'snapshot', snapshot))} and the log`;
  const loss = isWhole
    ? 'and nothing that was acknowledged is lost'
    : `up to block ${lastBlock} of the log: what was acknowledged after that is lost, and its keys are distinct again`;
  return `${problems.join('. ')}. The detectors were read from ${place}, ${loss}`;
}
