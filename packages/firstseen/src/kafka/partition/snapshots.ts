// The snapshots of the state folder. The name of a file has the hash of its content, so that a file is what a pointer names, or damaged.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FirstseenError } from '../../base/errors.js';
import { checkWritable, replaceSnapshot } from '../../checkpoint/snapshotfile.js';
import type { Detector } from '../../detectors/detector.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import type { KeySchemeOptions } from '../../records/keyscheme.js';
import { load } from '../../snapshot/load.js';
import { snapshotChunks } from '../../snapshot/streams.js';
import type { PointedSnapshot } from '../pointers/pointer.js';
import { isRemade } from '../pointers/pointers.js';

/** The owner of snapshots: a partition of an input, and its detector. */
export interface SnapshotOwner {
  input: string;
  partition: number;
  /** As in the pointer. */
  detectorId: string;
}

/** The note that a snapshot contains about itself. */
export interface SnapshotNote extends SnapshotOwner {
  group: string;
  /** The id of the input, where brokers have ids. The topic of that name in another cluster has another one. */
  inputId?: string | undefined;
  offset: number;
}

/** The partition whose files are looked for, of any detector. */
export type SnapshotPlace = Pick<SnapshotNote, 'group' | 'input' | 'partition' | 'inputId'>;

/** A new snapshot, with the counts of its detector. */
export interface TakenSnapshot extends PointedSnapshot {
  observed: number;
  duplicates: number;
}

const ENDING = '.snapshot';
/** The pattern of the text after the prefix in the names of snapshots, and of those that were not finished. */
const fileForm = /^[0-9a-f]{64}\.snapshot(?:\.[0-9a-f-]+\.part)?$/;

/** The pattern of the text after the prefix without the detector, in the name of a snapshot of any detector. */
const anyForm = /^[0-9a-f]{16}-[0-9a-f]{64}\.snapshot$/;
const ANY_DETECTOR = '0'.repeat(16);

/** Names of files have up to 255 bytes. What follows the prefix is a hash, the ending, and what a file has that is not finished. */
const MAX_PREFIX_CHARACTERS = 255 - `${'0'.repeat(64)}${ENDING}.${'0'.repeat(36)}.part`.length;
/** Characters of a long topic that are in names of files, before a hash of all of it. */
const SHOWN_CHARACTERS = 80;

/**
 * The beginning of the names of the files of a detector. A topic may have 249 characters. One that fits is there as it is, because pointers
 * name the files that there are.
 */
function prefixOf({ input, partition, detectorId }: SnapshotOwner): string {
  const prefixFor = (topic: string) => `${topic}-${partition}-${detectorId}-`;
  const prefix = prefixFor(input);
  if (prefix.length <= MAX_PREFIX_CHARACTERS) return prefix;
  const hash = createHash('sha256').update(input).digest('hex').slice(0, 16);
  return prefixFor(`${input.slice(0, SHOWN_CHARACTERS)}-${hash}`);
}

async function hashOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

function damaged(path: string): FirstseenError {
  return new FirstseenError('E_SNAPSHOT', `${shownPath(path)} does not have the checksum that its name says`, {
    remedy: 'restore it from a copy',
  });
}

/** Full disks, by the codes of the system. */
const FULL = ['ENOSPC', 'EDQUOT'];

/** Returns the error of a file in the words of its folder: nobody names the files. */
export function inFolder(error: unknown): unknown {
  if (!(error instanceof FirstseenError)) return error;
  const { code, data } = error;
  const { code: systemCode = '' } = (error.cause ?? {}) as NodeJS.ErrnoException;
  if (!FULL.includes(systemCode)) return error;
  const remedy = 'free space, or stop the workers and move the folder to another disk';
  return new FirstseenError(code, data.problem, { ...data.details, remedy, cause: error.cause });
}

