// Routes that claim keys, and settle claims.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { shownValue } from '../../../base/errors.js';
import { isLease, type Lease } from '../../../claims/lease.js';
import {
  abortEach,
  type Claiming,
  commitEach,
  extendEach,
  type SettleEach,
  settleOne,
  type Taken,
} from '../../commands/claimeach.js';
import { type AskedClaim, claimMilliseconds, claimProblems, claimWithin } from '../../commands/claims.js';
import { MOST_TOKEN_BYTES } from '../../store/portions.js';
import { HttpProblem } from '../problem.js';
import type { FieldRow, Route, RouteContext, RouteReply, RouteRequest } from '../route.js';
import { entryOf, notFound } from './detectors.js';

function claimingOf(request: RouteRequest, context: RouteContext): Claiming {
  const entry = entryOf(request, context);
  if (entry.claims) return { entry, claims: entry.claims };
  throw new HttpProblem('E_CLAIMS', 'the detector was not made for claims; make one with {"claims": true}');
}

/** The token of a body as the log has it: a character for each byte. */
function tokenOf({ body }: RouteRequest): string {
  const bytes = Buffer.from(body.token as string);
  if (bytes.length > 0 && bytes.length <= MOST_TOKEN_BYTES) return bytes.toString('latin1');
  throw new HttpProblem('E_REQUEST', claimProblems.token);
}

function timeOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const time = claimMilliseconds(String(value));
  if (time !== undefined) return time;
  throw new HttpProblem('E_REQUEST', `${claimProblems.time}; ${shownValue(value)} was given`);
}

function askedOf(request: RouteRequest): AskedClaim {
  const { token, lease, wait } = request.body;
  return {
    token: token === undefined ? randomUUID() : tokenOf(request),
    leaseMilliseconds: timeOf(lease),
    waitMilliseconds: timeOf(wait) ?? 0,
  };
}

function replyOf(answer: Taken, { token }: AskedClaim): RouteReply {
  if (isLease(answer)) {
    return { status: 200, body: { verdict: 'distinct', token: Buffer.from(token, 'latin1').toString() } };
  }
  const { verdict } = answer;
  if (verdict !== 'pending') return { status: 200, body: { verdict } };
  return { status: 200, body: { verdict, remainingMilliseconds: Math.ceil(answer.remainingMilliseconds) } };
}

/** A client that waits for a claim sends nothing meanwhile, so its connection is not idle. */
async function whileWaiting<Result>({ socket }: IncomingMessage, work: Result | Promise<Result>): Promise<Result> {
  if (!(work instanceof Promise)) return work;
  const { timeout = 0 } = socket;
  socket.setTimeout(0);
  try {
    return await work;
  } finally {
    socket.setTimeout(timeout);
  }
}

async function claim(request: RouteRequest, context: RouteContext): Promise<RouteReply> {
  const { body, incoming } = request;
  const asked = askedOf(request);
  const key = Buffer.from(body.key as string);
  const client = { whenGone: (callback: () => void) => context.departures.whenGone(incoming.socket, callback) };
  const answer = await whileWaiting(incoming, claimWithin(claimingOf(request, context), key, asked, client));
  if (answer) return replyOf(answer, asked);
  throw notFound(request);
}

function settling(verb: string, summary: string, settle: SettleEach): Route {
  return {
    method: 'POST',
    path: `/detectors/{name}/${verb}`,
    summary,
    role: 'observe',
    body: { kind: 'json', fields: [keyField, { ...tokenField, isRequired: true }] },
    replies: { 200: { help: '`{"done": true}`, or false for a token that holds nothing' } },
    run(request, context) {
      const key = Buffer.from(request.body.key as string);
      const token = tokenOf(request);
      const holds = (lease: Lease) => lease.token === token;
      return { status: 200, body: { done: settleOne(settle, claimingOf(request, context), key, holds) } };
    },
  };
}

const keyField: FieldRow = { name: 'key', type: 'string', isRequired: true, help: 'the key' };
const tokenField: FieldRow = {
  name: 'token',
  type: 'string',
  help: `whose claim it is, of 1 to ${MOST_TOKEN_BYTES} bytes`,
};

export const claimRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/detectors/{name}/claim',
    summary: 'claims a key for a while',
    role: 'observe',
    body: {
      kind: 'json',
      fields: [
        keyField,
        { ...tokenField, help: `${tokenField.help}; the server makes one if it is left out` },
        {
          name: 'lease',
          type: 'number or string',
          help: 'how long the claim holds the key: milliseconds, or such as `30s`',
        },
        {
          name: 'wait',
          type: 'number or string',
          help: 'how long the reply may wait for a key that another claim holds',
        },
      ],
    },
    replies: {
      200: {
        help: '`distinct` with the `token`, `duplicate`, or `pending` with `remainingMilliseconds`, as the member `verdict`',
      },
    },
    run: claim,
  },
  settling('commit', 'marks the key of a claim seen', commitEach),
  settling('abort', 'releases the key of a claim', abortEach),
  settling('extend', 'begins the lease of a claim again', extendEach),
];
