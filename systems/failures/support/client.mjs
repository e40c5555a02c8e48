// A client of the protocol of Redis for failure tests: replies are values, errors are instances of Error, and a connection that ends gives
// undefined. It knows nothing of the code of the server.

import { connect } from 'node:net';

export function encoded(words) {
  const parts = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) parts.push(Buffer.from(`$${Buffer.byteLength(word)}\r\n${word}\r\n`));
  return Buffer.concat(parts);
}

/** The reply at an offset as { value, next }; undefined if it is not whole. */
function replyAt(bytes, from) {
  const end = bytes.indexOf('\r\n', from);
  if (end === -1) return undefined;
  const mark = String.fromCharCode(bytes[from]);
  const text = bytes.toString('utf8', from + 1, end);
  const next = end + 2;
  if (mark === '+') return { value: text, next };
  if (mark === '-') return { value: new Error(text), next };
  if (mark === ':') return { value: Number(text), next };
  const count = Number(text);
  if (count < 0) return { value: null, next };
  if (mark === '$') {
    if (bytes.length < next + count + 2) return undefined;
    return { value: bytes.toString('utf8', next, next + count), next: next + count + 2 };
  }
  if (mark !== '*') throw new Error(`a reply begins with ${mark}`);
  const values = [];
  let at = next;
  for (let i = 0; i < count; i++) {
    const item = replyAt(bytes, at);
    if (item === undefined) return undefined;
    values.push(item.value);
    at = item.next;
  }
  return { value: values, next: at };
}

export class Client {
  #bytes = Buffer.alloc(0);
  #waiting = [];
  hasEnded = false;

  constructor(socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.hasEnded = true;
      for (const resolve of this.#waiting.splice(0)) resolve(undefined);
    });
  }

  static open(port) {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' }, () => resolve(new Client(socket)));
      socket.once('error', reject);
    });
  }

  /** The reply to a command; undefined if the connection ends before. */
  send(...words) {
    if (this.hasEnded) return Promise.resolve(undefined);
    this.socket.write(encoded(words));
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close() {
    this.socket.destroy();
  }

  #take(chunk) {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    let at = 0;
    for (let found = replyAt(this.#bytes, at); found && this.#waiting.length > 0; found = replyAt(this.#bytes, at)) {
      this.#waiting.shift()(found.value);
      at = found.next;
    }
    this.#bytes = this.#bytes.subarray(at);
  }
}

/** A reply that is a list of names and values, as a Map. */
export function fieldsOf(reply) {
  return new Map(Array.from({ length: reply.length / 2 }, (_, i) => [reply[2 * i], reply[2 * i + 1]]));
}
