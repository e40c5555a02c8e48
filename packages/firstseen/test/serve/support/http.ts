// A client of HTTP for tests: it sends the bytes that it is given, and reads replies. It knows nothing of the code of the server
// but its openapi.json, with which it compares each reply.

import { once } from 'node:events';
import { type IncomingHttpHeaders, request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type RunningServer, type ServeOptions, serve } from '../../../src/serve/server.js';
import { undescribed } from './described.js';
import { testServer } from './server.js';

export interface HttpReply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The text as JSON. */
  readonly json: Record<string, never>;
}

export interface HttpAsked {
  body?: string | Uint8Array;
  type?: string;
  headers?: Record<string, string>;
}

/** Sends a request on a connection of its own. @throws Error for a reply that openapi.json does not describe */
export function ask(port: number, method: string, path: string, asked: HttpAsked = {}): Promise<HttpReply> {
  const { body, type, headers = {} } = asked;
  const own = type === undefined ? headers : { ...headers, 'Content-Type': type };
  return new Promise((resolve, reject) => {
    const outgoing = send({ port, host: '127.0.0.1', method, path, headers: own, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers: replied } = incoming;
        const differences = undescribed({ method, path }, { status, headers: replied, text });
        if (differences.length > 0) reject(new Error(`${method} ${path}: ${differences.join('; ')}: ${text}`));
        resolve({
          status,
          headers: replied,
          text,
          get json() {
            return JSON.parse(text);
          },
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The status and the code of a problem that was sent as a whole. */
export function problemIn(reply: string): [number, string] {
  const [head, body] = reply.split('\r\n\r\n') as [string, string];
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  if (!/^content-type: application\/problem\+json$/im.test(head) || Buffer.byteLength(body) !== length)
    throw new Error(reply);
  const { status, code } = JSON.parse(body);
  if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(reply);
  return [status, code];
}

/** Sends an object as JSON. */
export function askJson(port: number, method: string, path: string, body: object): Promise<HttpReply> {
  return ask(port, method, path, { body: JSON.stringify(body), type: 'application/json' });
}

/** A connection that gathers what it is sent. */
export class RawClient {
  readonly socket: Socket;
  received = '';
  hasEnded = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.received += text;
      this.#wake();
    });
    socket.on('close', () => {
      this.hasEnded = true;
      this.#wake();
    });
    socket.on('error', () => undefined);
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Waits until what was received matches, or the server has closed the connection. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received) && !this.hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.received;
  }

  /** Waits until the server has closed the connection. */
  async untilEnd(): Promise<string> {
    if (!this.hasEnded) await once(this.socket, 'close');
    return this.received;
  }
}

/** Runs a test with a server of HTTP, and stops it. */
export async function withHttp(
  run: (port: number, server: RunningServer) => Promise<void>,
  options: Partial<ServeOptions> = {},
): Promise<void> {
  const server = await serve({ ...testServer, httpPort: 0, ...options });
  try {
    await run(server.httpPort as number, server);
  } finally {
    await server.close();
  }
}
