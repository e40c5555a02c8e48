// Finds what log rotation has made of a log since earlier runs read it: files with something left to read, and new files in between.

import type { InputNote, ReadNote, RotatedFile, Source } from '../io/source.js';
import { EDGE_BYTES } from '../io/system/edges.js';
import { isSamePath, type PathIndex } from '../io/system/identity.js';
import { type InputMatch, type KnownInput, knownInput } from './knowninput.js';
import type { RunNote } from './note.js';

export interface RotatedInputs {
  /** The input. It is a new file if a rotated one is the file that was read. */
  input: InputMatch;
  /** In the order in which they were written. */
  inputs: readonly InputMatch[];
  /** True if a file that was read was not found, so that records may be missing. */
  isIncomplete: boolean;
  /** True if it is another file than the one that was read, and no more than its first bytes show that it is a copy of that. */
  isUndecided: boolean;
  /** Files that may belong to the log too. They are not read, because their names do not show their order. */
  unrecognized: readonly string[];
}

export interface RotatedRequest {
  /** The input whose log may have been rotated. It is not known if it is another file than before. */
  input: InputMatch;
  /** All inputs of the run that have been found, which are read in any case. */
  others: readonly InputMatch[];
  run: RunNote;
  /** The inputs that earlier command lines named, and those that were read. */
  named: PathIndex;
  /**
   * The notes of inputs that were read and have not been found, the latest first. A note is removed when its input is
   * found.
   */
  left: Set<ReadNote>;
  /** The time at which the state was saved. Inputs of later states have the time at which they were looked at. */
  savedMilliseconds: number;
}

/** The number of latest files that are looked for by their content, if another file has their inode now. */
const SOUGHT_READS = 2;

/** The number of latest files with which a file is compared before it counts as unread. */
const COMPARED_READS = 64;

/** Compares a file with what was read by content alone, because its inode may belong to another file now. */
function withoutInode({ inode: _inode, ...note }: InputNote): InputNote {
  return note;
}

/** A rotated file, and what a look at it found; undefined if it cannot be read. */
interface LookedAt {
  readonly file: RotatedFile;
  readonly source: Source | undefined;
}

/** The rotated files of a log, and which of them have been recognized. */
class RotatedFiles {
  readonly #files: readonly RotatedFile[];
  /** The notes of all inputs that were read. */
  readonly #reads: readonly ReadNote[];
  readonly #savedMilliseconds: number;
  /** Other inputs of the run among them. */
  readonly #others = new Map<RotatedFile, InputMatch>();
  readonly #matches = new Map<RotatedFile, InputMatch>();

  constructor(
    files: readonly RotatedFile[],
    { others: otherInputs, run, savedMilliseconds }: Pick<RotatedRequest, 'others' | 'run' | 'savedMilliseconds'>,
  ) {
    this.#files = files;
    this.#reads = run.reads;
    this.#savedMilliseconds = savedMilliseconds;
    for (const file of files) {
      const otherInput = otherInputs.find(({ source }) => source.note.inode === file.inode);
      if (otherInput) this.#others.set(file, otherInput);
    }
  }

