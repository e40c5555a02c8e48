// A request of a frame, and the answer to it.

import { emptyFrame, type Frame, type FrameHeader, frameError, writeHeader } from './frames.js';
import type { OffsetRoom } from './keys.js';

/** The options of a request, as JSON has them. */
export type JsonObject = Readonly<Record<string, unknown>>;

const [decoder, encoder] = [new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }), new TextEncoder()];

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch (cause) {
    throw frameError(`the body of a frame is not JSON in UTF-8: ${(cause as Error).message}`);
  }
}

/** Reads an object of JSON; an empty body is one without members. @throws FirstseenError E_FRAME for anything else */
export function readJson(body: Uint8Array): JsonObject {
  if (body.length === 0) return {};
  const value = parsed(body);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw frameError('the body of a frame is not an object of JSON');
}

/** A frame with JSON. */
export function jsonFrame(header: FrameHeader, value: object): Uint8Array {
  const bytes = encoder.encode(JSON.stringify(value));
  const { frame, body } = emptyFrame(bytes.length);
  body.set(bytes);
  writeHeader(frame, header);
  return frame;
}

/** Frames that were answered, on their way to the reader. */
export interface AnswerSink {
  add(frame: Uint8Array): void;
  /** Resolves when the reader has taken enough that more can be added. */
  taken(): Promise<void>;
}

/** The parts of a session that requests share: memory that is used again, and the way of their answers. */
export interface RequestContext {
  readonly offsets: OffsetRoom;
  readonly answers: AnswerSink;
}

/** A request: the frame that came, and what it may use. */
export class Request implements FrameHeader {
  readonly kind: number;
  readonly request: number;
  readonly detector: number;
  /** The body, valid until the request first waits. */
  readonly body: Uint8Array;
  readonly context: RequestContext;

  constructor({ kind, request, detector, body }: Frame, context: RequestContext) {
    [this.kind, this.request, this.detector, this.body, this.context] = [kind, request, detector, body, context];
  }

  /** Answers with a body of this length, which `fill` writes. If it throws, nothing is answered. */
  answer(bytes: number, fill: (body: Uint8Array) => void): void {
    const { frame, body } = emptyFrame(bytes);
    fill(body);
    writeHeader(frame, this);
    this.context.answers.add(frame);
  }

  /** Answers with JSON. */
  answerJson(value: object): void {
    this.context.answers.add(jsonFrame(this, value));
  }
}
