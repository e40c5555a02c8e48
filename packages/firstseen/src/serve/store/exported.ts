// What the note of a snapshot says, by which another server goes on with the detector: what it was made from, the requests that are
// remembered, and the claims. Each line of the note is JSON, so that a long note is read and written in short steps.

import { FirstseenError } from '../../base/errors.js';
import { runInTurns, type Steps } from '../../base/steps.js';
import { joinBytes } from '../../base/utf8.js';
import { brokenSnapshot, USE_WRITER } from '../../snapshot/frame.js';
import { MAX_TOKEN_BYTES, type Portion, portionsOf } from './portions.js';
import { type DetectorRequest, jsonText, RANDOM_SECRET, writableRequest } from './request.js';
import { MAX_ID_BYTES, MAX_REQUEST_KEYS, REMEMBERED_REQUESTS } from './requestids.js';

/** The description of a detector, besides its snapshot. */
export interface Exported extends Portion {
  request: DetectorRequest;
}

/** The version of the note. */
const VERSION = 1;
/** The member of the first line that has the version. */
const MARK = 'server';

const LINE_ITEMS = 2 ** 10;
const NEWLINE = 10;
/** The most characters of what a detector was made from. */
export const MAX_REQUEST_CHARACTERS = 2 ** 16;

function lineOf(value: object): Uint8Array {
  return new TextEncoder().encode(`${jsonText(value)}\n`);
}

function* encodeInSteps({ request, ...items }: Exported): Steps<Uint8Array> {
  const lines = [lineOf({ [MARK]: VERSION, request: writableRequest(request) })];
  for (const portion of portionsOf(items, LINE_ITEMS)) {
    lines.push(lineOf(portion));
    yield;
  }
  return joinBytes(lines);
}

/** The note for a detector. */
export function encodeExported(exported: Exported): Promise<Uint8Array> {
  return runInTurns(encodeInSteps(exported));
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => Number.isFinite(value) && (value as number) > 0;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text of this form. */
const isLike = (form: RegExp, most: number): Check => {
  return (value) => typeof value === 'string' && value.length <= most && form.test(value);
};
const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

function hasMembers(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  return isObject(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
}

/** The members of options that the server reads itself. The detector is made from the settings of the snapshot. */
const optionChecks: Readonly<Record<string, Check>> = {
  fpr: isOptional((value) => isNumber(value) && (value as number) < 1),
  secret: isOptional((value) => value === RANDOM_SECRET),
  fingerprint: isOptional(isText),
};

const requestChecks: Readonly<Record<string, Check>> = {
  options: (value) => hasMembers(value, optionChecks),
  filter: isOptional((value) =>
    hasMembers(value, { capacity: isNumber, errorRate: isNumber, isNonScaling: (is) => typeof is === 'boolean' }),
  ),
  claims: isOptional((value) =>
    hasMembers(value, { leaseMilliseconds: isOptional(isNumber), pending: isOptional(isNumber) }),
  ),
};

function isRequest(value: unknown): value is DetectorRequest {
  return hasMembers(value, requestChecks) && JSON.stringify(value).length <= MAX_REQUEST_CHARACTERS;
}

const DIGITS = /^\d+$/;
const MAX_DIGITS = 20;

const itemChecks = {
  requests: {
    id: isLike(/./s, MAX_ID_BYTES),
    keys: isLike(DIGITS, MAX_DIGITS),
    answers: isLike(/^[A-Za-z0-9+/]*={0,2}$/, Math.ceil(MAX_REQUEST_KEYS / 8 / 3) * 4),
  },
  held: {
    fingerprint: isLike(DIGITS, MAX_DIGITS),
    token: isOptional(isLike(/./s, MAX_TOKEN_BYTES)),
    leaseMilliseconds: isNumber,
    expiresAtMilliseconds: isNumber,
  },
} as const satisfies Record<keyof Portion, Readonly<Record<string, Check>>>;

function isPortion(value: unknown): value is Portion {
  const areItems = (kind: keyof Portion) => (items: unknown) =>
    Array.isArray(items) && items.every((item) => hasMembers(item, itemChecks[kind]));
  return hasMembers(value, { requests: areItems('requests'), held: areItems('held') });
}

function* linesOf(note: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < note.length; ) {
    const newlineAt = note.indexOf(NEWLINE, at);
    const end = newlineAt === -1 ? note.length : newlineAt;
    yield note.subarray(at, end);
    at = end + 1;
  }
}

function parsed(line: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(line));
  } catch {
    return undefined;
  }
}

/**
 * Returns the request in the first line; undefined for the note of something else.
 * @throws FirstseenError E_SNAPSHOT
 */
function requestIn(line: Uint8Array | undefined): DetectorRequest | undefined {
  const head = parsed(line);
  if (!isObject(head) || head[MARK] === undefined) return undefined;
  if (head[MARK] !== VERSION) {
    const problem = `the note of the snapshot has version ${head[MARK]}, but this version of firstseen reads ${VERSION}`;
    throw new FirstseenError('E_SNAPSHOT', problem, { remedy: USE_WRITER });
  }
  if (isRequest(head.request)) return head.request;
  throw brokenSnapshot('its note does not say what the detector was made from');
}

function* decodeInSteps(note: Uint8Array): Steps<Exported> {
  const lines = linesOf(note);
  const request = requestIn(lines.next().value as Uint8Array | undefined);
  const exported: Exported = { request: request ?? { options: {} }, requests: [], held: [] };
  if (request === undefined) return exported;
  for (const line of lines) {
    const portion = parsed(line);
    if (!isPortion(portion)) throw brokenSnapshot('its note has requests or claims that are not valid');
    for (const one of portion.requests) exported.requests.push(one);
    for (const one of portion.held) exported.held.push(one);
    yield;
  }
  if (exported.requests.length <= REMEMBERED_REQUESTS) return exported;
  throw brokenSnapshot(`its note has ${exported.requests.length} requests`);
}

/**
 * Decodes a note. A snapshot of a program or of a run says nothing of a server: no options were asked for, and nothing
 * is held.
 * @throws FirstseenError E_SNAPSHOT for a note that no server writes.
 */
export function decodeExported(note: Uint8Array): Promise<Exported> {
  return runInTurns(decodeInSteps(note));
}