export class SnapshotFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Checks that files can be written. @throws FirstseenError E_STATE_FILE */
  check(): Promise<void> {
    return checkWritable(this.#pathOf(`check-${randomUUID()}`));
  }

  #pathOf(file: string): string {
    return join(this.#folder, file);
  }

  /**
   * Writes a snapshot of a detector, which must not be used meanwhile. It is synced, and has its name only then.
   * @throws FirstseenError E_STATE_FILE
   */
  async write(detector: Detector, note: SnapshotNote): Promise<TakenSnapshot> {
    const bytes = Buffer.from(JSON.stringify(note));
    const hash = await hashOf(snapshotChunks(detector, bytes));
    const file = `${prefixOf(note)}${hash}${ENDING}`;
    const path = this.#pathOf(file);
    const { observed, duplicates } = detector;
    const replaced = replaceSnapshot({
      path,
      // Processes of several machines may write the same file.
      part: `${path}.${randomUUID()}.part`,
      snapshot: snapshotChunks(detector, bytes),
      verify: async (part) => {
        if ((await hashOf(createReadStream(systemPath(part)))) !== hash) throw damaged(part);
      },
      check: () => undefined,
    });
    await replaced.catch((error: unknown) => {
      throw inFolder(error);
    });
    return { file, offset: note.offset, writtenMilliseconds: Date.now(), observed, duplicates };
  }

  /** Tells if the file of a snapshot is there. */
  async has({ file }: PointedSnapshot): Promise<boolean> {
    const found = await stat(systemPath(this.#pathOf(file))).catch(() => undefined);
    return found?.isFile() ?? false;
  }

  /**
   * The detector of a snapshot. Its time is what records say.
   * @throws FirstseenError E_SNAPSHOT when it is damaged; E_STATE_DIFFERS when its keys are made differently
   */
  async read({ file, offset }: PointedSnapshot, scheme: KeySchemeOptions): Promise<Detector> {
    const path = this.#pathOf(file);
    const content = () => createReadStream(systemPath(path), { highWaterMark: 2 ** 20 });
    const named = file.slice(0, -ENDING.length).split('-').at(-1);
    if ((await hashOf(content())) !== named) throw damaged(path);
    const detector = await load(content(), { ...scheme, clock: 'manual' });
    const note = JSON.parse(Buffer.from(detector.note).toString()) as SnapshotNote;
    if (note.offset === offset && file.startsWith(prefixOf(note))) return detector;
    throw damaged(path);
  }

  /** The name of a snapshot of a partition that has observed anything, so that something was emitted; undefined if there is none. */
  async findUsed(place: SnapshotPlace, scheme: KeySchemeOptions): Promise<string | undefined> {
    const prefix = prefixOf({ ...place, detectorId: ANY_DETECTOR }).slice(0, -`${ANY_DETECTOR}-`.length);
    const names = await readdir(systemPath(this.#folder)).catch(() => []);
    for (const name of names.filter((one) => one.startsWith(prefix) && anyForm.test(one.slice(prefix.length)))) {
      if (await this.#isUsed(name, place, scheme)) return name;
    }
    return undefined;
  }

  async #isUsed(name: string, place: SnapshotPlace, scheme: KeySchemeOptions): Promise<boolean> {
    try {
      const detector = await load(createReadStream(systemPath(this.#pathOf(name))), { ...scheme, clock: 'manual' });
      const note = JSON.parse(Buffer.from(detector.note).toString()) as SnapshotNote;
      const isOther = note.group !== place.group || isRemade(note, place.inputId);
      const isUsed = detector.observed > 0 && !isOther;
      detector.close();
      return isUsed;
    } catch (error) {
      // A whole one whose keys are made in another way is the group's.
      return !(error instanceof FirstseenError && error.code === 'E_SNAPSHOT');
    }
  }

  /** Removes files, if that is possible. */
  async remove(snapshots: readonly Pick<PointedSnapshot, 'file'>[]): Promise<void> {
    for (const { file } of snapshots) await rm(systemPath(this.#pathOf(file)), { force: true }).catch(() => undefined);
  }

  /** Removes files of a detector that were written before a moment, except these. */
  async removeOthers(owner: SnapshotOwner, kept: readonly PointedSnapshot[], before: number): Promise<void> {
    const prefix = prefixOf(owner);
    const isOwn = (name: string) => name.startsWith(prefix) && fileForm.test(name.slice(prefix.length));
    const isOld = (name: string) => isOwn(name) && !kept.some(({ file }) => file === name);
    for (const name of (await readdir(systemPath(this.#folder)).catch(() => [])).filter(isOld)) {
      const written = await stat(systemPath(this.#pathOf(name))).catch(() => undefined);
      if (written && written.mtimeMs < before) await this.remove([{ file: name }]);
    }
  }
}
