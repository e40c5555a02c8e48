// The contract of a source: where records come from, how a later run recognizes it, and how it continues from a position. Several
// inputs can be read side by side, so what a reading knows is in its reader. The kinds of source are rows of sources.ts.

import { type ErrorDetails, FirstseenError, type Phrase } from '../base/errors.js';
import { isCount } from '../base/jsonchecks.js';
import type { InputFormatName } from '../records/formats.js';
import type { Folders } from './system/folders.js';

/** The position from which a later run continues an input. Only its kind of source reads it; the run treats it as opaque JSON. */
export type InputPosition = Readonly<Record<string, unknown>>;

/**
 * The note in a state of an input that is neither a file nor a stream with a path. Its source may add members, whose names are not
 * those of the note of a file.
 */
export interface NamedNote {
  /** The name by which the input is found, also in messages. */
  name: string;
  isFile: false;
  /** True if it can be read again from a position. */
  isRepeatable: boolean;
}

/** The note in a state of a file, or of a pipe or a device, which has a path too. */
export interface FileNote {
  path: string;
  /** The absolute path without symbolic links, if the input is a file. */
  realPath?: string;
  /** The device and inode of a file, which remain when it is renamed. */
  inode?: string;
  /** True if it can be read again. Standard input, pipes and devices cannot. */
  isFile: boolean;
  isCompressed: boolean;
  /** The number of stored bytes that the note covers: all when the run started, or those processed of the current input. */
  storedBytes: number;
  /** SHA-256 of the first and the last of these bytes, in hexadecimal. */
  digest: string;
  /**
   * Files of the same log that were written to at this time or later, in milliseconds since 1970, may have records that came after
   * those of this file. Absent in states written before it was kept.
   */
  sinceMilliseconds?: number;
  /**
   * The beginnings of these bytes that end with one of the last lines. Log rotation may have compressed or copied the file before the
   * lines after that were written. Absent where such a file is not looked for.
   */
  beginnings?: readonly Beginning[];
}

/** The beginning of the bytes of a file: how many bytes it has, and the first digits of the digest of its edges. */
export type Beginning = readonly [bytes: number, digest: string];

/** The members of one note that another one lacks. */
type Without<Lacking, Having> = Lacking & { [Name in Exclude<keyof Having, keyof Lacking>]?: undefined };

/** The identity of an input, so that another input of the same name is not mistaken for it. */
export type InputNote = Without<FileNote, NamedNote> | Without<NamedNote, FileNote>;

/** Tells if a later run can read an input again, from a position. */
export function isRepeatable({ isFile, isRepeatable = isFile }: InputNote): boolean {
  return isRepeatable;
}

/** The name of an input in messages and in lists of inputs. */
export function nameOf({ path, name }: InputNote): string {
  return path ?? (name as string);
}

/** An input up to a point: what a later run recognizes it by, and where it continues. */
export interface InputMark {
  readonly input: InputNote;
  /** The position from which a later run continues; undefined if the input cannot be read again. */
  readonly position: InputPosition | undefined;
}

/** The progress in an input. */
export interface ReadNote extends InputMark {
  /** Bytes processed, after decompression. */
  readonly offset: number;
  /** Lines processed, or records of a format without lines. */
  readonly lines: number;
  /** True if the input was read to its end. */
  readonly isWhole: boolean;
}

/** An input is not what it was when the run looked at it. */
export class InputReplaced extends FirstseenError {
  constructor(name: string) {
    super('E_INPUT', `${name} was replaced, emptied or changed between a first look and its opening`, {
      remedy: 'run the same command again',
    });
  }
}

/**
 * The error of an input whose stored data are damaged: its compression, or the pages of a container. What was before
 * the damage has been read.
 */
export class DamagedInput extends FirstseenError {
  constructor(problem: string | Phrase, details: ErrorDetails) {
    super('E_INPUT', problem, details);
  }
}

/** Bytes that are read in order. */
export interface ByteReader {
  /** Fills `target` from its start; resolves to the bytes read, 0 at the end. `target` must not change meanwhile. */
  read(target: Uint8Array): Promise<number>;
  /** Bytes read as stored, before decompression; 0 if unknown. */
  storedBytes(): number;
  close(): Promise<void>;
}

/** A reading of an input. */
export interface InputReader extends ByteReader {
  /** True if the rest of the last record is elsewhere, or is read again, after a read of 0 bytes. */
  readonly isContinued?: boolean;
  /** True if it has ended because its log was rotated, so that more is to be read of the log. Absent if that never happens. */
  readonly isRotated?: boolean;
  /**
   * The input up to a number of decompressed bytes from the start of the input, wherever the reader began, which must have been read.
   * Also after it was closed.
   * @param hasBeginnings whether the note of a file has its beginnings; false by default
   */
  markAt(offset: number, hasBeginnings?: boolean): Promise<InputMark>;
}

