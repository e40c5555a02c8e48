// State files: a snapshot of the detector, with a note that describes the run and its position.

import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatCounted } from '../base/count.js';
import { FirstseenError, invalidOption } from '../base/errors.js';
import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import type { Detector } from '../detectors/detector.js';
import type { PartitionsStats } from '../detectors/partitions.js';
import type { WitnessStats } from '../detectors/witness.js';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import type { RunCounts } from '../framing/counts.js';
import type { StateLock } from '../io/lock/lock.js';
import type { InputNote } from '../io/source.js';
import { shownPath, systemPath } from '../io/system/paths.js';
import { type FileAccess, systemDetails, systemProblem } from '../io/system/systemproblem.js';
import type { DetectorName } from '../kernel/abi.js';
import { compiledKernel } from '../kernel/compile.js';
import { decodeNearNote } from '../near/note.js';
import { DOCUMENTS } from '../records/keyscheme.js';
import type { SnapshotHeader } from '../snapshot/format.js';
import { MOST_NOTE_BYTES } from '../snapshot/frame.js';
import {
  type RestoreOptions,
  readDetector,
  readHeader,
  type SnapshotSource,
  snapshotParts,
} from '../snapshot/snapshots.js';
import { forgetBegun } from './begun.js';
import type { JobNote } from './jobnote.js';
import {
  decodeNote,
  encodeNote,
  isProgramNote,
  type KeyNote,
  noteOfScheme,
  type RunNote,
  type StateNote,
} from './note.js';
import { createPart, partPath } from './part.js';

/** The contents of a state file. The command prints them as JSON with the same names in snake_case. */
export interface StateDescription {
  /** The version of the format of snapshots. */
  formatVersion: number;
  /** The name of the algorithm. */
  algorithm: DetectorName;
  /** How the cells are arranged in memory. */
  layout: LayoutName;
  /** The hash function from a key to 64 bits. */
  fingerprint: FingerprintName;
  /** Whether the file holds the secret of a keyed detector. */
  keyed: boolean;
  /** The seed of all randomness, as text. */
  seed: string;
  /** Bytes asked for. */
  memoryBytes: number;
  /** Parameters by the papers' letters, including derived ones. */
  parameters: Record<string, ParameterValue>;
  /** Elements observed or added. */
  observed: number;
  /** Observed elements that were reported duplicate. */
  duplicates: number;
  /** Elements that a window had no room for; absent for families that always store. */
  unstored?: number;
  /** Share of the memory in use. */
  load: number;
  /** Null without a witness. */
  witness: WitnessStats | null;
  /** Absent without partitions. */
  partitions?: PartitionsStats;
  /** Bytes of the file. */
  fileBytes: number;
  /** Bytes of the note that a program has saved; absent without one. */
  noteBytes?: number;
  /** How the run makes keys from records; null if a program wrote the state. */
  key: KeyNote | null;
  /** Null for exact deduplication. */
  job: Omit<JobNote, 'rest'> | null;
  /** How far the run is; null if a program wrote the state. */
  run: RunDescription | null;
}

/** A run in a state. Its records of other shards are counted only if there are any. */
export interface RunDescription
  extends Omit<RunNote, 'partial' | 'position' | 'positions' | 'reads' | 'header' | 'counts' | 'annotate'> {
  counts: Omit<RunCounts, 'skipped'> & Partial<Pick<RunCounts, 'skipped'>>;
}

export interface SavedState {
  header: SnapshotHeader;
  note: StateNote;
  /** When it was saved, in milliseconds since 1970. */
  savedMilliseconds: number;
  /** Restores the detector, with its witness unless that is left out. May be called once. */
  restore(host: RestoreOptions): Promise<Detector>;
  /** Closes the file, unless that was done. */
  close(): Promise<void>;
}

function fileError(path: string, doing: FileAccess, cause: unknown): FirstseenError {
  const { problem } = systemProblem(cause, doing);
  return new FirstseenError(
    'E_STATE_FILE',
    `cannot ${doing} state ${shownPath(path)}: ${problem}`,
    systemDetails(cause, doing),
  );
}

/** A file as a source. */
type FileSource = SnapshotSource & { bytes: number };

