// Describes states of runs and of programs.

import { defined } from '../base/defined.js';
import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import type { PartitionsStats } from '../detectors/partitions.js';
import type { WitnessStats } from '../detectors/witness.js';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import type { RunCounts } from '../framing/counts.js';
import type { DetectorName } from '../kernel/abi.js';
import { wholeKernel } from '../kernel/wholekernel.js';
import { DOCUMENTS } from '../records/keyscheme.js';
import type { SnapshotHeader } from '../snapshot/format.js';
import { decodeJobNote } from '../snapshot/savedjob.js';
import { readDetector, readHeader } from '../snapshot/snapshots.js';
import type { JobNote } from './jobnote.js';
import { decodeNote, isProgramNote, type KeyNote, noteOfScheme, type RunNote, type StateNote } from './note.js';
import { checkStatePath, type FileSource, noState, SnapshotFile } from './snapshotfile.js';

/** The contents of a state file. The command prints them as JSON with the same names in snake_case. */
export interface StateDescription {
  /** The version of the format of snapshots. */
  formatVersion: number;
  /** The name of the algorithm. */
  algorithm: DetectorName;
  /** The arrangement of the cells in memory. */
  layout: LayoutName;
  /** The hash function from a key to 64 bits. */
  fingerprint: FingerprintName;
  /** True if the file holds the secret of a keyed detector. */
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
  /** Generations that left a window in time early, for want of room; absent if none did. */
  shortened?: number;
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
  /** The settings by which the run makes keys from records; null if a program wrote the state. */
  key: KeyNote | null;
  /** Null for exact deduplication. */
  job: Omit<JobNote, 'rest'> | null;
  /** The progress of the run; null if a program wrote the state. */
  run: RunDescription | null;
}

/** A run in a state. Its records of other shards are counted only if there are any. */
export interface RunDescription
  extends Omit<RunNote, 'partial' | 'position' | 'positions' | 'reads' | 'header' | 'counts' | 'annotate' | 'order'> {
  counts: Omit<RunCounts, 'skipped'> & Partial<Pick<RunCounts, 'skipped'>>;
}

/** The note of a run, or what a snapshot of the library says in its place. */
function describedNote({ note, settings: { keyScheme } }: SnapshotHeader): StateNote | undefined {
  return note.length === 0 || isProgramNote(note) ? noteOfScheme(keyScheme) : decodeNote(note, keyScheme);
}

/**
 * Returns the parts of a snapshot that the library has noted: the bytes of the program's note, and the note that
 * near-duplicates and passages have in addition to their table.
 */
function libraryPartsOf({ note, settings: { keyScheme } }: SnapshotHeader): { noteBytes: number; job?: JobNote } {
  if (!isProgramNote(note)) return { noteBytes: 0 };
  if (keyScheme?.format !== DOCUMENTS) return { noteBytes: note.length };
  const { note: own, job } = decodeJobNote(note, { what: 'near-duplicates or passages' });
  return { noteBytes: own.length, job };
}

/**
 * Describes a state file. Its cells are checked as well.
 * @throws FirstseenError E_STATE_FILE when there is none, or it cannot be read; E_SNAPSHOT when it is broken; E_PARAMETER when the path
 * is not text.
 */
export async function describeState(path: string): Promise<StateDescription> {
  checkStatePath(path);
  return SnapshotFile.use(path, async (file) => {
    if (!file) throw noState(path);
    return file.read(describeSource);
  });
}

async function describeSource(source: FileSource): Promise<StateDescription> {
  const module = await wholeKernel();
  const header = await readHeader(source, module);
  const stats = (await readDetector(source, header, { module })).stats();
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
    ...defined({ unstored: stats.unstored, shortened: stats.shortened || undefined }),
    load: stats.load,
    witness: stats.witness ?? null,
    ...(stats.partitions ? { partitions: stats.partitions } : {}),
    fileBytes: source.bytes,
    ...(library.noteBytes > 0 ? { noteBytes: library.noteBytes } : {}),
    key: note?.key ?? null,
    job: job ? describeJob(job) : null,
    run: note && note.run.inputs.length > 0 ? describeRun(note.run) : null,
  };
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