/**
 * A reader whose reads are replaced.
 * @param isContinued whether the rest of its last record is not read, in addition to what the reader says
 */
export function withRead(
  reader: InputReader,
  read: InputReader['read'],
  isContinued: () => boolean = () => false,
): InputReader {
  return {
    get isContinued() {
      return isContinued() || (reader.isContinued ?? false);
    },
    get isRotated() {
      return reader.isRotated ?? false;
    },
    read,
    storedBytes: () => reader.storedBytes(),
    markAt: (offset, hasBeginnings) => reader.markAt(offset, hasBeginnings),
    close: () => reader.close(),
  };
}

/** The result of comparing an input with its note in a state: the same, the same with more appended, or another one. */
export type InputComparison = 'same' | 'grown' | 'other';

/** A file that log rotation has made of an input. */
export interface RotatedFile {
  readonly path: string;
  readonly inode: string;
  readonly storedBytes: number;
  readonly modifiedMilliseconds: number;
  /** True if its name is one that log rotation gives. Otherwise it was found by its inode. */
  readonly isRecognized: boolean;
  /**
   * Inspects it, also if it has been renamed meanwhile; undefined if it cannot be read.
   * @throws InputReplaced when it is gone
   */
  look(): Promise<Source | undefined>;
  /** Tells if its content is the beginning of another file, as that of a copy that was made of a log. */
  isBeginningOf(log: FileNote): Promise<boolean>;
}

/** The version of the format in which values that are not stored as text, such as those of Parquet, are written as text. */
export const VALUES_VERSION = 2;

/** A compressed file that is open. */
export interface CompressedFile {
  descriptor: number;
  /** Its name in errors. */
  path: string;
  /** The name of the row of its compression. */
  compression: string;
  /** The number of decompressed bytes to skip. */
  offset: number;
}

/** A thread that decompresses inputs of a run, one after the other. */
export interface Decompressing {
  /** True if it was started, so that short files take no time for it either. */
  readonly isStarted: boolean;
  /** Its reader reads only to shared memory. It must be closed before the next file is opened. */
  open(file: CompressedFile): ByteReader;
}

/** The reading of the beginning of an input before it is opened (readahead.ts). */
export interface ReadingAhead {
  /** The bytes of the beginning. */
  readonly bytes: number;
  /** Begins, unless it has begun. The next `open` at the start takes what was read, and throws what failed. */
  begin(): void;
  /** Ends it, if no `open` has taken it. */
  end(): void;
}

/** An input, inspected before a run. */
export interface Source {
  /** Its name in messages. */
  readonly name: string;
  /** The path by which a program can read it again; absent without one. */
  readonly path?: string;
  /** Its identity. */
  readonly note: InputNote;
  /** True if its last record may be unfinished, because something still writes to it. */
  readonly mayGrow: boolean;
  /** The format of its file, if that does not hold its records as they are. */
  readonly format?: InputFormatName;
  /** The description that such a file has of itself. Only the row of its format reads it. */
  readonly description?: unknown;
  /**
   * @param decompressing decompresses the input, if it is a compressed file and that saves time; without one, the caller does
   * @throws FirstseenError E_INPUT when it cannot be opened, E_COMPRESSION when this version of Node cannot decompress it
   */
  open(position?: InputPosition, decompressing?: Decompressing): Promise<InputReader>;
  /** Absent where it would save no time. */
  readonly ahead?: ReadingAhead;
  /** The input before anything of it has been read. */
  markAtStart(): Promise<InputMark>;
  compare(known: InputNote): Promise<InputComparison>;
  /**
   * Returns the number of bytes that it has after decompression, if they are a beginning of what was read of a file.
   * Absent in inputs that are not logs.
   */
  readonly bytesOfBeginning?: (known: InputNote) => Promise<number | undefined>;
  /** Tells if a note is of this input, or of a file that log rotation has made of it, as far as names show. Absent without names. */
  readonly isSameLog?: (known: InputNote) => boolean;
  /**
   * The files that log rotation has made of this input, the oldest first: those whose names show it, and those with these inodes.
   * Absent if that never happens.
   */
  readonly rotated?: (inodes?: ReadonlySet<string>) => Promise<readonly RotatedFile[]>;
  /** The paths of files that were written to after a time and may be rotated files of this input, although no pattern names them. */
  readonly unrecognized?: (sinceMilliseconds: number) => Promise<readonly string[]>;
  /** The log as it is now. @throws FirstseenError E_INPUT when there is none. */
  readonly lookAgain?: () => Promise<Source>;
  /**
   * The source, whose records have only these of their columns, for a run that needs no more of them: to decode the others takes most
   * of the time. Absent where all of a record is read anyway.
   */
  readonly withColumns?: (names: readonly string[]) => Source;
  /** The byte before a position and two bytes after it, if they exist: enough to detect a torn record. */
  bytesAround(offset: number): Promise<Uint8Array>;
}

