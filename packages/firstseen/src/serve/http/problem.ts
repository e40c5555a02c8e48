// Errors as replies: problem details in JSON (RFC 9457), with a code that does not change between releases.

import { STATUS_CODES } from 'node:http';
import { type ErrorCode, FirstseenError, type OptionNaming } from '../../base/errors.js';
import { emptyKey, keys, missingKey, nullKey, onError } from '../../options/records.js';
import type { OptionRow } from '../../options/row.js';
import { FilterFull, MadeForClaims } from '../operations/ask.js';
import { madeForClaimsText, nameInReplies } from '../operations/errortexts.js';

interface ProblemRow {
  readonly status: number;
  readonly when: string;
  readonly remedy: string;
}

/** Errors of requests. Those of detectors have the codes of the library. */
export const problemRows = {
  E_NOT_FOUND: {
    status: 404,
    when: 'the path or the detector does not exist',
    remedy: 'correct the path, or make the detector first',
  },
  E_METHOD: { status: 405, when: 'the path has no such method', remedy: 'use a method that the header Allow lists' },
  E_REQUEST: {
    status: 400,
    when: 'a parameter or the body is not as the route says',
    remedy: 'correct what the message names',
  },
  E_HTTP: {
    status: 400,
    when: 'the bytes are not an HTTP/1.1 request',
    remedy: 'correct what the message names',
  },
  E_HEAD_SIZE: {
    status: 431,
    when: 'the request line and the headers are too long',
    remedy: 'send fewer headers',
  },
  E_HEAD_TIME: {
    status: 408,
    when: 'the request line and the headers take too long',
    remedy: 'send them as a whole',
  },
  E_TOKEN: {
    status: 401,
    when: 'the request has no token, or a wrong one',
    remedy: 'send the header Authorization: Bearer TOKEN',
  },
  E_ROLE: {
    status: 403,
    when: 'the role of the token may not do this',
    remedy: 'use a token of the role that the message names',
  },
  E_ORIGIN: {
    status: 403,
    when: 'the request comes from a page of another site, or is sent to a name that is not of this machine',
    remedy: 'send the request from a program, to the address that the server printed',
  },
  E_EXISTS: {
    status: 409,
    when: 'the detector exists with other options',
    remedy: 'give the same options or another name, or delete it first',
  },
  E_CLAIMS: {
    status: 409,
    when: 'the detector is for claims and the request is not, or the reverse',
    remedy: 'use a route that fits the detector, or another detector',
  },
  E_BODY_SIZE: {
    status: 413,
    when: 'the body is larger than the route takes',
    remedy: 'send less at a time',
  },
  E_BODY_TIME: {
    status: 408,
    when: 'the body takes longer to arrive than a command may',
    remedy: 'send it as a whole',
  },
  E_BODY_TYPE: {
    status: 415,
    when: 'the route does not take the Content-Type of the body',
    remedy: 'send one that the message names',
  },
  E_ID_REUSED: {
    status: 422,
    when: 'an Idempotency-Key was used with other keys',
    remedy: 'give each request a key of its own, and a retry the same records in the same order',
  },
  E_CLIENT_MEMORY: {
    status: 503,
    when: 'requests and replies of all clients together take more memory than they may, and this request takes most of it',
    remedy: 'try again after the time that Retry-After says, or send less at a time',
  },
  E_LOADING: {
    status: 503,
    when: 'the server is reading its data folder',
    remedy: 'try again after the time that Retry-After says',
  },
  E_LOG: {
    status: 507,
    when: 'the log cannot be written, or has no space for this change, which was not made',
    remedy: 'free space on the disk of the data folder',
  },
} as const satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof problemRows;

/** The header of a reply that says when a client may try again. */
export const retryLater = { 'Retry-After': '1' } as const;

/** The status of errors of the library; that of a wrong request for all others. */
const statusOfCode: Partial<Record<ErrorCode, number>> = {
  E_FULL: 507,
  E_OVERLOAD: 507,
  E_CLAIMS_FULL: 503,
  E_STATE_FILE: 507,
  E_OUTPUT: 507,
};

/** A reply in place of what was asked. */
export class HttpProblem extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode | { code: string; status: number },
    detail: string,
    headers: Record<string, string> = {},
  ) {
    super(detail);
    const { status } = typeof code === 'string' ? problemRows[code] : code;
    this.code = typeof code === 'string' ? code : code.code;
    this.status = status;
    this.headers = headers;
  }
}

/** The problem of a client that is ended because all clients together take too much memory. */
export function tooMuchTogether(problem: string): HttpProblem {
  const detail = `${problem}; try again, or send less at a time`;
  return new HttpProblem('E_CLIENT_MEMORY', detail, { Connection: 'close', ...retryLater });
}

/** The names of parameters, by those of the options of records. */
const parameterNames: ReadonlyMap<string, string> = new Map([
  ...[keys, missingKey, emptyKey, nullKey, onError].map((row) => [row.name, parameterNameOf(row)] as const),
  ['maxRecordBytes', 'the limit of records'],
]);

/** The name of the parameter for an option: that of its flag. */
export function parameterNameOf({ flag = '' }: OptionRow): string {
  return flag.slice(flag.indexOf('--') + 2).split(' ')[0] as string;
}

/** The names of options in replies: lower case, as in bodies, those of parameters, and the flags of the server. */
const nameInProblems: OptionNaming = (option) => {
  const parameter = parameterNames.get(option);
  if (parameter !== undefined) return parameter;
  const name = nameInReplies(option);
  return name.startsWith('--') ? name : name.toLowerCase();
};

/** The reply for an error. What no request can cause is thrown again. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof MadeForClaims) return new HttpProblem('E_CLAIMS', madeForClaimsText);
  if (error instanceof FilterFull)
    return new HttpProblem({ code: 'E_FULL', status: 507 }, 'the filter is full, and takes no new items');
  if (!(error instanceof FirstseenError)) throw error;
  return new HttpProblem({ code: error.code, status: statusOfCode[error.code] ?? 400 }, error.render(nameInProblems));
}

/** The body of a problem. */
export function problemBody({ code, status, message }: HttpProblem, members: object = {}): object {
  return { title: STATUS_CODES[status], status, detail: message, code, ...members };
}
