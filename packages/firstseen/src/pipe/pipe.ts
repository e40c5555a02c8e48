// Frames from a stream are answered on another one. Nothing more is read while a request takes time, or while answers are not taken.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { formatCounted } from '../base/count.js';
import type { FirstseenError } from '../base/errors.js';
import { outputError, STANDARD_OUTPUT } from '../io/sink.js';
import { inputError } from '../io/system/inputerror.js';
import { STANDARD_STREAM } from '../io/system/paths.js';
import { type Frame, FrameBuffer, frameError } from './frames.js';
import type { InputReceiver, PipeInput } from './input.js';
import type { AnswerSink } from './request.js';
import { Session } from './session.js';

/** Bytes of answers after which they are written, so that many frames do not gather them all. */
const WRITTEN_BYTES = 2 ** 16;

export interface PipeOptions {
  /** Begins to read the input. */
  read: (receiver: InputReceiver) => PipeInput;
  output: Writable;
  /** The version of the package, which the parent is told. */
  version: string;
  /** Ends the pipe when the request in progress is answered. */
  signal: AbortSignal;
}

/** Answers that are written together. */
class Answers implements AnswerSink {
  readonly #output: Writable;
  readonly #signal: AbortSignal;
  #frames: Uint8Array[] = [];
  bytes = 0;

  constructor({ output, signal }: Pick<PipeOptions, 'output' | 'signal'>) {
    [this.#output, this.#signal] = [output, signal];
  }

  add(frame: Uint8Array): void {
    this.#frames.push(frame);
    this.bytes += frame.length;
  }

  /** @throws the error of the output, and that of the signal, which ends a request that waits for a reader */
  async taken(): Promise<void> {
    this.write();
    if (this.#output.writableNeedDrain) await once(this.#output, 'drain', { signal: this.#signal });
  }

  write(): void {
    if (this.bytes === 0) return;
    const [first] = this.#frames;
    const bytes = this.#frames.length === 1 ? (first as Uint8Array) : Buffer.concat(this.#frames, this.bytes);
    [this.#frames, this.bytes] = [[], 0];
    this.#output.write(bytes);
  }
}

/** A pipe between a parent and its detectors. */
class Pipe implements InputReceiver {
  readonly #options: PipeOptions;
  readonly #frames = new FrameBuffer();
  readonly #answers: Answers;
  readonly #session: Session;
  readonly #settle: (error?: unknown) => void;
  #input: PipeInput | undefined;
  /** True if a request takes time. */
  #isAnswering = false;
  /** True if the input has ended. */
  #hasEnded = false;
  #isClosed = false;

  constructor(options: PipeOptions, settle: (error?: unknown) => void) {
    this.#options = options;
    this.#settle = settle;
    this.#answers = new Answers(options);
    this.#session = new Session(this.#answers);
  }

  begin(): void {
    const { read, output, version, signal } = this.#options;
    output.on('error', (error) => this.#close(outputError(STANDARD_OUTPUT, error)));
    output.on('drain', () => this.#work());
    signal.addEventListener('abort', () => this.#work());
    this.#session.greet(version);
    this.#answers.write();
    this.#input = read(this);
  }

  room(): Uint8Array {
    return this.#frames.room();
  }

  take(bytes: number): void {
    this.#frames.filled(bytes);
    this.#work();
  }

  end(): void {
    this.#hasEnded = true;
    this.#work();
  }

  fail(error: unknown): void {
    this.#close(inputError(STANDARD_STREAM, error));
  }

  /** Answers frames until none is whole, or one waits. */
  #work(): void {
    if (this.#isClosed || this.#isAnswering) return;
    const { output, signal } = this.#options;
    try {
      while (!this.#isWaiting && this.#answerNext()) if (this.#answers.bytes >= WRITTEN_BYTES) this.#answers.write();
    } catch (error) {
      this.#close(error);
      return;
    }
    this.#answers.write();
    if (this.#isAnswering) this.#input?.pause();
    else if (signal.aborted) this.#close();
    else if (output.writableNeedDrain) this.#input?.pause();
    else if (this.#hasEnded) this.#finish();
    else this.#input?.resume();
  }

  get #isWaiting(): boolean {
    const { output, signal } = this.#options;
    return this.#isAnswering || output.writableNeedDrain || signal.aborted;
  }

  /** Answers the next frame. @returns false if none is whole. @throws FirstseenError E_FRAME for bytes that are not frames */
  #answerNext(): boolean {
    const frame = this.#nextFrame();
    if (!frame) return false;
    const running = this.#session.run(frame);
    if (running) this.#waitFor(running);
    return true;
  }

  #nextFrame(): Frame | undefined {
    try {
      return this.#frames.next();
    } catch (error) {
      this.#refusePartial(error);
      throw error;
    }
  }

  #waitFor(running: Promise<void>): void {
    this.#isAnswering = true;
    running.then(
      () => {
        this.#isAnswering = false;
        this.#work();
      },
      (error) => this.#close(error),
    );
  }

  /** Ends after the last frame. */
  #finish(): void {
    this.#isAnswering = true;
    this.#session.finish().then(
      () => this.#close(this.#cutError()),
      (error) => this.#close(error),
    );
  }

  /** The error for an input that ends in a frame. The parent is told. */
  #cutError(): FirstseenError | undefined {
    const { partialBytes } = this.#frames;
    if (partialBytes === 0) return undefined;
    const error = frameError(`the input ends after ${formatCounted(partialBytes, 'byte')} of a frame`);
    this.#refusePartial(error);
    return error;
  }

  #refusePartial(error: unknown): void {
    this.#session.refuse(this.#frames.partial ?? { request: 0, detector: 0 }, error);
  }

  /** Ends the pipe. What was answered is written as far as its reader takes it. */
  #close(error?: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#answers.write();
    this.#session.close();
    this.#input?.close();
    // What failed because of the signal is not an error.
    this.#settle(this.#options.signal.aborted ? undefined : error);
  }
}

/**
 * Answers frames until the input ends, or the signal aborts.
 * @throws FirstseenError E_FRAME when the input is not frames, or ends in one; E_INPUT and E_OUTPUT when it cannot be read or written;
 * OutputClosed when nobody reads the answers
 */
export function runPipe(options: PipeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    new Pipe(options, (error) => (error === undefined ? resolve() : reject(error))).begin();
  });
}
