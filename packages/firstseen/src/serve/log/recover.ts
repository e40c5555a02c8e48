// Brings the detectors of a data folder back: the newest set of snapshots, and the log after it.

import { open, truncate } from 'node:fs/promises';
import { FirstseenError, optionName, phrase, shownValue } from '../../base/errors.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import { syncFolder } from '../../io/system/syncfolder.js';
import { applyChange } from '../store/changes.js';
import type { DetectorStore } from '../store/store.js';
import type { Block } from './blocks.js';
import { replaying } from './compact.js';
import { type CutOff, type CutPart, copyLogs, cutLogs } from './cutoff.js';
import { pathOf, removeEarlier, sequencesOf } from './files.js';
import type { FolderMarker, NotedFiles } from './marker.js';
import { recordsIn } from './records.js';
import { blocksOf, droppedIn, type FollowingBlocks, type LogEnd } from './replay.js';
import { damagedWarning, type FolderFiles, type RestoreOptions, restoreNewest, setAside } from './restore.js';

export interface RecoverOptions extends RestoreOptions {
  /** Notes the newest files of the folder. */
  marker: Pick<FolderMarker, 'noted' | 'note'>;
  /** Told what an administrator should know. */
  onWarning?: ((message: string) => void) | undefined;
}

/** The result of a recovery, from which a server goes on. */
export interface Recovered {
  /** The sequence of the newest snapshots; undefined if there are none. */
  snapshot: number | undefined;
  /** The sequence of the next log. */
  sequence: number;
  lastBlock: number;
  /** Detectors that were restored. */
  detectors: number;
  /** Elements of the log that were observed again. */
  replayed: number;
  /** The numbers of detectors that were sent, whose files the log refers to. */
  imported: ReadonlySet<number>;
  /** The part that was cut off, if something does not count. */
  cut: CutOff | undefined;
}

/** A file that was noted, and is not there. */
function missingOf({ log, snapshot }: NotedFiles, files: FolderFiles): ['log' | 'snapshot', number] | undefined {
  const newest = files.snapshots.at(-1) ?? 0;
  if (snapshot !== undefined && newest < snapshot) return ['snapshot', snapshot];
  // Snapshots have the logs before them.
  if (log !== undefined && newest <= log && !files.logs.includes(log)) return ['log', log];
  return undefined;
}

/**
 * @returns whether the newest files were removed
 * @throws FirstseenError E_STATE_FILE if they were, unless damage is cut off
 */
async function checkNoted({ folder, marker, onDamage }: RecoverOptions, files: FolderFiles): Promise<boolean> {
  const missing = missingOf(marker.noted, files);
  if (missing === undefined) return false;
  if (onDamage === 'cut') {
    // The next start does not miss them.
    await marker.note({ log: undefined, snapshot: files.snapshots.at(-1) });
    return true;
  }
  throw new FirstseenError('E_STATE_FILE', `${shownPath(pathOf(folder, ...missing))} is missing`, {
    remedy: phrase`restore the data folder from a copy, or give ${optionName('onDamage')} cut to go on without it: its elements are distinct again`,
  });
}

/**
 * @returns whether blocks are missing that were on the disk at an earlier stop or start: nothing in the log tells of those at its end
 * @throws FirstseenError E_STATE_FILE if they are, unless damage is cut off
 */
async function checkLastBlock({ folder, marker, onDamage }: RecoverOptions, lastBlock: number): Promise<number> {
  const { lastBlock: noted = 0 } = marker.noted;
  if (lastBlock >= noted) return 0;
  if (onDamage === 'cut') {
    await marker.note({ lastBlock });
    return noted - lastBlock;
  }
  throw new FirstseenError(
    'E_STATE_FILE',
    `the log in ${shownPath(folder)} ends with block ${lastBlock}, but block ${noted} was on the disk before`,
    {
      remedy: phrase`restore the data folder from a copy, or give ${optionName('onDamage')} cut to go on without the rest: those elements are distinct again`,
    },
  );
}

