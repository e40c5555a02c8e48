// The contract of an input: where records come from, how a later run recognizes it, and how it continues from a position. The
// rows are in registry.ts.

import { FirstseenError } from '../base/errors.js';
import type { ReadEdges } from './file/readedges.js';
import type { ParquetDescription } from './parquet/file.js';

/** The position from which a later run continues an input. Only its kind of input reads it; the run treats it as opaque JSON. */
export type InputPosition = Readonly<Record<string, unknown>>;

/** The identity of an input, so that another input of the same name is not mistaken for it. */
export interface InputNote {
  path: string;
  /** The absolute path without symbolic links, if the input is a file. */
  realPath?: string;
  /** The device and inode of a file, which remain when it is renamed. */
  inode?: string;
  /** Whether the input can be reread. Standard input, pipes and devices cannot. */
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
}

/** How far an input has been read. */
export interface ReadNote {
  /** The input up to that point. */
  readonly input: InputNote;
  /** Bytes processed, after decompression. */
  readonly offset: number;
  /** Lines processed, or records of a format without lines. */
  readonly lines: number;
  /** The position from which a later run continues; undefined if the input cannot be reread. */
  readonly position: InputPosition | undefined;
  /** Whether the input was read to its end. */
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

export interface InputReader {
  /** Fills `target` from its start; resolves to the bytes read, 0 at the end. `target` must not change meanwhile. */
  read(target: Uint8Array): Promise<number>;
  /** Bytes read as stored, before decompression; 0 if unknown. */
  storedBytes(): number;
  /** Whether the rest of the last record is elsewhere, or is read again, after a read of 0 bytes. */
  readonly isContinued?: boolean;
  /** What has been read, by which the file is recognized. Absent where positions are not those of a file. */
  readonly edges?: ReadEdges;
  close(): Promise<void>;
}

/** How an input compares with its note in a state: the same, the same with more appended, or another one. */
export type InputComparison = 'same' | 'grown' | 'other';

/** A file that log rotation has made of an input. */
export interface RotatedFile {
  readonly path: string;
  readonly inode: string;
  readonly storedBytes: number;
  readonly modifiedMilliseconds: number;
  /** Whether its name is one that log rotation gives. Otherwise it was found by its inode. */
  readonly isRecognized: boolean;
  /**
   * Inspects it, also if it has been renamed meanwhile; undefined if it cannot be read.
   * @throws InputReplaced when it is gone
   */
  look(): Promise<Source | undefined>;
  /** Whether its content is the beginning of another file, as that of a copy that was made of a log. */
  isBeginningOf(log: InputNote): Promise<boolean>;
}

/** An input, inspected before a run. */
export interface Source {
  /** Its name in messages. */
  readonly name: string;
  /** Its identity. */
  readonly note: InputNote;
  /** Whether its last record may be unfinished, because something still writes to it. */
  readonly mayGrow: boolean;
  /** What the file says about itself, if it is Parquet. */
  readonly parquet?: ParquetDescription;
  /**
   * @param isBeside whether the input is decompressed in a thread of its own, if it is a long compressed file; its reader then reads
   * only to shared memory. False by default.
   * @throws FirstseenError E_INPUT when it cannot be opened, E_COMPRESSION when this version of Node cannot decompress it
   */
  open(position?: InputPosition, isBeside?: boolean): Promise<InputReader>;
  /** The position after a number of decompressed bytes; undefined if the input cannot be reread. */
  positionAt(offset: number): InputPosition | undefined;
  /** The note by which a later run recognizes it, when a number of decompressed bytes have been processed. */
  noteAt(offset: number): Promise<InputNote>;
  compare(known: InputNote): Promise<InputComparison>;
  /** Whether a note is of this input, or of a file that log rotation has made of it, as far as names show. Absent without names. */
  readonly isSameLog?: (known: InputNote) => boolean;
  /**
   * The files that log rotation has made of this input, the oldest first: those whose names show it, and those with these inodes.
   * Absent if that never happens.
   */
  readonly rotated?: (inodes?: ReadonlySet<string>) => Promise<readonly RotatedFile[]>;
  /** The paths of files that were written to after a time and may be rotated files of this input, although no pattern names them. */
  readonly unrecognized?: (sinceMilliseconds: number) => Promise<readonly string[]>;
  /** Whether its reader has ended because its log was rotated, so that more is to be read of the log. Absent if that never happens. */
  readonly isRotated?: () => boolean;
  /** The log as it is now. @throws FirstseenError E_INPUT when there is none. */
  readonly lookAgain?: () => Promise<Source>;
  /** The byte before a position and two bytes after it, if they exist: enough to detect a torn record. */
  bytesAround(offset: number): Promise<Uint8Array>;
}

/** An input of a run: a path, or a list of documents, which is read as one line per path. */
export type InputRequest = string | DocumentList;

export interface DocumentList {
  /** Its name in messages and in the state. */
  name: string;
  paths: readonly string[];
}

/** Which inputs are Parquet: those whose names say so, all or none. */
export type ParquetInputs = 'named' | 'always' | 'never';

export interface LookOptions {
  /** Whether the input holds binary numbers, so that its first bytes do not show whether it is compressed. */
  isBinary: boolean;
  /** `never` by default. */
  parquet?: ParquetInputs;
}

/** A kind of input: a row of the registry. */
export interface SourceKind {
  readonly name: string;
  /**
   * The source, if the request is of this kind.
   * @throws FirstseenError E_INPUT when it does not exist or cannot be read.
   */
  look(request: InputRequest, options: LookOptions): Promise<Source | undefined>;
  /** Whether an input of this kind can have written this note, or this position, to a state. */
  isNote(note: InputNote): boolean;
  isPosition(position: InputPosition): boolean;
}

/** Whether a position is a number of decompressed bytes. */
export function isByteOffset({ offset }: InputPosition): boolean {
  return Number.isSafeInteger(offset) && (offset as number) >= 0;
}

/** The number of bytes of such a position; 0 without a position. */
export function byteOffsetOf(position: InputPosition | undefined): number {
  return (position?.offset as number | undefined) ?? 0;
}

const BYTES_AROUND = 3;

/** The first three bytes of a reader, which is then closed. */
export async function firstBytes(reader: InputReader): Promise<Uint8Array> {
  const bytes = new Uint8Array(BYTES_AROUND);
  try {
    let filled = 0;
    for (let read = 1; read > 0 && filled < bytes.length; filled += read) {
      read = await reader.read(bytes.subarray(filled));
    }
    return bytes.subarray(0, filled);
  } finally {
    await reader.close();
  }
}
