// How many threads a run uses.

import { checkWhole } from '../base/check.js';
import { invalidOption } from '../base/errors.js';
import type { FileNote, Source } from '../io/source.js';
import type { TextKeys } from '../records/texts.js';
import { MAX_THREADS } from '../threads/crew.js';

/** The number of threads of a run: as many as pay, or at most this number. */
export type Threads = number | 'auto';

/** From how many stored bytes of inputs, and bytes of the detector, `auto` takes several threads. */
export interface ThreadsPay {
  inputBytes: number;
  detectorBytes: number;
  /** Stored bytes of a compressed input from which on they pay with any detector; none by default. */
  compressedBytes?: number;
}

/** Threads of `auto` at most; with more, one thread that reads and hands out work does not keep up. */
const MAX_AUTO_THREADS = 4;
/** With less, they can take longer than one (docs/decisions/082-short-runs-and-two-threads.md). */
const detectorPays: ThreadsPay = {
  inputBytes: 512 * 2 ** 20,
  detectorBytes: 256 * 2 ** 20,
  compressedBytes: 48 * 2 ** 20,
};

export interface ThreadsRequest {
  /** Those of the run. */
  options: { threads: Threads; timeKey?: TextKeys | undefined; emit: string; isFollowing: boolean };
  sources: readonly Source[];
  /** Bytes of the detector. */
  detectorBytes: number;
  /** True if the job can observe keys on several threads. */
  canUseThreads: boolean;
  /** From what on several threads pay for the job; that of a detector by default. */
  pays?: ThreadsPay | undefined;
  /** Processors that this process may use. */
  processors: number;
}

export interface AutoRequest extends Pick<ThreadsPay, 'inputBytes' | 'detectorBytes'> {
  pays: ThreadsPay;
  processors: number;
}

/** @throws FirstseenError E_USAGE unless the value is `auto` or a number of threads. */
export function checkThreads(value: unknown): Threads {
  if (value === 'auto') return value;
  if (typeof value === 'number') return checkWhole('threads', value, { least: 1, most: MAX_THREADS });
  const expected = `auto, or a number from 1 to ${MAX_THREADS}`;
  throw invalidOption({ code: 'E_USAGE', option: 'threads', given: value, expected });
}

/**
 * The number of threads that a run uses. Records with their own times are taken one batch after the other, because a time may turn
 * a window between any two of them; annotations are written one record after the other.
 */
export function threadsFor({
  options,
  sources,
  detectorBytes,
  canUseThreads,
  pays = detectorPays,
  processors,
}: ThreadsRequest): number {
  const { threads, timeKey, emit, isFollowing } = options;
  if (!canUseThreads || timeKey !== undefined || emit === 'all' || emit === 'annotated') return 1;
  if (threads !== 'auto') return threads;
  if (isFollowing) return 1;
  const { compressedBytes = Number.POSITIVE_INFINITY } = pays;
  const isLong = filesOf(sources).some(
    ({ isCompressed, storedBytes }) => isCompressed && storedBytes >= compressedBytes,
  );
  const inputBytes = storedBytesOf(sources);
  return isLong ? autoMost(processors) : autoThreads({ inputBytes, detectorBytes, pays, processors });
}

/** With fewer stored bytes of files, a run takes less time than its threads take to start. */
const MIN_BYTES_FOR_THREADS = 8 * 2 ** 20;

/** Tells if the number of threads can make a difference to a run that was asked for several. The length of a pipe is not known. */
export function threadsMatter(sources: readonly Source[], isFollowing: boolean): boolean {
  const isUnbounded = sources.some(({ note }) => note.path === undefined || !note.isFile);
  return isFollowing || isUnbounded || storedBytesOf(sources) >= MIN_BYTES_FOR_THREADS;
}

/** The stored bytes of the inputs that are files. */
function storedBytesOf(sources: readonly Source[]): number {
  return filesOf(sources).reduce((sum, { storedBytes }) => sum + storedBytes, 0);
}

function filesOf(sources: readonly Source[]): FileNote[] {
  return sources.flatMap(({ note }) => (note.path !== undefined && note.isFile ? [note] : []));
}

function autoMost(processors: number): number {
  return Math.max(1, Math.min(processors, MAX_AUTO_THREADS));
}

/** The number of threads of `auto`, for this number of stored bytes of files. */
export function autoThreads({ inputBytes, detectorBytes, pays, processors }: AutoRequest): number {
  return inputBytes < pays.inputBytes || detectorBytes < pays.detectorBytes ? 1 : autoMost(processors);
}
