// Sockets that read into one buffer. Node makes a buffer of 64 KiB for each read of a socket otherwise, which takes longer than to run a short
// command.

import { Socket, type SocketConstructorOpts } from 'node:net';
import { Duplex } from 'node:stream';

/** The bytes of a read, which are those that Node takes. */
const READ_BYTES = 2 ** 16;

/** A connection of the system as Node has it. A server has no public way to say how the sockets that it accepts read. */
interface Handle {
  useUserBuffer?: unknown;
}

type Accepted = Socket & { _handle?: Handle | null };

/** A connection that was accepted, and that reads into a buffer of others. */
class SharingSocket extends Socket {
  constructor(handle: Handle, buffer: Buffer) {
    const onRead = (length: number): boolean => this.#take(buffer.subarray(0, length));
    const options = { handle, allowHalfOpen: true, onread: { buffer, callback: onRead } };
    super(options as SocketConstructorOpts);
  }

  /** Stops the events, and reads on into the room of the stream, as other sockets do: so the end of a client is seen while it waits. */
  override pause(): this {
    Duplex.prototype.pause.call(this);
    return this;
  }

  /** Passes bytes on. They are valid until the listener returns; bytes that have to wait are copied. @returns false if the stream is full */
  #take(bytes: Buffer): boolean {
    if (this.readableFlowing !== true || this.readableLength > 0) return this.push(Buffer.from(bytes));
    this.emit('data', bytes);
    return true;
  }
}

/**
 * Lets the sockets of a server share a buffer. The server must have the option `pauseOnConnect`. A chunk is valid up to the return of the
 * listener of 'data'. With a Node whose sockets do not have what this needs, each is as the server has made it.
 */
export function sharingReads(accept: (socket: Socket) => void): (socket: Socket) => void {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  return (accepted: Accepted) => {
    const handle = accepted._handle;
    if (typeof handle?.useUserBuffer !== 'function') {
      accept(accepted);
      accepted.resume();
      return;
    }
    accepted._handle = null;
    const socket = new SharingSocket(handle, buffer);
    // The server counts the socket that it has made.
    socket.once('close', () => accepted.destroy());
    accept(socket);
  };
}
