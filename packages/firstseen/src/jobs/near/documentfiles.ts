// The files that are documents: the list of their paths, how each is read, and which could not be.

import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { listRequest } from '../../io/file/folder.js';
import type { InputRequest } from '../../io/source.js';
import { readDocument, readPipe } from './document.js';
import { checkDocument } from './recognize.js';

const [ZERO, NEWLINE] = ['\0', '\n'];

/** A document: a file, or a pipe or a device, which may be read only once, and may wait. */
export interface DocumentFile {
  path: string;
  isFile: boolean;
}

export interface DocumentFilesOptions {
  maxRecordBytes: number;
  /** True if documents are compared as text. */
  isText: boolean;
  /** True if nobody said that each file is a document. */
  isGuessed: boolean;
}

/** The result of reading a pipe: its bytes, or the error. */
type Outcome = { bytes: Uint8Array } | { error: unknown };

export class DocumentFiles {
  readonly #found: readonly DocumentFile[];
  readonly #options: DocumentFilesOptions;
  /** The contents of pipes and devices that are read next. */
  readonly #outcomes = new Map<string, Outcome>();
  #unread = 0;
  #firstError: FirstseenError | undefined;

  constructor(found: readonly DocumentFile[], options: DocumentFilesOptions) {
    this.#found = found;
    this.#options = options;
  }

  /** The paths as an input. */
  list(name: string, isZeroTerminated: boolean): InputRequest {
    const pipes = this.#found.filter(({ isFile }) => !isFile);
    return listRequest({
      ...{ name, isZeroTerminated },
      paths: this.#found.map(({ path }) => path),
      before: new Map(pipes.map(({ path }) => [path, () => this.#fetch(path)])),
    });
  }

  /**
   * The contents of a document, from its path in the list.
   * @throws FirstseenError as `readDocument`; E_INPUT for a path with a newline in a list of lines, and for what is not a document.
   */
  read(listed: string): Uint8Array {
    if (listed.includes(ZERO)) throw brokenName(listed.replaceAll(ZERO, NEWLINE));
    const bytes = this.#contents(listed);
    if (this.#options.isText) checkDocument(bytes, { path: listed, isGuessed: this.#options.isGuessed });
    return bytes;
  }

  /** Notes a file that was passed on or dropped because it cannot be read as a document. */
  noteUnread(error: FirstseenError): void {
    this.#unread++;
    this.#firstError ??= error;
  }

  /** True if no file of the inputs was compared. */
  get areAllUnread(): boolean {
    return this.#unread === this.#found.length;
  }

  /** Returns a warning that counts the files that were not read; undefined if all were. */
  warning(): FirstseenError | undefined {
    if (!this.#firstError) return undefined;
    const count = formatCounted(this.#unread, 'file');
    const problem = phrase`${count} could not be compared; the first problem: ${this.#firstError.phrase}`;
    return new FirstseenError(this.#firstError.code, problem);
  }

  #contents(path: string): Uint8Array {
    const outcome = this.#outcomes.get(path);
    if (!outcome) return readDocument(path, this.#options.maxRecordBytes);
    this.#outcomes.delete(path);
    if ('error' in outcome) throw outcome.error;
    return outcome.bytes;
  }

  async #fetch(path: string): Promise<void> {
    const outcome: Promise<Outcome> = readPipe(path, this.#options.maxRecordBytes).then(
      (bytes) => ({ bytes }),
      (error: unknown) => ({ error }),
    );
    this.#outcomes.set(path, await outcome);
  }
}

function brokenName(path: string): FirstseenError {
  return new FirstseenError('E_INPUT', `the name of file ${JSON.stringify(path)} contains a newline`, {
    remedy: phrase`give ${optionName('isZeroTerminated')}, or rename it`,
  });
}