  #isTaken(file: RotatedFile): boolean {
    return this.#matches.has(file) || this.#others.has(file);
  }

  /** The last file that was read before, in whole or in part; -1 if there is none. */
  get #lastRead(): number {
    return this.#files.findLastIndex((file) => (this.#matches.get(file) ?? this.#others.get(file))?.known);
  }

  has(path: string): boolean {
    return this.#files.some((file) => file.path === path);
  }

  /** True if a file was found only because it has a known inode, so that there may be more files with such names. */
  get hasUnrecognized(): boolean {
    return [...this.#matches.keys()].some(({ isRecognized }) => !isRecognized);
  }

  get newest(): readonly RotatedFile[] {
    return this.#files.slice(-1);
  }

  withInodeOf({ input }: ReadNote): RotatedFile[] {
    return this.#files.filter(({ inode }) => inode === input.inode);
  }

  /** All files, the newest first: it is the most likely one. */
  get all(): readonly RotatedFile[] {
    return [...this.#files].reverse();
  }

  /** Tells if more of a file was read than a note says, so that the note is that of a file which begins like it. */
  async #isBeginning({ input }: ReadNote, source: Source): Promise<boolean> {
    for (const other of this.#reads) {
      if (storedBytesOf(other) <= storedBytesOf({ input })) continue;
      if ((await source.compare(withoutInode(other.input))) !== 'other') return true;
      if ((await source.bytesOfBeginning?.(other.input)) !== undefined) return true;
    }
    return false;
  }

  /**
   * Finds the file that was read, if a newer file begins like it: the oldest one that was written to since the state was saved,
   * begins with what was read and has more. `holder` is the file that has the path or the inode of what was read, if there is one.
   * A copy of its beginning is not the file that was read.
   */
  async findPredecessor(note: ReadNote, holder: InputNote | undefined): Promise<boolean> {
    for (const file of this.#files) {
      if (file.inode === holder?.inode) return false;
      const writtenSince = note.input.sinceMilliseconds ?? this.#savedMilliseconds;
      if (this.#isTaken(file) || file.modifiedMilliseconds < Math.floor(writtenSince)) continue;
      const source = await file.look();
      const matchingInput = source && (await knownInput(source, { ...note, input: withoutInode(note.input) }));
      if (matchingInput?.comparison !== 'grown' || (await this.#isBeginning(note, source as Source))) continue;
      if (holder?.path !== undefined && (await file.isBeginningOf(holder))) continue;
      this.#matches.set(file, { source: source as Source, known: { ...matchingInput, read: note } });
      return true;
    }
    return false;
  }

  /** Looks for what was read in some of the files. Returns true if it is found. */
  async find(note: ReadNote, files: readonly RotatedFile[]): Promise<boolean> {
    for (const file of files) {
      if (this.#isTaken(file)) continue;
      const source = await file.look();
      const matchingInput = source && (await knownInput(source, note));
      if (!matchingInput) continue;
      this.#matches.set(file, { source, known: matchingInput });
      return true;
    }
    return false;
  }

  /**
   * Finds files that have only a beginning of what was read: log rotation has compressed or copied them, and their writer wrote on to the
   * old file. All of them was read. Removes the notes of what it finds from `missingReads`.
   */
  async findBeginnings(notes: readonly ReadNote[], missingReads: Set<ReadNote>): Promise<void> {
    const soughtReads = notes.filter((note) => missingReads.has(note) && note.input.beginnings);
    if (soughtReads.length === 0) return;
    const lookedAt = await Promise.all(this.#files.map(async (file) => ({ file, source: await file.look() })));
    await this.#matchBeginnings(soughtReads, lookedAt, missingReads);
  }

  /** A new log may begin like an older one, so that of several files the longest beginning is that of what was read. */
  async #matchBeginnings(
    soughtReads: readonly ReadNote[],
    lookedAt: readonly LookedAt[],
    missingReads: Set<ReadNote>,
  ): Promise<void> {
    for (const note of soughtReads) {
      let longest: { file: RotatedFile; source: Source; bytes: number } | undefined;
      for (const { file, source } of lookedAt) {
        if (!source || this.#isTaken(file)) continue;
        const bytes = (await source.bytesOfBeginning?.(note.input)) ?? 0;
        if (bytes > (longest?.bytes ?? 0)) longest = { file, source, bytes };
      }
      if (!longest) continue;
      this.#matches.set(longest.file, { source: longest.source, known: wholeBeginning(note) });
      missingReads.delete(note);
    }
  }

  /**
   * Adds the files that have not been read: those after the last one that was, and those written to at a time or later.
   * @param missingReads what was read of files that have not been found, the latest first. What is found is removed.
   */
  async addUnread(sinceMilliseconds: number, missingReads: Set<ReadNote>): Promise<void> {
    const last = this.#lastRead < 0 ? this.#files.length : this.#lastRead;
    const unknownFiles: LookedAt[] = [];
    for (const [i, file] of this.#files.entries()) {
      const isNew = i > last || file.modifiedMilliseconds >= Math.floor(sinceMilliseconds);
      // A file that was removed may have left its inode to any other.
      if (!isNew || !file.isRecognized || this.#isTaken(file)) continue;
      const source = await file.look();
      const matchingInput = source && (await knownAmong(source, missingReads));
      if (matchingInput) this.#matches.set(file, { source, known: matchingInput });
      else unknownFiles.push({ file, source });
    }
    await this.#matchBeginnings(comparedOf(missingReads), unknownFiles, missingReads);
    for (const { file, source } of unknownFiles) {
      if (source && !this.#isTaken(file)) this.#matches.set(file, { source, known: undefined });
    }
  }

  /** The files to read. Only the newest one, unless it is a copy, may still have a writer that completes its last record. */
  inputs(): InputMatch[] {
    const newest = this.#files.at(-1);
    return this.#files.flatMap((file) => {
      const found = this.#matches.get(file);
      if (!found || !isWorthNoting(found)) return [];
      const mayGrow = file === newest && !isCopy(found) && found.source.mayGrow;
      return [{ ...found, source: { ...found.source, mayGrow } }];
    });
  }
}

/** Tells if a file is a copy of the one that was read. Nothing writes to a copy. */
function isCopy({ source, known }: InputMatch): boolean {
  const inode = known?.read.input.inode;
  return inode !== undefined && inode !== source.note.inode;
}

/** Tells if an input is another file than the one that was read, and what was read is no more than a new log may begin with too. */
function beginsAlike(input: InputMatch): boolean {
  return isCopy(input) && (input.known ? storedBytesOf(input.known.read) : 0) <= EDGE_BYTES;
}

/** Tells if something is left to read of a file, or whether it has become another file, which a later run then finds sooner. */
function isWorthNoting({ source, known }: InputMatch): boolean {
  if (!known || known.comparison === 'grown' || !known.read.isWhole) return true;
  return known.read.input.inode !== source.note.inode;
}

/** Stored bytes of a file that were read. What was read of an input that is not a file is never found in one. */
function storedBytesOf({ input }: Pick<ReadNote, 'input'>): number {
  return input.storedBytes ?? 0;
}

/** Tells if anything was read, so that a file of the same content is the same file. */
function hasContent(note: ReadNote): boolean {
  return storedBytesOf(note) > 0;
}

/** The latest files of a log, which are looked for by their content too. */
function soughtOf(notes: readonly ReadNote[]): ReadNote[] {
  return notes.filter(hasContent).slice(0, SOUGHT_READS);
}

/** Returns the notes of inputs with which a file is compared before it counts as unread. */
function comparedOf(missingReads: ReadonlySet<ReadNote>): ReadNote[] {
  return [...missingReads].filter(hasContent).slice(0, COMPARED_READS);
}

/** Returns the known input of a file that has only a beginning of the bytes that were read. */
function wholeBeginning(note: ReadNote): KnownInput {
  return {
    read: note.isWhole ? note : { ...note, isWhole: true },
    comparison: 'same',
    bytesAround: new Uint8Array(0),
  };
}

/** Finds a file by its content among the inputs that were read. Removes the note of its input from `missingReads`. */
async function knownAmong(source: Source, missingReads: Set<ReadNote>): Promise<KnownInput | undefined> {
  for (const note of comparedOf(missingReads)) {
    const knownSource = await knownInput(source, { ...note, input: withoutInode(note.input) });
    if (!knownSource) continue;
    missingReads.delete(note);
    return { ...knownSource, read: note };
  }
  return undefined;
}

interface Sought {
  /** The notes of inputs that were read and have not been found. */
  left: Set<ReadNote>;
  /** True if the log is another file than before. */
  isReplaced: boolean;
}

/** The note of the rotated file that has the inode of what was read. */
async function holderOf(note: ReadNote, files: RotatedFiles): Promise<InputNote | undefined> {
  const [file] = files.withInodeOf(note);
  return (await file?.look())?.note;
}

/** Looks for what was read of inputs that have not been found. Removes the notes of what it finds from `left`. */
async function findReads(
  files: RotatedFiles,
  notes: readonly ReadNote[],
  { left: missingReads, isReplaced }: Sought,
): Promise<void> {
  const soughtReads = soughtOf(notes);
  for (const note of notes) {
    const isSought = soughtReads.includes(note);
    const unlikely = isReplaced ? files.all : files.newest;
    const isFound =
      (isSought && isReplaced && (await files.findPredecessor(note, await holderOf(note, files)))) ||
      (await files.find(note, [...files.withInodeOf(note), ...(isSought ? unlikely : [])]));
    if (isFound) missingReads.delete(note);
  }
  // A beginning counts only if no file has all that was read.
  await files.findBeginnings(soughtReads, missingReads);
}

/** Files written to since the log was read, with names that look rotated, which the run neither reads nor writes. */
async function unrecognizedOf(request: RotatedRequest, files: RotatedFiles): Promise<string[]> {
  const { input, others, run } = request;
  const found = (await input.source.unrecognized?.(sinceOf(input.source, request))) ?? [];
  const own = [...others.map(({ source }) => source.note), ...run.inputs, ...run.outputs];
  return found.filter((path) => !files.has(path) && !own.some((file) => isSamePath(file, { path, realPath: path })));
}

/** The time since when rotated files may have what was not read: that of the latest file of the log, which was read last. */
function sinceOf({ note, isSameLog }: Source, { run, savedMilliseconds }: RotatedRequest): number {
  const latest = run.reads.findLast(({ input }) => isSameLog?.(input) ?? isSamePath(input, note));
  return latest?.input.sinceMilliseconds ?? savedMilliseconds;
}

/**
 * The rotated files of an input that have to be read before it.
 * @throws FirstseenError E_INPUT when one of them cannot be read.
 */
export async function rotatedInputsOf(request: RotatedRequest): Promise<RotatedInputs> {
  const { input, named: namedPaths, left: missingReads } = request;
  const { source } = input;
  const noRotation: RotatedInputs = { input, inputs: [], isIncomplete: false, isUndecided: false, unrecognized: [] };
  // An earlier command line did not name this input, so no earlier run has read its log.
  if (!namedPaths.has(source.note)) return noRotation;
  const isSameLog = source.isSameLog ?? ((note: InputNote) => isSamePath(note, source.note));
  const notes = [...missingReads].filter((note) => isSameLog(note.input));
  // Every file begins like an empty one.
  const contentInput = input.known && hasContent(input.known.read) ? input.known : undefined;
  const inodes = [...notes, ...(input.known ? [input.known.read] : [])]
    .filter(hasContent)
    .map((note) => note.input.inode);
  const rotatedFiles = await source.rotated?.(new Set(inodes.filter((inode) => inode !== undefined)));
  const files = new RotatedFiles(rotatedFiles ?? [], request);
  const isPreceded = contentInput !== undefined && (await files.findPredecessor(contentInput.read, source.note));
  const isReplaced = !contentInput || isPreceded;
  await findReads(files, notes, { left: missingReads, isReplaced });
  if (!isReplaced) {
    const isAlike = beginsAlike(input);
    const isUndecided = isAlike && contentInput?.comparison === 'grown';
    const unrecognizedPaths = isAlike ? await unrecognizedOf(request, files) : [];
    return { ...noRotation, inputs: files.inputs(), isUndecided, unrecognized: unrecognizedPaths };
  }
  await files.addUnread(sinceOf(source, request), missingReads);
  // Of a file before the last one, everything was read, unless its last record was unfinished.
  const isIncomplete = soughtOf(notes).some(
    (note, i) => missingReads.has(note) && ((i === 0 && !isPreceded) || !note.isWhole),
  );
  const isUncertain = isIncomplete || files.hasUnrecognized;
  return {
    input: isPreceded ? { source, known: undefined } : input,
    inputs: files.inputs(),
    isIncomplete,
    isUndecided: false,
    unrecognized: isUncertain ? await unrecognizedOf(request, files) : [],
  };
}
