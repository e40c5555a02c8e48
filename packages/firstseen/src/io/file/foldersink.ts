// A folder as an output: a file for each input, with the name of the input. A file has a temporary name until its input has been read
// to its end, so that a run that is killed leaves no part of a file under its name.

import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { containerFormats, recordFormats } from '../../records/formats.js';
import type { Crew } from '../../threads/crew.js';
import { withoutCompression } from '../compression/compressions.js';
import type { WrittenFormat } from '../policies.js';
import {
  type FolderNames,
  type OutputNote,
  outputError,
  type RecordBatch,
  type Sink,
  type SinkKind,
  type SinkPosition,
  type SinkRequest,
  wantsSelected,
} from '../sink.js';
import type { Source } from '../source.js';
import { makeFolders } from '../system/makefolder.js';
import { systemPath } from '../system/paths.js';
import { isBytePosition, isClosedPosition } from './bytesink.js';
import { compactFile, fileSinkKind, fileToResume, standardSinkKind } from './sinks.js';

/** The end of the path of an output that is a folder. */
const FOLDER_END = '/';

/** The prefix of the name of a file that is not complete. */
const UNFINISHED = '.unfinished-';

/** The position of each file of a folder, by its name in the folder. */
type Positions = Readonly<Record<string, SinkPosition>>;

/** The path of an output that is a folder, as notes have it. */
export function folderOutput(path: string): string {
  return path.endsWith(FOLDER_END) ? path : path + FOLDER_END;
}

export function isFolderOutput({ path }: Pick<OutputNote, 'path'>): boolean {
  return path?.endsWith(FOLDER_END) ?? false;
}

/** The folders that an input is in, as its path names them. */
function* foldersOf(input: string): Generator<string> {
  for (let at = input.indexOf(FOLDER_END); at >= 0; at = input.indexOf(FOLDER_END, at + 1))
    yield input.slice(0, at + 1);
}

/** Gives the path of an input below the first of the folders that were given, or the name of a file that was given. */
function namesBelow(paths: readonly string[]): (input: string) => string {
  const places = new Map(paths.map((path, place) => [folderOutput(posix.normalize(path)), place] as const).reverse());
  const placeOf = (folder: string) => places.get(folder) ?? paths.length;
  const isHere = places.has('./');
  return (input) => {
    const folder = [...foldersOf(input)].reduce(
      (nearest, folder) => (placeOf(folder) < placeOf(nearest) ? folder : nearest),
      '',
    );
    if (folder !== '') return input.slice(folder.length);
    return isHere && !posix.isAbsolute(input) ? input : basename(input);
  };
}

/** The ending that a name gets when it says another format than the file has. */
const addedEndings: Readonly<Record<WrittenFormat, string>> = { lines: '.txt', ndjson: '.jsonl', tsv: '.tsv' };

const knownEndings = [...Object.values(recordFormats), ...Object.values(containerFormats)].flatMap(
  ({ endings }): readonly string[] => endings,
);

function endsWithAny(name: string, endings: readonly string[]): boolean {
  return endings.some((ending) => name.toLowerCase().endsWith(ending));
}

/** A name that does not say another format than what is written, so that programs that read the file by its name can. */
function nameForFormat(name: string, written: WrittenFormat | undefined): string {
  const stored = withoutCompression(name);
  if (written === undefined || !endsWithAny(stored, knownEndings)) return name;
  if (endsWithAny(stored, recordFormats[written].endings)) return name;
  return stored + addedEndings[written] + name.slice(stored.length);
}

/** Gives the name of the file for an input in the output folder. */
export function folderNames({ given, written }: FolderNames): (input: string) => string {
  const nameOf = namesBelow(given);
  return (input) => nameForFormat(nameOf(input), written);
}

function unfinishedPath(path: string): string {
  return join(dirname(path), UNFINISHED + basename(path));
}

function noteOf({ isCompressed }: OutputNote, path: string): OutputNote {
  return { path, isCompressed };
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(systemPath(path)).catch(() => undefined)) !== undefined;
}

async function move(from: string, to: string): Promise<void> {
  await rename(systemPath(from), systemPath(to)).catch((cause) => {
    throw outputError(to, cause);
  });
}

/** The file that a run left: under its temporary name, or complete. */
async function pathLeft(path: string): Promise<string> {
  const unfinished = unfinishedPath(path);
  return (await isThere(unfinished)) ? unfinished : path;
}

class FolderSink implements Sink {
  readonly isFolder = true;
  readonly #note: OutputNote;
  readonly #request: SinkRequest;
  readonly #positions: Record<string, SinkPosition>;
  readonly #nameOf: (input: string) => string;
  #source: Source | undefined;
  /** The name of the file of the current input. */
  #name: string | undefined;
  #file: Sink | undefined;
  #isEnded = false;
  /** True if the run stopped within a file that is valid only when it is complete. */
  #isCut = false;
  /** True if a later run may go on with the unfinished file. */
  #isKept: boolean;
  #bytesBefore = 0;

  constructor(note: OutputNote, request: SinkRequest) {
    this.#note = note;
    this.#request = request;
    this.#nameOf = folderNames(request.names as FolderNames);
    this.#positions = { ...(request.position?.files as Positions | undefined) };
    this.#isKept = request.position !== undefined;
  }

