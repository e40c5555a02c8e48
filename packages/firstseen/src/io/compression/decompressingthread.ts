// A compressed file that is decompressed in a thread of its own, so that decompression proceeds while the other threads work.

import { Worker } from 'node:worker_threads';
import { type ErrorData, FirstseenError, threadEnded } from '../../base/errors.js';
import type { ByteReader } from '../source.js';
import type { CompressedFile } from './compressed.js';

/** What the thread answers to a request, which is the memory to read to. */
export type Answer = { bytes: number; storedBytes: number } | { failure: ErrorData } | { error: unknown };

export class DecompressingThread implements ByteReader {
  readonly #worker: Worker;
  readonly #path: string;
  #storedBytes = 0;
  /** Settles the request in progress. */
  #answer: (answer: Answer) => void = () => undefined;
  #end: Answer | undefined;

  /** Begins to read what was opened. Errors of the thread are those of the first read. */
  constructor(file: CompressedFile) {
    this.#path = file.path;
    this.#worker = new Worker(new URL('./decompress.js', import.meta.url), { workerData: file });
    this.#worker.on('message', (answer: Answer) => this.#answer(answer));
    this.#worker.on('error', (error) => this.#endWith({ error }));
    this.#worker.on('exit', () => this.#endWith({ error: new Error('the thread that decompresses it ended') }));
  }

  /** @param target shared memory */
  async read(target: Uint8Array): Promise<number> {
    const answer = await this.#request(target);
    if ('bytes' in answer) {
      this.#storedBytes = answer.storedBytes;
      return answer.bytes;
    }
    if ('error' in answer) {
      throw threadEnded('', answer.error).at(this.#path);
    }
    const { code, problem, details } = answer.failure;
    throw new FirstseenError(code, problem, details);
  }

  storedBytes(): number {
    return this.#storedBytes;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #request(target: Uint8Array): Promise<Answer> {
    if (this.#end) return Promise.resolve(this.#end);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#worker.postMessage(target);
    });
  }

  #endWith(end: Answer): void {
    this.#end ??= end;
    this.#answer(this.#end);
  }
}
