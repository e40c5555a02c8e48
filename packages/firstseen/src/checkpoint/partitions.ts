// Splits a state file into files of partitions, and merges such files into one state.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FirstseenError } from '../base/errors.js';
import type { Detector } from '../detectors/detector.js';
import { checkPartitionCount } from '../detectors/partitions.js';
import { addCounts, noCounts } from '../framing/counts.js';
import { makeFolder } from '../io/system/makefolder.js';
import { systemPath } from '../io/system/paths.js';
import { merge, split } from '../snapshot/partitions.js';
import type { StateNote } from './note.js';
import { RunState, readState, type SavedState, writeState } from './runstate.js';
import { noState } from './snapshotfile.js';

const SUFFIX = '.partition';

/** The name of piece `index` of `parts`, such as `03-of-16.partition`. Names sort in the order of the pieces. */
export function pieceName(index: number, parts: number): string {
  const digits = String(parts).length;
  return `${String(index).padStart(digits, '0')}-of-${parts}${SUFFIX}`;
}

export interface SplitOptions {
  /** The state file. It stays as it is. */
  state: string;
  /** Pieces, each with an equal number of partitions. */
  partitions: number;
  /** The folder for the pieces; created if it does not exist. */
  folder: string;
}

export interface MergeOptions {
  /** The folder of the pieces. */
  folder: string;
  /** The state file to write. */
  state: string;
}

/** The result of a split or a merge. */
export interface PartitionsMoved {
  /** The files that were written. */
  written: string[];
  observed: number;
  /** True if a witness was left out: what it measured belongs to the whole stream. */
  leftWitness: boolean;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(systemPath(folder))).sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    const problem = `cannot read folder ${folder}: ${(cause as Error).message}`;
    throw new FirstseenError('E_STATE_FILE', problem, { cause });
  }
}

function refuse(problem: string, remedy: string): FirstseenError {
  return new FirstseenError('E_STATE_FILE', problem, { remedy });
}

/** @throws FirstseenError E_STATE_RUN for a state whose run is not finished, E_STATE_FILE for a state of another job. */
function checkMovable(path: string, { note }: SavedState): void {
  if (note.job) throw refuse(`${path} is a state of ${note.job.name}`, 'give a state of exact deduplication');
  if (note.run.isFinished) return;
  throw new FirstseenError('E_STATE_RUN', `the run of ${path} is not finished`, {
    remedy: 'run its command again until it is finished',
  });
}

async function open(path: string): Promise<SavedState> {
  const savedState = await readState(path);
  if (savedState === undefined) throw noState(path);
  try {
    checkMovable(path, savedState);
  } catch (error) {
    await savedState.close();
    throw error;
  }
  return savedState;
}

/**
 * Writes the pieces of a state. They have the keys and the settings of the state; their counts over all runs begin at 0.
 * @throws FirstseenError E_PARTITION when the detector cannot be divided so, E_STATE_RUN when its run is not finished, E_STATE_FILE
 * when the folder holds pieces already.
 */
export async function splitState({ state, partitions, folder }: SplitOptions): Promise<PartitionsMoved> {
  const parts = checkPartitionCount(partitions);
  const old = (await namesIn(folder)).find((name) => name.endsWith(SUFFIX));
  if (old) throw refuse(`${folder} holds ${old} already`, 'give another folder, or remove the pieces in it');
  const runState = await RunState.open(state);
  try {
    const { header, note, restore } = await open(state);
    const detector = await restore({});
    const askedOptions = { ...note.asked, partitions: Math.max(parts, header.settings.partitions?.count ?? 1) };
    const paths: string[] = [];
    await makeFolder(folder);
    for await (const piece of split(detector, parts)) {
      const path = join(folder, pieceName(paths.length, parts));
      await writeState(path, piece, { ...note, asked: askedOptions, totals: noCounts });
      paths.push(path);
    }
    return { written: paths, observed: detector.observed, leftWitness: header.settings.witnessBytes > 0 };
  } finally {
    await runState.close();
  }
}

/** @throws FirstseenError E_STATE_DIFFERS when the pieces make their keys in different ways. */
function checkSameKeys(notes: readonly StateNote[], paths: readonly string[]): void {
  const [first] = notes.map(({ key }) => JSON.stringify(key));
  const other = notes.findIndex(({ key }) => JSON.stringify(key) !== first);
  if (other === -1) return;
  throw new FirstseenError('E_STATE_DIFFERS', `${paths[other]} and ${paths[0]} have different keys`, {
    remedy: 'merge only the pieces of one split',
  });
}

/**
 * Writes one state from the pieces in a folder.
 * @throws FirstseenError E_PARTITION when they are not all pieces of one detector, E_STATE_FILE when the state exists already.
 */
export async function mergeStates({ folder, state }: MergeOptions): Promise<PartitionsMoved> {
  const paths = (await namesIn(folder)).filter((name) => name.endsWith(SUFFIX)).map((name) => join(folder, name));
  if (paths.length === 0) throw refuse(`${folder} holds no partitions`, 'give the folder that split wrote');
  const existingState = await readState(state);
  await existingState?.close();
  if (existingState) throw refuse(`${state} exists already`, 'give another file');
  const pieces: Detector[] = [];
  const notes: StateNote[] = [];
  let leftWitness = false;
  for (const path of paths) {
    const { header, note, restore } = await open(path);
    leftWitness ||= header.settings.witnessBytes > 0;
    notes.push(note);
    pieces.push(await restore({ leavesWitness: true }));
  }
  checkSameKeys(notes, paths);
  const [{ finishedRuns, ...note }] = notes as [StateNote];
  const totals = notes.map((pieceNote) => pieceNote.totals).reduce(addCounts);
  const mergedDetector = await merge(pieces);
  await writeState(state, mergedDetector, { ...note, finishedRuns: [], totals });
  return { written: [state], observed: mergedDetector.observed, leftWitness };
}
