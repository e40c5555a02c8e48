// Routes that claim keys, and settle claims.

import { randomUUID } from 'node:crypto';
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
} from '../../operations/claimeach.js';
import { type AskedClaim, claimMilliseconds, claimProblems, claimWithin } from '../../operations/claimwithin.js';
import { MAX_TOKEN_BYTES } from '../../store/portions.js';
import { HttpProblem } from '../problem.js';
import type { FieldRow, Route, RouteContext, RouteReply, RouteRequest } from '../route.js';
import { whileWaiting } from '../waits.js';
import { entryOf, notFound } from './detectors.js';

function claimingOf(request: RouteRequest, context: RouteContext): Claiming {
  const entry = entryOf(request, context);
  if (entry.claims) return { entry, claims: entry.claims };
  throw new HttpProblem('E_CLAIMS', 'the detector was not made for claims; make one with {"claims": true}');
}

/** The token of a body as the log has it: a character for each byte. */
function tokenOf({ body }: RouteRequest): string {
  const bytes = Buffer.from(body.token as string);
  if (bytes.length > 0 && bytes.length <= MAX_TOKEN_BYTES) return bytes.toString('latin1');
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
  if (verdict === 'pending')
    return { status: 200, body: { verdict, remainingMilliseconds: Math.ceil(answer.remainingMilliseconds) } };
  const committedAnswer = verdict === 'duplicate' ? answer.answer : undefined;
  return {
    status: 200,
    body: {
      verdict,
      ...(committedAnswer === undefined ? {} : { answer: Buffer.from(committedAnswer as Uint8Array).toString() }),
    },
  };
}

async function claim(request: RouteRequest, context: RouteContext): Promise<RouteReply> {
  const { body, incoming } = request;
  const terms = askedOf(request);
  const key = Buffer.from(body.key as string);
  const client = { whenGone: (callback: () => void) => context.departures.whenGone(incoming.socket, callback) };
  const outcome = claimWithin(claimingOf(request, context), key, terms, client);
  const answer = outcome instanceof Promise ? await whileWaiting(incoming.socket, outcome) : outcome;
  if (answer) return replyOf(answer, terms);
  throw notFound(request);
}

function settling(verb: string, summary: string, settle: SettleEach, more: readonly FieldRow[] = []): Route {
  return {
    method: 'POST',
    path: `/detectors/{name}/${verb}`,
    summary,
    role: 'observe',
    body: { kind: 'json', fields: [keyField, { ...tokenField, isRequired: true }, ...more] },
    replies: { 200: { help: '`{"done": true}`, or false for a token that holds nothing' } },
    run(request, context) {
      const key = Buffer.from(request.body.key as string);
      const token = tokenOf(request);
      const each = {
        holds: (lease: Lease) => lease.token === token,
        answer: request.body.answer as string | undefined,
      };
      return { status: 200, body: { done: settleOne(settle, claimingOf(request, context), key, each) } };
    },
  };
}

const keyField: FieldRow = { name: 'key', type: 'string', isRequired: true, help: 'the key' };
const tokenField: FieldRow = {
  name: 'token',
  type: 'string',
  help: `whose claim it is, of 1 to ${MAX_TOKEN_BYTES} bytes`,
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
        help: '`distinct` with the `token`, `duplicate`, with the `answer` of a commit that was waited for, or `pending` with `remainingMilliseconds`, as the member `verdict`',
      },
    },
    run: claim,
  },
  settling('commit', 'marks the key of a claim seen', commitEach, [
    { name: 'answer', type: 'string', help: 'what clients are told that wait for the key; it is not stored' },
  ]),
  settling('abort', 'releases the key of a claim', abortEach),
  settling('extend', 'renews the lease of a claim', extendEach),
];
