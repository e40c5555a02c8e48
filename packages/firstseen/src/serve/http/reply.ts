// How replies are written.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpProblem, problemBody } from './problem.js';
import type { RouteReply } from './route.js';

/** Headers of every reply. */
export const safeHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;
export const PROBLEM_TYPE = 'application/problem+json';

/** JSON, in which a whole number that programs cannot have exactly is a text. */
export function jsonOf(body: object): string {
  const text = JSON.stringify(body, (_key, value) => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  });
  return `${text}\n`;
}

/** Tells if a client has gone before it sent its whole request. It is told nothing. */
export function hasGone({ destroyed, complete }: IncomingMessage): boolean {
  return destroyed && !complete;
}

/** Sends a reply as a whole. */
export function send(
  response: ServerResponse,
  { status, body, type = 'application/json', headers = {} }: RouteReply,
): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.from(body instanceof Uint8Array || typeof body === 'string' ? body : jsonOf(body));
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': bytes.length, ...headers }).end(bytes);
}

/** Sends a problem. @param members what its body has besides */
export function sendProblem(response: ServerResponse, problem: HttpProblem, members: object = {}): void {
  const { status, headers } = problem;
  send(response, { status, body: problemBody(problem, members), type: PROBLEM_TYPE, headers });
}