function sourceOf(file: FileHandle, bytes: number): FileSource {
  return {
    bytes,
    readAt: async (target, position) => {
      for (let filled = 0; filled < target.length; ) {
        const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled);
        if (bytesRead === 0) throw new Error('the file became shorter while it was read');
        filled += bytesRead;
      }
    },
  };
}

/** Reads from an open file. Its errors name the path. */
async function readFrom<T>(path: string, file: FileHandle, use: (source: FileSource) => Promise<T>): Promise<T> {
  try {
    return await use(sourceOf(file, (await file.stat()).size));
  } catch (error) {
    if (error instanceof FirstseenError) throw error.at(path);
    throw fileError(path, 'read', error);
  }
}

async function openState(path: string): Promise<FileHandle> {
  try {
    return await open(systemPath(path));
  } catch (error) {
    throw fileError(path, 'read', error);
  }
}

async function withFile<T>(path: string, use: (source: FileSource) => Promise<T>): Promise<T> {
  const file = await openState(path);
  try {
    return await readFrom(path, file, use);
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    const found = await stat(systemPath(path));
    // Nobody may ever write to a named pipe, so it is not opened. The error for a folder comes from reading it.
    if (!found.isFile() && !found.isDirectory()) {
      const problem = `cannot read state ${path}: it is not a regular file`;
      throw new FirstseenError('E_STATE_FILE', problem, { remedy: 'name a file' });
    }
    return true;
  } catch (error) {
    if (error instanceof FirstseenError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw fileError(path, 'read', error);
  }
}

/**
 * The state of a file, which the caller closes, or undefined when there is no such file.
 * @throws FirstseenError E_SNAPSHOT when it is broken, E_STATE_FILE when it cannot be read.
 */
export async function readState(path: string): Promise<SavedState | undefined> {
  if (!(await exists(path))) return undefined;
  // The file stays open, because another run may replace it before the detector is restored.
  const file = await openState(path);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  try {
    return await readFrom(path, file, async (source) => {
      const header = await readHeader(source, await compiledKernel());
      return {
        header,
        note: decodeNote(header.note, header.settings.keyScheme),
        savedMilliseconds: (await file.stat()).mtimeMs,
        restore: (host) => readFrom(path, file, (again) => readDetector(again, header, host)).finally(close),
        close,
      };
    });
  } catch (error) {
    await close();
    throw error;
  }
}

/** The error for a state that has to exist. */
export function noState(path: string, remedy = 'give the name of a state file'): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `there is no state ${shownPath(path)}`, { remedy });
}

/** @throws FirstseenError E_STATE_FILE when no file can be written there, so that a run fails at its start and not at its end. */
export async function checkWritable(path: string): Promise<void> {
  const part = partPath(path);
  try {
    await (await createPart(part)).close();
    await rm(systemPath(part));
  } catch (error) {
    throw fileError(path, 'write', error);
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    rest = rest.subarray((await file.write(rest)).bytesWritten);
  }
}

/** Makes the new name of a file durable. Windows cannot open a folder, and its file system keeps a journal of names. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(systemPath(dirname(path)));
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** What is needed to replace a state. */
export interface StateToWrite {
  path: string;
  detector: Detector;
  note: StateNote;
  lock: Pick<StateLock, 'part' | 'check'>;
}

/** Bytes that a state keeps about an input in addition to two notes of it: how far it was read. */
const READ_BYTES = 160;

function tooManyInputs(path: string, inputs: number): FirstseenError {
  const most = formatCounted(MOST_NOTE_BYTES, 'byte');
  const problem = `cannot write state ${path}: what it notes of ${formatCounted(inputs, 'input')} would have more than ${most}`;
  return new FirstseenError('E_STATE_FILE', problem, {
    remedy: 'give fewer inputs, and give the others to runs after this one',
  });
}

/**
 * Refuses a run at its start whose state could not be written at its end.
 * @throws FirstseenError E_STATE_FILE
 */
export function checkInputsFit(path: string, inputs: readonly InputNote[]): void {
  const bytesOf = (input: InputNote) => 2 * Buffer.byteLength(JSON.stringify(input)) + READ_BYTES;
  const noteBytes = inputs.reduce((sum, input) => sum + bytesOf(input), 0);
  if (noteBytes > MOST_NOTE_BYTES) throw tooManyInputs(path, inputs.length);
}