/** Makes what was read durable: the next log says that it is. It may be in the memory of the system only, after a kill. */
async function syncLogs(folder: string): Promise<void> {
  for (const sequence of await sequencesOf(folder, 'log')) {
    const file = await open(systemPath(pathOf(folder, 'log', sequence)), 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
  await syncFolder(folder);
}

/** The names of the detectors that blocks change which do not count, and that are not there. */
function goneDetectors(store: DetectorStore, { detectors }: FollowingBlocks): string[] {
  return [...detectors]
    .filter(([number]) => store.findNumber(number) === undefined)
    .map(([number, name]) => (name === undefined ? `number ${number}` : shownValue(name)));
}

/** Removes what does not count at the end of the log. @returns what it was, of which a copy is kept; undefined if it is only a block that was being written */
async function cutLog(
  { folder, marker, store }: RecoverOptions,
  sequences: readonly number[],
  { cut: place, following, isDamaged }: LogEnd,
): Promise<CutPart | undefined> {
  if (place === undefined || following === undefined) return undefined;
  const logs = { folder, sequences, place };
  const isKept = isDamaged === true || following.blocks > 0;
  const copies = isKept ? await copyLogs(logs) : [];
  // First, because a start must not miss what is removed.
  await marker.note({ log: undefined });
  await cutLogs(logs);
  const path = pathOf(folder, 'log', place.sequence);
  const { blocks, changes } = following;
  const gone = goneDetectors(store, following);
  return isKept ? { path, position: place.position, blocks, changes, gone, copies } : undefined;
}

interface Replayed {
  /** The number of fingerprints. */
  replayed: number;
  /** The numbers of the detectors that were imported. */
  imported: Set<number>;
  end: LogEnd;
}

/** Applies the records of the log, except those of detectors that it drops: to make thousands of them takes long. */
async function replay(
  { store, folder, stopping }: RecoverOptions,
  blocks: AsyncGenerator<Block, LogEnd>,
  dropped: ReadonlySet<number>,
): Promise<Replayed> {
  let replayed = 0;
  const imported = new Set<number>();
  try {
    let step = await blocks.next();
    for (; !step.done; step = await blocks.next()) {
      stopping?.throwIfAborted();
      for (const record of recordsIn(step.value.records)) {
        const { kind, detector } = record;
        if (kind === 'imported') imported.add(detector);
        if (kind !== 'dropped' && dropped.has(detector)) {
          // No other detector gets its number.
          store.nextNumber = Math.max(store.nextNumber, detector + 1);
          continue;
        }
        await applyChange(replaying(store, folder), record);
        if (kind === 'observed') replayed += record.fingerprints.length;
      }
    }
    return { replayed, imported, end: step.value };
  } finally {
    // Closes the log that is being read when a record of it cannot be applied.
    await blocks.return({ lastBlock: 0, spaces: [] });
  }
}

/**
 * Restores all detectors of a folder.
 * @throws FirstseenError E_STATE_FILE when the log is damaged, or a file is missing; E_SNAPSHOT when the snapshots are; E_MEMORY when they do not fit.
 */
export async function recover(options: RecoverOptions): Promise<Recovered> {
  const { folder, marker, store, checksum, onDamage, onWarning } = options;
  const snapshots = await sequencesOf(folder, 'snapshot');
  const logs = await sequencesOf(folder, 'log');
  const isMissing = await checkNoted(options, { snapshots, logs });
  const beginning = await restoreNewest(options, { snapshots, logs });
  const { snapshot } = beginning;
  const sequences = logs.filter((sequence) => sequence >= (snapshot ?? 0));
  const log = { folder, sequences, lastBlock: beginning.lastBlock, checksum, onDamage };
  const dropped = await droppedIn(log, options.stopping);
  const { replayed, imported, end } = await replay(options, blocksOf(log), dropped);
  const { lastBlock, spaces } = end;
  const missingBlocks = end.isDamaged ? 0 : await checkLastBlock(options, lastBlock);
  const isDamaged = end.isDamaged === true || missingBlocks > 0;
  store.endReplay();
  for (const { sequence, position } of spaces) await truncate(systemPath(pathOf(folder, 'log', sequence)), position);
  const part = await cutLog(options, sequences, end);
  if (beginning.damaged.length > 0) {
    await marker.note({ snapshot });
    await setAside(folder, beginning.damaged);
    onWarning?.(damagedWarning(folder, beginning, { lastBlock, isWhole: !isMissing && !isDamaged }));
  }
  await syncLogs(folder);
  if (snapshot !== undefined) await removeEarlier(folder, snapshot);
  const sequence = Math.max(0, ...snapshots, ...logs) + 1;
  const cut =
    isMissing || isDamaged ? ({ kind: 'acknowledged', part, missingBlocks } as const) : unfinishedOf(end, part);
  return { snapshot, sequence, lastBlock, detectors: store.count, replayed, imported, cut };
}

function unfinishedOf(end: LogEnd, part: CutPart | undefined): CutOff | undefined {
  return end.cut === undefined ? undefined : { kind: 'unfinished', part, missingBlocks: 0 };
}
