// A parent of a pipe, as docs/PIPE.md describes one, with code of its own.

import { PassThrough, Writable } from 'node:stream';
import { readStream } from '../../../src/pipe/input.js';
import { runPipe } from '../../../src/pipe/pipe.js';

/** The numbers of the kinds, as the protocol has them. */
export const kinds = {
  ...{
    hello: 0,
    create: 1,
    load: 2,
    bytes: 3,
    save: 4,
    observe: 5,
    test: 6,
    claim: 7,
    commit: 8,
    abort: 9,
    extend: 10,
  },
  ...{ stats: 11, advance: 12, clear: 13, close: 14, plan: 15, error: 255 },
} as const;

export interface SentFrame {
  kind: number;
  request: number;
  detector: number;
  body: Buffer;
}

export function frame(
  kind: number,
  body: Uint8Array | object | string = Buffer.alloc(0),
  request = 1,
  detector = 1,
): Buffer {
  const bytes =
    body instanceof Uint8Array
      ? Buffer.from(body)
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const header = Buffer.alloc(16);
  header.writeUInt32LE(bytes.length, 0);
  header.writeUInt16LE(kind, 4);
  header.writeUInt32LE(request, 8);
  header.writeUInt32LE(detector, 12);
  return Buffer.concat([header, bytes]);
}

/** Keys as bytes with offsets of 32 bits. @param first the first offset, as that of a slice of an array of Arrow */
export function keysOf(keys: readonly (string | Uint8Array)[], { form = 0, first = 0 } = {}): Buffer {
  const all = keys.map((key) => Buffer.from(key as string));
  const width = form === 1 || form === 4 ? 8 : 4;
  const offsets = Buffer.alloc((keys.length + 1) * width);
  let at = first;
  for (let i = 0; i <= all.length; i++) {
    if (width === 4) offsets.writeUInt32LE(at, i * 4);
    else offsets.writeBigUInt64LE(BigInt(at), i * 8);
    at += all[i]?.length ?? 0;
  }
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(form, 0);
  prefix.writeUInt32LE(keys.length, 4);
  return Buffer.concat([prefix, offsets, ...all]);
}

export function integersOf(keys: readonly bigint[]): Buffer {
  const body = Buffer.alloc(8 + 8 * keys.length);
  body.writeUInt32LE(2, 0);
  body.writeUInt32LE(keys.length, 4);
  for (const [i, key] of keys.entries()) body.writeBigUInt64LE(key, 8 + 8 * i);
  return body;
}

/** The frames in bytes. */
export function framesIn(bytes: Buffer): SentFrame[] {
  const frames: SentFrame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 16 + bytes.readUInt32LE(at);
    if (end > bytes.length) throw new Error('the answers end in a frame');
    const [kind, request, detector] = [
      bytes.readUInt32LE(at + 4),
      bytes.readUInt32LE(at + 8),
      bytes.readUInt32LE(at + 12),
    ];
    frames.push({ kind, request, detector, body: bytes.subarray(at + 16, end) });
    at = end;
  }
  return frames;
}

/** The content of a frame that has to be there. */
export function jsonOf(sent: SentFrame | undefined) {
  return JSON.parse(bodyOf(sent).toString());
}

export function bodyOf(sent: SentFrame | undefined): Buffer {
  if (!sent) throw new Error('there are fewer answers');
  return sent.body;
}

/** Answers chunks, and ends. @returns the frames after the first one, and the error that ended it */
export async function answersTo(
  chunks: Iterable<Uint8Array>,
): Promise<{ answers: SentFrame[]; hello: SentFrame; error: unknown }> {
  const input = new PassThrough();
  const written: Buffer[] = [];
  const output = new Writable({
    write(chunk, _encoding, callback) {
      written.push(Buffer.from(chunk));
      callback();
    },
  });
  const running = runPipe({
    read: (receiver) => readStream(input, receiver),
    output,
    version: '1.2.3',
    signal: new AbortController().signal,
  });
  for (const chunk of chunks) input.write(chunk);
  input.end();
  const error = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const [hello, ...answers] = framesIn(Buffer.concat(written));
  return { answers, hello: hello as SentFrame, error };
}