/** The place of an input that has a name of its own: a file of the system, or an object of a store. */
export interface FilePlace {
  /** The path, or the name of the object, which says its format and its order. */
  readonly path: string;
  /**
   * Returns what it is. A stream is a pipe or a device.
   * @throws Error of the system for what cannot be read
   */
  kind(): 'file' | 'folder' | 'stream' | 'object';
  /** Tells if it is a folder. What does not exist is not; reading it fails later. */
  isFolder(): boolean;
  /** Tells if it does not exist but its folder does, as while log rotation has renamed it and nothing has written a new one. */
  isAwaited(): boolean;
  /**
   * Returns the time at which it was modified, in whole seconds, which all file systems and archives keep; undefined for what is
   * neither a file nor an object.
   * @throws FirstseenError E_INPUT for what cannot be read
   */
  modifiedSeconds(): number | undefined;
  /** Tells if the system reports any bytes in it. @throws Error of the system when the file does not exist */
  hasContent(): boolean;
  /** Returns its stored bytes; 0 for what is not a file, or cannot be read. */
  storedBytes(): Promise<number>;
}

/**
 * An input that was asked for, before anybody has looked at it. Each kind of source makes its own requests (sources.ts), where a
 * run begins.
 */
export interface InputRequest {
  /** Its name in messages. */
  readonly name: string;
  /** Absent if it has no path: it is standard input, a list, or a source that a program has made. */
  readonly file?: FilePlace;
  /** Returns the identity of the file that is read, which no output can be. Absent if none can be. */
  readonly identity?: () => string;
  /**
   * Inspects it.
   * @param kinds the kinds of source that read a path of its format
   * @throws FirstseenError E_INPUT when it does not exist or cannot be read.
   */
  look(kinds: readonly PathKind[], options: LookOptions): Promise<Source | undefined>;
}

export interface LookOptions {
  /** True if the input holds binary numbers, so that its first bytes do not show whether it is compressed. */
  isBinary: boolean;
  /** The folders of the inputs of a run, each of which is listed once. */
  folders: Folders;
}

/** A kind of source: a row of the registry. */
export interface SourceKind {
  readonly name: string;
  /** Tells if an input of this kind can have written this note, or this position, to a state. */
  isNote(note: InputNote): boolean;
  isPosition(position: InputPosition): boolean;
}

/** A kind of source that reads a path. */
export interface PathKind extends SourceKind {
  /**
   * The source, if the path is that of one of this kind.
   * @throws FirstseenError E_INPUT when it does not exist or cannot be read.
   */
  look(path: string, options: LookOptions): Promise<Source | undefined>;
}

/** Tells if a position is a number of decompressed bytes. */
export function isByteOffset({ offset }: InputPosition): boolean {
  return isCount(offset);
}

/** The number of bytes of such a position; 0 without a position. */
export function byteOffsetOf(position: InputPosition | undefined): number {
  return (position?.offset as number | undefined) ?? 0;
}

export interface AfterOptions {
  position: InputPosition | undefined;
  /** Bytes after the position that are not a record. */
  bytes: number;
  /** As in `Source.open`. */
  decompressing: Decompressing | undefined;
}

/**
 * Opens an input at a position and passes over the bytes after it that are not a record.
 * @throws FirstseenError as `Source.open`
 */
export async function openAfter(
  source: Source,
  { position, bytes, decompressing }: AfterOptions,
): Promise<InputReader> {
  const reader = await source.open(position, decompressing);
  // A thread that decompresses the input reads only to shared memory.
  const passedBytes = new Uint8Array(new SharedArrayBuffer(bytes));
  try {
    await fill(reader, passedBytes);
    return reader;
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Fills the target as far as there are bytes; returns their number. */
async function fill(reader: ByteReader, target: Uint8Array): Promise<number> {
  let filled = 0;
  for (let read = 1; read > 0 && filled < target.length; filled += read) {
    read = await reader.read(target.subarray(filled));
  }
  return filled;
}

const BYTES_AROUND = 3;

/** The first three bytes of a reader, which is then closed. */
export async function firstBytes(reader: ByteReader): Promise<Uint8Array> {
  const bytes = new Uint8Array(BYTES_AROUND);
  try {
    return bytes.subarray(0, await fill(reader, bytes));
  } finally {
    await reader.close();
  }
}
