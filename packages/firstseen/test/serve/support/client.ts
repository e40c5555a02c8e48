// A client of the protocol for tests: it sends bytes, and reads replies one by one. It knows nothing of the code of the server.

import { connect, type Socket } from 'node:net';

/** A reply as it was read: errors and lines that are not bulk strings keep their mark. */
export type Read = string | number | boolean | null | Read[] | Map<Read, Read>;

/** A command as an array of bulk strings. */
export function encode(...words: readonly (string | Uint8Array)[]): Buffer {
  const parts = words.flatMap((word) => {
    const bytes = Buffer.from(word);
    return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')];
  });
  return Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...parts]);
}

/** Reads the reply at an offset; undefined if it is not whole. */
function readReply(bytes: Buffer, from: number): { value: Read; next: number } | undefined {
  const end = bytes.indexOf('\r\n', from);
  if (end === -1) return undefined;
  const mark = String.fromCharCode(bytes[from] as number);
  const line = bytes.toString('utf8', from + 1, end);
  const next = end + 2;
  if (mark === '+' || mark === '-') return { value: mark + line, next };
  if (mark === ':') return { value: Number(line), next };
  if (mark === ',') return { value: Number(line), next };
  if (mark === '#') return { value: line === 't', next };
  if (mark === '_') return { value: null, next };
  const count = Number(line);
  if (mark === '$' || mark === '=') {
    if (count === -1) return { value: null, next };
    const value = bytes.toString('utf8', next, next + count);
    return next + count + 2 <= bytes.length ? { value, next: next + count + 2 } : undefined;
  }
  const items: Read[] = [];
  let at = next;
  for (let i = 0; i < (mark === '%' ? 2 * count : count); i++) {
    const item = readReply(bytes, at);
    if (item === undefined) return undefined;
    items.push(item.value);
    at = item.next;
  }
  if (mark === '*') return { value: items, next: at };
  if (mark !== '%') throw new Error(`the reply begins with ${mark}`);
  const pairs = Array.from({ length: count }, (_, i) => [items[2 * i], items[2 * i + 1]] as [Read, Read]);
  return { value: new Map(pairs), next: at };
}

export class Client {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  readonly #waiting: ((reply: Read | undefined) => void)[] = [];
  #hasEnded = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#deliver();
    });
    socket.on('close', () => {
      this.#hasEnded = true;
      this.#deliver();
    });
    socket.on('error', () => undefined);
  }

  static open(port: number): Promise<Client> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' }, () => resolve(new Client(socket)));
      socket.once('error', reject);
    });
  }

  /** The next reply; undefined once the server has closed the connection. */
  next(): Promise<Read | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#deliver();
    });
  }

  async take(count: number): Promise<(Read | undefined)[]> {
    const replies = [];
    for (let i = 0; i < count; i++) replies.push(await this.next());
    return replies;
  }

  send(...words: readonly (string | Uint8Array)[]): Promise<Read | undefined> {
    this.socket.write(encode(...words));
    return this.next();
  }

  close(): void {
    this.socket.destroy();
  }

  #deliver(): void {
    while (this.#waiting.length > 0) {
      const reply = readReply(this.#bytes, 0);
      if (reply === undefined && !this.#hasEnded) return;
      if (reply) this.#bytes = this.#bytes.subarray(reply.next);
      this.#waiting.shift()?.(reply?.value);
    }
  }
}
