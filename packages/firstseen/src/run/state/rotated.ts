// Finds what log rotation has made of a log since earlier runs read it: files with something left to read, and new files in between.

import { isSamePath } from '../identity.js';
import type { InputNote, ReadNote, RotatedFile } from '../input/contract.js';
import { type InputFinding, knownInput } from './knowninput.js';
import type { RunNote } from './note.js';

export interface RotatedInputs {
  /** In the order in which they were written. */
  inputs: readonly InputFinding[];
  /** Whether a file that was read was not found, so that records may be missing. */
  isIncomplete: boolean;
}

export interface RotatedRequest {
  /** The input whose log was rotated. It is not known if it is another file than before. */
  input: InputFinding;
  /** All inputs of the run that have been found, which are read in any case. */
  others: readonly InputFinding[];
  run: RunNote;
  /** What was read of inputs that have not been found, the latest first. What is found is removed. */
  left: Set<ReadNote>;
  /** When the state was saved. */
  savedMilliseconds: number;
}

/** The number of latest files that are looked for by their content, if another file has their inode now. */
const SOUGHT_READS = 2;

const nothing: RotatedInputs = { inputs: [], isIncomplete: false };

/** The rotated files of a log, and which of them have been recognized. */
class RotatedFiles {
  readonly #files: readonly RotatedFile[];
  /** Other inputs of the run among them. */
  readonly #others = new Map<RotatedFile, InputFinding>();
  readonly #found = new Map<RotatedFile, InputFinding>();

  constructor(files: readonly RotatedFile[], others: readonly InputFinding[]) {
    this.#files = files;
    for (const file of files) {
      const other = others.find(({ source }) => source.note.inode === file.inode);
      if (other) this.#others.set(file, other);
    }
  }

  #isTaken(file: RotatedFile): boolean {
    return this.#found.has(file) || this.#others.has(file);
  }

  /** The last file of which something was read before; -1 if there is none. */
  get #lastRead(): number {
    return this.#files.findLastIndex((file) => (this.#found.get(file) ?? this.#others.get(file))?.known);
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

  /** Looks for what was read in some of the files; whether it was found. */
  async find(read: ReadNote, files: readonly RotatedFile[]): Promise<boolean> {
    for (const file of files) {
      if (this.#isTaken(file)) continue;
      const source = await file.look();
      const known = source && (await knownInput(source, read));
      if (!known) continue;
      this.#found.set(file, { source, known });
      return true;
    }
    return false;
  }

  /** Adds the files that have not been read: those after the last one that was, and those written to after a time. */
  async addUnread(sinceMilliseconds: number): Promise<void> {
    const last = this.#lastRead < 0 ? this.#files.length : this.#lastRead;
    for (const [i, file] of this.#files.entries()) {
      const isNew = i > last || file.modifiedMilliseconds > sinceMilliseconds;
      const source = isNew && !this.#isTaken(file) ? await file.look() : undefined;
      if (source) this.#found.set(file, { source, known: undefined });
    }
  }

  /** The files to read. Only the newest one may still have a writer that completes its last record. */
  inputs(): InputFinding[] {
    const newest = this.#files.at(-1);
    return this.#files.flatMap((file) => {
      const found = this.#found.get(file);
      if (!found || !isWorthNoting(found)) return [];
      return [file === newest ? found : { ...found, source: { ...found.source, mayGrow: false } }];
    });
  }
}

/** Whether something is left to read of a file, or it has become another file, as which a later run finds it sooner. */
function isWorthNoting({ source, known }: InputFinding): boolean {
  if (!known || known.comparison === 'grown' || !known.read.isWhole) return true;
  return known.read.input.inode !== source.note.inode;
}

/** Whether anything was read, so that a file of the same content is the same file. */
function hasContent({ input }: ReadNote): boolean {
  return input.storedBytes > 0;
}

/** Whether an earlier command line named this input. */
function wasNamed(note: InputNote, { inputs, reads }: RunNote): boolean {
  return [...inputs, ...reads.map(({ input }) => input)].some((known) => isSamePath(known, note));
}

/**
 * The rotated files of an input that have to be read before it.
 * @throws FirstseenError E_INPUT when one of them cannot be read.
 */
export async function rotatedInputsOf(request: RotatedRequest): Promise<RotatedInputs> {
  const { input, others, run, left, savedMilliseconds } = request;
  const { source, known } = input;
  if (!wasNamed(source.note, run)) return nothing;
  const isSameLog = source.isSameLog ?? ((note: InputNote) => isSamePath(note, source.note));
  const reads = [...left].filter((read) => isSameLog(read.input));
  // Every file begins like an empty one.
  const isReplaced = !known || !hasContent(known.read);
  if (reads.length === 0 && !isReplaced) return nothing;
  const files = new RotatedFiles((await source.rotated?.()) ?? [], others);
  const sought = reads.filter(hasContent).slice(0, SOUGHT_READS);
  for (const read of reads) {
    const unlikely = isReplaced ? files.all : files.newest;
    const isFound = await files.find(read, [...files.withInodeOf(read), ...(sought.includes(read) ? unlikely : [])]);
    if (isFound) left.delete(read);
  }
  if (!isReplaced) return { inputs: files.inputs(), isIncomplete: false };
  await files.addUnread(savedMilliseconds);
  // Of a file before the last one, everything was read, unless its last record was unfinished.
  const isIncomplete = sought.some((read, i) => left.has(read) && (i === 0 || !read.isWhole));
  return { inputs: files.inputs(), isIncomplete };
}
