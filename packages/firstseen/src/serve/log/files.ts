// The files of a data folder.
//
//   firstseen.json       what the folder is; its lock is beside it
//   snapshot-SEQUENCE    all detectors as they were before the first record of the log of this sequence
//   log-SEQUENCE         what changed them after that; the logs follow one another
//   *.damaged            what was damaged, and was replaced or cut off; people may look at it, and remove it
//   import-NUMBER        the snapshot of a detector that was sent, by the number of the detector, until the snapshots have it

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { assertInvariant } from '../../base/invariant.js';
import { systemPath } from '../../io/system/paths.js';

export const MARKER = 'firstseen.json';
const DIGITS = 12;
/** The end of the names of damaged files that were set aside. No start reads them. */
export const DAMAGED = '.damaged';

/** The remedy where the files have less than what was acknowledged. */
export const MEMORY_ONLY =
  'memory has what the files lack: before you stop the server, get the snapshot of each detector with GET /detectors/NAME/snapshot, and give it to another server with PUT';

/** The same once the server has stopped. */
export const MEMORY_GONE =
  'the end of the log was only in memory, and is lost: start the server again, and it says what its files lack';

export type FileKind = 'snapshot' | 'log' | 'import';

export function pathOf(folder: string, kind: FileKind, sequence: number): string {
  return join(folder, `${kind}-${String(sequence).padStart(DIGITS, '0')}`);
}

/** The sequences or numbers of the files of a kind, in their order. */
export async function sequencesOf(folder: string, kind: FileKind): Promise<number[]> {
  const form = new RegExp(`^${kind}-(\\d{${DIGITS}})$`);
  const names = await readdir(systemPath(folder));
  return names
    .flatMap((name) => form.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** The names of files that no server writes, in their order. A new volume has a folder `lost+found`. */
export async function foreignFiles(folder: string): Promise<string[]> {
  const form = new RegExp(`^(${MARKER}.*|lost\\+found|(snapshot|log|import)-\\d{${DIGITS}}.*)$`);
  return (await readdir(systemPath(folder))).filter((name) => !form.test(name)).sort();
}

/** The bytes of all files of a kind. */
export async function bytesOf(folder: string, kind: FileKind): Promise<number> {
  let bytes = 0;
  for (const sequence of await sequencesOf(folder, kind)) {
    bytes += (await stat(systemPath(pathOf(folder, kind, sequence)))).size;
  }
  return bytes;
}

/** The time at which a file was written, in milliseconds since 1970. */
export async function timeOf(folder: string, kind: FileKind, sequence: number): Promise<number> {
  return (await stat(systemPath(pathOf(folder, kind, sequence)))).mtimeMs;
}

/** Removes the files that come before a sequence. */
async function removeBefore(folder: string, kind: FileKind, sequence: number): Promise<void> {
  const earlier = (await sequencesOf(folder, kind)).filter((one) => one < sequence);
  for (const one of earlier) await rm(systemPath(pathOf(folder, kind, one)), { force: true });
}

/**
 * Checks that the snapshots of a sequence are there, after those of an earlier one, so that the logs before it can be removed.
 * @throws FirstseenError E_INVARIANT
 */
export async function checkSnapshots(folder: string, sequence: number, earlier: number | undefined): Promise<void> {
  const sequences = await sequencesOf(folder, 'snapshot');
  assertInvariant(sequences.includes(sequence), 'a log is removed only when snapshots have it', {
    sequence,
    sequences,
  });
  assertInvariant(earlier === undefined || sequence > earlier, 'the sequences of snapshots rise', {
    sequence,
    earlier,
  });
}

/** Removes the logs that the snapshots of a sequence have, and the snapshots before them. */
export async function removeEarlier(folder: string, sequence: number): Promise<void> {
  await removeBefore(folder, 'log', sequence);
  await removeBefore(folder, 'snapshot', sequence);
}
