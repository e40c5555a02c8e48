// A thread that decompresses the compressed files of a run, one after the other, so that decompression proceeds while the other threads
// work. It starts with the first file, because starting takes as long as decompressing some megabytes.

import { Worker } from 'node:worker_threads';
import { type ErrorData, FirstseenError } from '../../base/errors.js';
import { threadEnded } from '../../base/threadended.js';
import { type ByteReader, type CompressedFile, DamagedInput, type Decompressing } from '../source.js';

/** A request to the thread: to open a file, to read to this memory, or to close the file. */
export type Request = { file: CompressedFile } | { target: Uint8Array } | 'close';

/** The answer of the thread to a request. */
export type Answer =
  | { bytes: number; storedBytes: number }
  | { failure: ErrorData; isDamage: boolean }
  | { error: unknown };

export class DecompressingThread implements Decompressing {
  #worker: Worker | undefined;
  /** Settle the requests in progress, in their order. */
  readonly #pending: ((answer: Answer) => void)[] = [];
  #end: Answer | undefined;

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  /** Errors of opening are those of the first read. */
  open(file: CompressedFile): ByteReader {
    this.#worker ??= this.#start();
    return new FileInThread((request) => this.#ask(request), file);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./decompress.js', import.meta.url));
    worker.on('message', (answer: Answer) => this.#pending.shift()?.(answer));
    worker.on('error', (error) => this.#endWith({ error }));
    worker.on('exit', () => this.#endWith({ error: new Error('the thread that decompresses it ended') }));
    return worker;
  }

  #ask(request: Request): Promise<Answer> {
    if (this.#end) return Promise.resolve(this.#end);
    return new Promise((resolve) => {
      this.#pending.push(resolve);
      this.#worker?.postMessage(request);
    });
  }

  #endWith(end: Answer): void {
    this.#end ??= end;
    for (const settle of this.#pending.splice(0)) settle(this.#end);
  }
}

/** A file that the thread decompresses. */
class FileInThread implements ByteReader {
  readonly #ask: (request: Request) => Promise<Answer>;
  readonly #path: string;
  readonly #opening: Promise<Answer>;
  #storedBytes = 0;

  constructor(ask: (request: Request) => Promise<Answer>, file: CompressedFile) {
    this.#ask = ask;
    this.#path = file.path;
    this.#opening = ask({ file });
  }

  /** @param target shared memory */
  async read(target: Uint8Array): Promise<number> {
    const [opened, answer] = await Promise.all([this.#opening, this.#ask({ target })]);
    this.#check(opened);
    const { bytes, storedBytes } = this.#check(answer);
    this.#storedBytes = storedBytes;
    return bytes;
  }

  storedBytes(): number {
    return this.#storedBytes;
  }

  /** Afterwards the thread does not read the file any more. */
  async close(): Promise<void> {
    await this.#ask('close');
  }

  /** @throws FirstseenError */
  #check(answer: Answer) {
    if ('bytes' in answer) return answer;
    if ('error' in answer) throw threadEnded('', answer.error).at(this.#path);
    const { code, problem, details } = answer.failure;
    throw answer.isDamage ? new DamagedInput(problem, details) : new FirstseenError(code, problem, details);
  }
}
