// Where frames come from: a descriptor, whose bytes are read to where frames are found, or a stream of chunks, which are copied there.

import { fstatSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import type { Readable } from 'node:stream';

/** The receiver of the bytes of an input. */
export interface InputReceiver {
  /** Returns the memory for the bytes that are read next. */
  room(): Uint8Array;
  /** Takes the bytes that were read into the room. */
  take(bytes: number): void;
  end(): void;
  fail(error: unknown): void;
}

/** An input that is being read. */
export interface PipeInput {
  pause(): void;
  resume(): void;
  close(): void;
}

function listen(stream: Readable, receiver: InputReceiver): PipeInput {
  stream.on('end', () => receiver.end());
  stream.on('error', (error) => receiver.fail(error));
  return {
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    close: () => void stream.destroy(),
  };
}

/** Reads a stream. */
export function readStream(stream: Readable, receiver: InputReceiver): PipeInput {
  stream.on('data', (chunk: Uint8Array) => {
    for (let rest = chunk; rest.length > 0; ) {
      const room = receiver.room();
      const part = rest.subarray(0, room.length);
      room.set(part);
      rest = rest.subarray(part.length);
      receiver.take(part.length);
    }
  });
  return listen(stream, receiver);
}

/** Tells if a descriptor is a pipe or a socket. */
export function isPipe(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isFIFO() || stats.isSocket();
}

/** Reads a pipe or a socket, without memory for each chunk. */
export function readDescriptor(descriptor: number, receiver: InputReceiver): PipeInput {
  // The types of Node have this option of sockets only for those that connect.
  const options: SocketConstructorOpts & { onread: OnReadOpts } = {
    fd: descriptor,
    writable: false,
    onread: {
      buffer: () => receiver.room(),
      callback(bytes) {
        receiver.take(bytes);
        return true;
      },
    },
  };
  const socket = new Socket(options);
  const input = listen(socket, receiver);
  socket.resume();
  return input;
}
