// The contract of an input: where records come from, how it is known again, and how it is read on from a position. The rows
// are in registry.ts.

/** Where a later run reads an input on. Only the kind of input that gave it reads it; to the run it is opaque JSON. */
export type InputPosition = Readonly<Record<string, unknown>>;

/** What is known of an input, so that another one of the same name is not taken for it. */
export interface InputNote {
  path: string;
  /** Whether it can be gone back to. Standard input, pipes and devices cannot. */
  isFile: boolean;
  isCompressed: boolean;
  /** Bytes, as stored, that are known: all that were there when the run began, or what was taken of the input at hand. */
  storedBytes: number;
  /** SHA-256 of the first and the last of them, in hexadecimal. */
  digest: string;
}

export interface InputReader {
  /** Fills `target` from its front; resolves to the bytes read, 0 at the end. The target has to stay as it is meanwhile. */
  read(target: Uint8Array): Promise<number>;
  /** Bytes taken from where the input is stored, compressed if it is; 0 where that is not known. */
  storedBytes(): number;
  close(): Promise<void>;
}

/** How an input compares with what a state says of it: the same, the same with more behind it, or another one. */
export type Comparison = 'same' | 'grown' | 'other';

/** An input as it is before a run. */
export interface Source {
  /** What it is called in messages. */
  readonly name: string;
  /** What it is known by. */
  readonly note: InputNote;
  /** @throws FirstseenError E_INPUT when it cannot be opened, E_COMPRESSION when this Node cannot read it. */
  open(position?: InputPosition): Promise<InputReader>;
  /** The position behind so many decompressed bytes; nothing where it cannot be gone back to. */
  positionAt(offset: number): InputPosition | undefined;
  /** What a later run knows it by, when so many decompressed bytes were taken of it. */
  noteAt(offset: number): Promise<InputNote>;
  compare(known: InputNote): Promise<Comparison>;
  /** The byte before a position and the one behind it, as far as they are there: enough to see a record that was torn. */
  bytesAround(offset: number): Promise<Uint8Array>;
}

/** What a run is asked to read: a path, or a list of documents, each a line with its path. */
export type InputRequest = string | DocumentList;

export interface DocumentList {
  /** What it is called in messages and in the state. */
  name: string;
  paths: readonly string[];
}

export interface LookOptions {
  /** The input holds binary numbers, so its first bytes say nothing of a compression. */
  isBinary: boolean;
}

/** A kind of input, as a row of the registry. */
export interface SourceKind {
  readonly name: string;
  /**
   * The source, when the request is one of this kind.
   * @throws FirstseenError E_INPUT when it is not there or cannot be read.
   */
  look(request: InputRequest, options: LookOptions): Promise<Source | undefined>;
  /** Whether inputs of this kind can have left such a note and such a position in a state. */
  isNote(note: InputNote): boolean;
  isPosition(position: InputPosition): boolean;
}

/** A position of inputs that are read on behind so many decompressed bytes. */
export function isByteOffset({ offset }: InputPosition): boolean {
  return Number.isSafeInteger(offset) && (offset as number) >= 0;
}

/** The bytes of a position that `isByteOffset`; the beginning where there is none. */
export function byteOffsetOf(position: InputPosition | undefined): number {
  return (position?.offset as number | undefined) ?? 0;
}

const BYTES_AROUND = 2;

/** The first two bytes that a reader gives. */
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
