// Answers bytes that are not an HTTP request. `node:http` passes them to no route, and its own answer has no body. The connection is closed.

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpProblem, problemBody } from './problem.js';
import { jsonOf, PROBLEM_TYPE, safeHeaders } from './reply.js';

const CLOSE = { Connection: 'close' };

/** The problem of an error of the parser, by its code. */
function problemFor({ code, reason, message }: NodeJS.ErrnoException & { reason?: string }): HttpProblem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpProblem('E_HEAD_SIZE', 'the request line and the headers are too long; send fewer headers', CLOSE);
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpProblem('E_HEAD_TIME', 'the head of the request takes too long; send it as a whole', CLOSE);
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new HttpProblem('E_BODY_SIZE', 'the extensions of chunks are too long; leave them out', CLOSE);
  }
  return new HttpProblem('E_HTTP', `the bytes are not an HTTP/1.1 request: ${reason ?? message}`, CLOSE);
}

function textOf(problem: HttpProblem): string {
  const { status } = problem;
  const body = jsonOf(problemBody(problem));
  const length = { 'Content-Type': PROBLEM_TYPE, 'Content-Length': Buffer.byteLength(body) };
  const headers = Object.entries({ ...length, ...safeHeaders, ...problem.headers });
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.map((header) => `${header.join(': ')}\r\n`).join('')}\r\n${body}`;
}

/** Answers on connections whose bytes cannot be understood. */
export class Unparsed {
  /** The reply in progress of each connection. */
  readonly #replies = new WeakMap<object, ServerResponse>();
  readonly #answered: (status: number) => void;

  /** @param answered told the status of each answer */
  constructor(answered: (status: number) => void) {
    this.#answered = answered;
  }

  /** Notes that a request is being answered. */
  begin(socket: Duplex, response: ServerResponse): void {
    this.#replies.set(socket, response);
  }

  /** Refuses what follows, for an error of the parser. */
  refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    const reply = this.#replies.get(socket);
    // An answer cannot be sent in the middle of another one, or to a client that has gone.
    const isBusy = reply?.headersSent === true && !reply.writableEnded;
    if (isBusy || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    this.end(socket, problemFor(error));
  }

  /** Sends a problem, and ends the connection. */
  end(socket: Duplex, problem: HttpProblem): void {
    this.#answered(problem.status);
    socket.on('error', () => undefined);
    socket.end(textOf(problem), () => socket.destroy());
  }
}

/** The problem of a method that asks for a tunnel. */
export function noTunnel(): HttpProblem {
  return new HttpProblem('E_METHOD', 'the server is not a proxy, and opens no tunnels; send requests to it directly', {
    ...CLOSE,
    Allow: 'GET, PUT, POST, DELETE',
  });
}