/** @throws FirstseenError E_STATE_FILE when the note is too long. */
function encodedNote(path: string, note: StateNote): Uint8Array {
  try {
    return encodeNote(note);
  } catch (error) {
    if (error instanceof FirstseenError) throw tooManyInputs(path, note.run.inputs.length);
    throw error;
  }
}

/**
 * Writes a new file inside the lock of the state, syncs it, and renames it to the name of the state. At every moment there is a
 * complete state. If another run takes the lock at any moment, even just before the rename, the rename fails.
 * @throws FirstseenError E_STATE_FILE when that fails; then the old state remains.
 */
export async function writeState({ path, detector, note, lock }: StateToWrite): Promise<void> {
  const { part } = lock;
  const noteBytes = encodedNote(path, note);
  try {
    const file = await createPart(part);
    try {
      for (const bytes of await snapshotParts(detector, noteBytes)) {
        await writeAll(file, bytes);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(systemPath(part), systemPath(path));
    await syncDirectory(path);
    // From now on, the state says what the outputs hold.
    await forgetBegun(path, note.run.outputs);
  } catch (error) {
    // On a full disk, the partial file would occupy the remaining space.
    await rm(systemPath(part), { force: true }).catch(() => undefined);
    lock.check();
    throw fileError(path, 'write', error);
  }
}

/** The note of a run, or what a snapshot of the library says in its place. */
function describedNote({ note, settings: { keyScheme } }: SnapshotHeader): StateNote | undefined {
  return note.length === 0 || isProgramNote(note) ? noteOfScheme(keyScheme) : decodeNote(note, keyScheme);
}

/** What the library has noted in a snapshot: the bytes of its program, and what near-duplicates have in addition to their table. */
function libraryPartsOf({ note, settings: { keyScheme } }: SnapshotHeader): { noteBytes: number; job?: JobNote } {
  if (!isProgramNote(note)) return { noteBytes: 0 };
  if (keyScheme?.format !== DOCUMENTS) return { noteBytes: note.length };
  const near = decodeNearNote(note);
  return { noteBytes: near.note.length, job: near.job };
}

/**
 * Describes a state file. Its cells are checked as well.
 * @throws FirstseenError E_STATE_FILE when there is none, or it cannot be read; E_SNAPSHOT when it is broken; E_PARAMETER when the path
 * is not text.
 */
export async function describeState(path: string): Promise<StateDescription> {
  if (typeof path !== 'string') {
    const remedy = 'give the path of a state file as text';
    throw invalidOption({ option: 'path', given: path, expected: 'text', remedy });
  }
  if (!(await exists(path))) throw noState(path);
  return withFile(path, async (source) => {
    const header = await readHeader(source, await compiledKernel());
    const stats = (await readDetector(source, header)).stats();
    const note = describedNote(header);
    const library = libraryPartsOf(header);
    const job = note?.job ?? library.job;
    return {
      formatVersion: header.version,
      algorithm: stats.algorithm,
      layout: stats.layout,
      fingerprint: stats.fingerprint,
      keyed: header.settings.secret !== undefined,
      seed: stats.seed,
      memoryBytes: stats.memoryBytes,
      parameters: stats.parameters,
      observed: stats.observed,
      duplicates: stats.duplicates,
      ...(stats.unstored === undefined ? {} : { unstored: stats.unstored }),
      load: stats.load,
      witness: stats.witness ?? null,
      ...(stats.partitions ? { partitions: stats.partitions } : {}),
      fileBytes: source.bytes,
      ...(library.noteBytes > 0 ? { noteBytes: library.noteBytes } : {}),
      key: note?.key ?? null,
      job: job ? describeJob(job) : null,
      run: note && note.run.inputs.length > 0 ? describeRun(note.run) : null,
    };
  });
}

function describeJob({ rest: _rest, ...job }: JobNote): StateDescription['job'] {
  return job;
}

function describeRun(run: RunNote): StateDescription['run'] {
  const { emit, input, offset, lines, counts, isFinished } = run;
  const inputs = run.inputs.map(({ realPath: _path, inode: _inode, sinceMilliseconds: _since, ...note }) => note);
  const outputs = run.outputs.map(({ realPath: _path, ...note }) => note);
  const { skipped, ...others } = counts;
  const shown = skipped === 0 ? others : counts;
  return { inputs, outputs, emit, input, offset, lines, counts: shown, isFinished };
}
