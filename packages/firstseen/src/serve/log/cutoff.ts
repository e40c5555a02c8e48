// What does not count of the log is cut off. Where more than a block that was being written goes with it, a copy is kept beside the log.

import { constants, existsSync } from 'node:fs';
import { copyFile, open, rename, rm, truncate } from 'node:fs/promises';
import { formatCounted } from '../../base/count.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import { DAMAGED, pathOf } from './files.js';
import { followingText } from './followingtext.js';
import type { LogPlace } from './replay.js';

/** A part of the log that was cut off, with what follows its first block. */
export interface CutPart {
  /** The log that was cut off, and the byte at which it was. */
  path: string;
  position: number;
  /** The whole blocks after the one that is not whole, and their changes: elements that were observed, and others. */
  blocks: number;
  changes: number;
  /** The detectors of these changes that are gone, because they were created in what was cut off. */
  gone: readonly string[];
  /** The copies of the logs as they were. */
  copies: readonly string[];
}

/** The part of a data folder that does not count. */
export interface CutOff {
  /** The kind: the end of the log, which was being written, or, as was allowed, what was acknowledged. */
  kind: 'unfinished' | 'acknowledged';
  /** Undefined if the log has only the block that was being written, or only files are missing. */
  part: CutPart | undefined;
  /** The blocks that were on the disk, and of which none is left whole. 0 if that is not known. */
  missingBlocks: number;
}

/** The logs of a folder of which something does not count, from a place on. */
interface CutLogs {
  folder: string;
  sequences: readonly number[];
  place: LogPlace;
}

/** The logs that have nothing before the place. */
function logsAfter({ sequences, place: { sequence, position } }: CutLogs): readonly number[] {
  return sequences.filter((one) => one > sequence || (one === sequence && position === 0));
}

/** Returns a name beside a file that no other copy of it has. */
function nameOfCopy(path: string): string {
  for (let count = 1; ; count++) {
    const copy = `${path}${DAMAGED}${count === 1 ? '' : `-${count}`}`;
    if (!existsSync(systemPath(copy))) return copy;
  }
}

/** Copies a file to the disk. @throws Error of the system; then it leaves no copy behind */
async function copyToDisk(path: string, copy: string): Promise<void> {
  try {
    await copyFile(systemPath(path), systemPath(copy), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const file = await open(systemPath(copy), 'r+');
    await file.sync().finally(() => file.close());
  } catch (error) {
    await rm(systemPath(copy), { force: true });
    throw error;
  }
}

/** Keeps copies of the logs that are cut off next, under names that no start reads. @returns their paths */
export async function copyLogs(logs: CutLogs): Promise<string[]> {
  const { folder, place } = logs;
  const copies: string[] = [];
  const keep = async (sequence: number, copyOf: (path: string, copy: string) => Promise<void>) => {
    const path = pathOf(folder, 'log', sequence);
    const copy = nameOfCopy(path);
    await copyOf(path, copy);
    copies.push(copy);
  };
  if (place.position > 0) await keep(place.sequence, copyToDisk);
  // From the last one on: the others still follow one another if this ends in between.
  for (const sequence of [...logsAfter(logs)].reverse())
    await keep(sequence, (path, copy) => rename(systemPath(path), systemPath(copy)));
  return copies;
}

/** Removes what does not count. */
export async function cutLogs(logs: CutLogs): Promise<void> {
  const { folder, place } = logs;
  if (place.position > 0) await truncate(systemPath(pathOf(folder, 'log', place.sequence)), place.position);
  for (const one of [...logsAfter(logs)].reverse()) await rm(systemPath(pathOf(folder, 'log', one)), { force: true });
}

function partText({ blocks, changes, gone, copies }: CutPart): string {
  const sentences = [
    ...(blocks > 0 ? [`It was followed by ${followingText({ blocks, changes })}, which were cut off too`] : []),
    ...(gone.length > 0 ? [`These detectors are gone: ${gone.join(', ')}`] : []),
    `The log as it was is now ${copies.map((path) => shownPath(path)).join(', ')}`,
  ];
  return sentences.join('. ');
}

/** The consequences of the loss of blocks that cannot be read any more. */
const LOST =
  'is lost, its keys are distinct again, detectors that were created in it are gone, and detectors that were dropped in it are back';

/** The message about what cannot be read any more, not even to say what it was. */
function missingText(missingBlocks: number, policy: string): string {
  if (missingBlocks === 0)
    return `what was damaged or missing in the data folder was left out (${policy}): some of what was acknowledged ${LOST}`;
  const blocks = formatCounted(missingBlocks, 'block');
  return `at least ${blocks} at the end of the log, which were on the disk before, are missing (${policy}): what was acknowledged in them ${LOST}. No whole block of them is left, so their detectors are unknown, and no copy is kept`;
}

/** The message to an administrator about what was cut off. @param policy the option that allowed it, as it was given */
export function cutMessage({ kind, part, missingBlocks }: CutOff, policy: string): string {
  if (part === undefined)
    return kind === 'unfinished'
      ? 'the log ended with an incomplete block, which was cut off: the server stopped while it wrote the block'
      : missingText(missingBlocks, policy);
  const place = `the log ${shownPath(part.path)} was cut off at byte ${part.position}`;
  const reason =
    kind === 'unfinished'
      ? 'the block there was being written when the server or the machine stopped, or was damaged since'
      : `it is damaged there (${policy}). What was acknowledged after that is lost: its keys are distinct again, and detectors that were created in it are gone`;
  return `${place}: ${reason}. ${partText(part)}`;
}