  get bytes(): number {
    return this.#bytesBefore + (this.#file?.bytes ?? 0);
  }

  get canCommit(): boolean {
    return !this.#isCut && (this.#file?.canCommit ?? true);
  }

  async beginInput(source: Source): Promise<void> {
    await this.#completeFile();
    this.#source = source;
    this.#name = this.#nameOf(source.name);
    this.#isEnded = false;
  }

  async append(batches: readonly RecordBatch[], crew?: Crew): Promise<void> {
    await (await this.#opened()).append(batches, crew);
  }

  async appendBefore(lines: Uint8Array): Promise<void> {
    await (await this.#opened()).appendBefore(lines);
  }

  async appendHeader(header: Uint8Array): Promise<void> {
    await (await this.#opened()).appendHeader(header);
  }

  async appendBytes(part: Uint8Array): Promise<void> {
    await (await this.#opened()).appendBytes(part);
  }

  async appendVerdict(verdict: number): Promise<void> {
    await (await this.#opened()).appendVerdict(verdict);
  }

  wants(mask: number): boolean {
    return wantsSelected(this.#request.selection, mask);
  }

  endInput(isText: boolean): void {
    this.#file?.endInput(isText);
    this.#isEnded = true;
  }

  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  async commit(): Promise<SinkPosition> {
    this.#isKept = true;
    const position = await this.#file?.commit();
    if (position && this.canCommit) this.#positions[this.#name as string] = position;
    return this.#position;
  }

  async close(isWhole: boolean): Promise<SinkPosition> {
    if (isWhole || this.#isEnded) {
      await this.#completeFile();
      return this.#position;
    }
    const file = this.#file;
    if (!file) return this.#position;
    this.#isCut = !this.canCommit;
    this.#file = undefined;
    const position = await file.close(false);
    if (this.#isKept && !this.#isCut) this.#positions[this.#name as string] = position;
    else await this.#removeUnfinished();
    return this.#position;
  }

  async abort(): Promise<void> {
    await this.#file?.abort();
    if (this.#file && !this.#isKept) await this.#removeUnfinished();
    this.#file = undefined;
  }

  get #position(): SinkPosition {
    return { files: { ...this.#positions } };
  }

  get #path(): string {
    return join(this.#note.path as string, this.#name as string);
  }

  async #removeUnfinished(): Promise<void> {
    const path = unfinishedPath(this.#path);
    await rm(systemPath(path), { force: true }).catch((cause) => {
      throw outputError(path, cause);
    });
  }

  /** The file of the current input. It goes on where an earlier run has left it. */
  async #opened(): Promise<Sink> {
    if (this.#file) return this.#file;
    const path = this.#path;
    const temporaryPath = unfinishedPath(path);
    const kind = this.#request.fileKind?.(this.#source as Source) as SinkKind;
    const position = this.#positions[this.#name as string];
    if (position === undefined) {
      this.#request.beforeWrite?.();
      await this.#removeUnfinished();
    } else if ((await pathLeft(path)) === path) await move(path, temporaryPath);
    await makeFolders(dirname(path)).catch((cause) => {
      throw outputError(dirname(path), cause);
    });
    const isRepeated = position !== undefined && (this.#request.isRepeated ?? false);
    const request = { ...this.#request, sources: [this.#source as Source], position, isRepeated };
    this.#file = await kind.open(noteOf(this.#note, temporaryPath), request);
    return this.#file;
  }

  /** Completes the file of the current input, also if none of its records was written. */
  async #completeFile(): Promise<void> {
    const name = this.#name;
    if (name === undefined) return;
    const path = this.#path;
    const temporaryPath = unfinishedPath(path);
    const position = this.#positions[name];
    const isClosed = position !== undefined && isClosedPosition(position);
    const isDone = !this.#file && isClosed && !(await isThere(temporaryPath));
    if (!isDone) {
      const file = await this.#opened();
      this.#positions[name] = await file.close(true);
      await move(temporaryPath, path);
      this.#bytesBefore += file.bytes;
    }
    this.#file = undefined;
    this.#name = undefined;
  }
}

function filesOf(position: SinkPosition): [string, SinkPosition][] {
  return Object.entries(position.files as Positions);
}

/** An output folder, whose path ends in a slash. */
export const folderSinkKind: SinkKind = {
  name: 'folder',
  isKindOf: isFolderOutput,
  isPosition(note, { files }) {
    if (typeof files !== 'object' || files === null) return false;
    return Object.entries(files).every(
      ([name, position]) => typeof position === 'object' && isBytePosition(noteOf(note, name), position),
    );
  },
  async positionToResume(note, known, run) {
    for (const [name, position] of filesOf(known)) {
      const left = await pathLeft(join(note.path as string, name));
      await fileToResume(noteOf(note, left), position, run);
    }
    return known;
  },
  compact: (position) => ({
    files: Object.fromEntries(filesOf(position).map(([name, one]) => [name, compactFile(one)])),
  }),
  open: async (note, request) => new FolderSink(note, request),
};

/** The kinds of outputs of bytes, in the order in which they are asked. */
export const byteSinkKinds: readonly SinkKind[] = [folderSinkKind, fileSinkKind, standardSinkKind];
