// What the system lets this process use. A run that needs more is refused before it begins: a control group would kill it in the
// middle, and too few descriptors would stop it at some file.

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';

/** The limits of this process, and what it uses. Undefined where there is no limit, or the system does not say. */
export interface ProcessLimits {
  /** The limit of its control group, or of the job object on Windows. */
  readonly memoryBytes?: number | undefined;
  readonly usedBytes: number;
  readonly addressSpaceBytes?: number | undefined;
  readonly openFiles?: number | undefined;
  readonly usedFiles: number;
}

/** The bytes that the heap and the buffers of a run take in addition to the detector. */
const WORKING_BYTES = 64 * 2 ** 20;
/** Inputs, outputs, the state, its folder and its lock, and as many again for what Node opens. */
const FILES_OF_RUN = 12;

/** The names of these limits in proc(5). */
const [ADDRESS_SPACE, DATA] = ['Max address space', 'Max data size'];

const MEMORY = optionName('memory');

/** A soft limit in proc(5). */
function limitOf(name: string, limits: string): number | undefined {
  const found = new RegExp(`^${name} +(\\d+)`, 'm').exec(limits);
  return found ? Number(found[1]) : undefined;
}

/** The text of a file, or the names in a folder, if the system has them. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * The limit of the control group. Node reads the files of control groups, version 1 and 2; without a limit it gives 0 or an
 * absurd number. From libuv 1.52 on (Node 24) it gives the limit of the address space or of the data where that is less: the
 * memory of a detector is then not granted, which has a message of its own.
 */
export function memoryLimit(limits: string, bytes = process.constrainedMemory?.() ?? 0): number | undefined {
  const ofProcess = [limitOf(ADDRESS_SPACE, limits), limitOf(DATA, limits)];
  return bytes > 0 && bytes < totalmem() && !ofProcess.includes(bytes) ? bytes : undefined;
}

export function limitsHere(): ProcessLimits {
  const limits = ifThere(() => readFileSync('/proc/self/limits', 'latin1')) ?? '';
  return {
    memoryBytes: memoryLimit(limits),
    usedBytes: process.memoryUsage.rss(),
    addressSpaceBytes: limitOf(ADDRESS_SPACE, limits),
    openFiles: limitOf('Max open files', limits),
    usedFiles: ifThere(() => readdirSync('/proc/self/fd').length) ?? 0,
  };
}

/** Processors that the control group grants, version 2 or 1; undefined if it grants all. */
function processorQuota(): number | undefined {
  const text = ifThere(() => readFileSync('/sys/fs/cgroup/cpu.max', 'latin1')) ?? quotaOfVersion1();
  const [quota, period] = (text ?? '').split(' ').map(Number) as [number, number];
  return quota > 0 && period > 0 ? quota / period : undefined;
}

function quotaOfVersion1(): string | undefined {
  const folder = '/sys/fs/cgroup/cpu/cpu.cfs_';
  return ifThere(() => ['quota_us', 'period_us'].map((name) => readFileSync(folder + name, 'latin1').trim()).join(' '));
}

/** Whole processors that this process may use, by its affinity and its control group; at least 1. */
export function processorsHere(quota: number | undefined = processorQuota()): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(quota ?? Number.POSITIVE_INFINITY)));
}

/** The request for memory that is checked. */
export interface MemoryNeed {
  /** Bytes of the detector and its witness, or of the arrays of motifs. A long run touches all of them. */
  detectorBytes: number;
  /** The words for the structure that takes them: `the detector takes`, by default. */
  taker?: string;
  /** The remedy: `give less memory`, by default. */
  remedy?: Phrase;
  onWarning?: ((warning: FirstseenError) => void) | undefined;
}

/**
 * Compares the memory of a detector with the limit of the control group.
 * @throws FirstseenError E_MEMORY when they cannot fit. It is a warning if only the working memory of the run does not fit.
 */
export function checkMemory(need: MemoryNeed, limits: ProcessLimits = limitsHere()): void {
  const { detectorBytes, onWarning, taker = 'the detector takes', remedy = phrase`give less ${MEMORY}` } = need;
  const { memoryBytes, usedBytes } = limits;
  if (memoryBytes === undefined) return;
  const leftBytes = memoryBytes - usedBytes - detectorBytes;
  if (leftBytes >= WORKING_BYTES) return;
  const [detector, limit, usedMemory] = [detectorBytes, memoryBytes, usedBytes].map(formatBytes);
  const problem =
    `${taker} ${detector}, but the control group (container) of this process is limited to ${limit}, ` +
    `of which the process already uses ${usedMemory}`;
  const error = new FirstseenError('E_MEMORY', leftBytes < 0 ? problem : `${problem}; the system may end the run`, {
    option: 'memory',
    given: detectorBytes,
    remedy: phrase`${remedy}, or raise the limit`,
  });
  if (leftBytes < 0) throw error;
  onWarning?.(error);
}

/** @throws FirstseenError E_INPUT when the process may not open as many files as a run needs. */
export function checkOpenFiles({ openFiles, usedFiles }: ProcessLimits = limitsHere()): void {
  if (openFiles === undefined || usedFiles + FILES_OF_RUN <= openFiles) return;
  throw new FirstseenError(
    'E_INPUT',
    `this process may have ${openFiles} open files and has ${usedFiles}, but a run needs up to ${FILES_OF_RUN} more`,
    { remedy: 'raise the limit (ulimit -n)' },
  );
}

/** Address space that Node reserves for a thread: 590 MiB with Node 20, and 840 MiB for the first one. */
const THREAD_BYTES = 896 * 2 ** 20;

/**
 * Node ends the process without an error when it cannot reserve what a thread needs, so a limit is looked at before.
 * @throws FirstseenError E_MEMORY when the limit of the address space has no room for the threads.
 */
export function checkThreadsFit(threads: number, { addressSpaceBytes }: ProcessLimits = limitsHere()): void {
  if (addressSpaceBytes === undefined || threads * THREAD_BYTES <= addressSpaceBytes) return;
  const [neededSpace, limit] = [threads * THREAD_BYTES, addressSpaceBytes].map(formatBytes);
  throw new FirstseenError(
    'E_MEMORY',
    `${threads} threads need ${neededSpace} of address space, but the limit (ulimit -v) is ${limit}`,
    {
      option: 'threads',
      given: threads,
      remedy: phrase`give fewer ${optionName('threads')}, or raise the limit: WebAssembly reserves several GiB more`,
    },
  );
}

/** The error for memory that was not granted, with the limit of the address space if there is one. */
export function explainNotGranted(error: unknown, { addressSpaceBytes }: ProcessLimits = limitsHere()): unknown {
  if (!(error instanceof FirstseenError) || error.code !== 'E_MEMORY' || addressSpaceBytes === undefined) return error;
  // Only an allocation that failed has a cause. More than WebAssembly can address is another matter.
  if (error.cause === undefined) return error;
  return error.orRemedy(
    `raise the limit of the address space (ulimit -v), which is ${formatBytes(addressSpaceBytes)}: WebAssembly ` +
      'reserves several GiB more than it uses',
  );
}
