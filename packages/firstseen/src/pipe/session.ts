// Answers the frames of a parent, one after another.

import { defined } from '../base/defined.js';
import { errorCodeOf, FirstseenError } from '../base/errors.js';
import { type Frame, type FrameHeader, MAX_BODY_BYTES, PROTOCOL_VERSION } from './frames.js';
import { HeldDetectors } from './held.js';
import { OffsetRoom } from './keys.js';
import { IncomingSnapshot } from './opened.js';
import { addLoaded, bytes, error as errorRow, hello, kindRows, runnerOf } from './registry.js';
import { type AnswerSink, jsonFrame, Request, type RequestContext } from './request.js';

/** A load whose snapshot comes in frames. */
interface Loading {
  readonly request: Request;
  readonly snapshot: IncomingSnapshot;
}

/** The content of a frame that tells of an error. */
function errorData(error: unknown): object {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof FirstseenError)) return { code: errorCodeOf(error), message };
  const { code, remedy, option, expected } = error;
  return { code, message, ...defined({ remedy, option, expected }) };
}

export class Session {
  readonly #detectors = new HeldDetectors();
  readonly #context: RequestContext;
  #loading: Loading | undefined;

  constructor(answers: AnswerSink) {
    this.#context = { offsets: new OffsetRoom(), answers };
  }

  /** Tells the parent what it talks to. @param version that of the package */
  greet(version: string): void {
    const kinds = Object.fromEntries(kindRows.map(({ name, number }) => [name, number]));
    const content = { program: 'firstseen', protocol: PROTOCOL_VERSION, version, maxBodyBytes: MAX_BODY_BYTES, kinds };
    this.#context.answers.add(jsonFrame({ kind: hello.number, request: 0, detector: 0 }, content));
  }

  /**
   * Answers a frame, also with an error. The next one is for after the promise, if it returns one.
   * @throws what is not an error of a request
   */
  run(frame: Frame): Promise<void> | undefined {
    if (this.#loading) return this.#runWhileLoading(this.#loading, frame);
    return this.#runRequest(new Request(frame, this.#context));
  }

  /** Tells the parent of an error. */
  refuse({ request, detector }: Omit<FrameHeader, 'kind'>, error: unknown): void {
    this.#context.answers.add(jsonFrame({ kind: errorRow.number, request, detector }, errorData(error)));
  }

  /** Ends what is not complete, after the last frame. */
  async finish(): Promise<void> {
    if (this.#loading) await this.#abandon(this.#loading);
  }

  close(): void {
    this.#detectors.closeAll();
  }

  #runRequest(request: Request): Promise<void> | undefined {
    try {
      const running = runnerOf(request.kind)(request, this.#detectors);
      if (!(running instanceof Promise)) return undefined;
      return running.then(
        (snapshot) => {
          if (snapshot instanceof IncomingSnapshot) this.#loading = { request, snapshot };
        },
        (error) => this.#fail(request, error),
      );
    } catch (error) {
      this.#fail(request, error);
      return undefined;
    }
  }

  /** Answers with the error of a request. @throws any other error, after the parent was told */
  #fail(request: FrameHeader, error: unknown): void {
    this.refuse(request, error);
    if (!(error instanceof FirstseenError)) throw error;
  }

  async #runWhileLoading(loading: Loading, frame: Frame): Promise<void> {
    const { request, snapshot } = loading;
    if (frame.kind === bytes.number && frame.request === request.request) {
      if (frame.body.length > 0) return snapshot.add(frame.body);
      this.#loading = undefined;
      return snapshot.end().then(
        (held) => addLoaded(request, this.#detectors, held),
        (error) => this.#fail(request, error),
      );
    }
    const next = new Request({ ...frame, body: frame.body.slice() }, this.#context);
    await this.#abandon(loading);
    return this.#runRequest(next);
  }

  async #abandon({ request, snapshot }: Loading): Promise<void> {
    this.#loading = undefined;
    await snapshot.abandon().catch((error: unknown) => this.#fail(request, error));
  }
}
