// Checks what a request gives against the row of its route, and where it comes from.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { shownValue } from '../../base/errors.js';
import { repeatedKey } from '../../base/jsonkeys.js';
import { isLoopback } from '../../base/loopback.js';
import { HttpProblem, tooMuchTogether } from './problem.js';
import type { BodyRow, FieldRow, ParameterRow, Route, RouteRequest, WholeLimits } from './route.js';

function wrong(detail: string): HttpProblem {
  return new HttpProblem('E_REQUEST', detail);
}

function checkWord({ name, words = [], kind }: ParameterRow, value: string): string {
  if (kind !== 'word' || words.includes(value)) return value;
  throw wrong(`${name} is ${shownValue(value)}; give one of ${words.join(', ')}`);
}

/** All that a header is given, also where several of a name would be one text with commas. */
function headerOf({ headersDistinct }: IncomingMessage, name: string): readonly string[] {
  return headersDistinct[name.toLowerCase()] ?? [];
}

/**
 * The parameters of a request, with their defaults.
 * @throws HttpProblem E_REQUEST for one that the route does not have, is given twice, or has a wrong value
 */
export function readParameters(
  { parameters = [] }: Route,
  query: URLSearchParams,
  incoming: IncomingMessage,
): RouteRequest['parameters'] {
  const names = parameters.filter((row) => row.in === 'query').map(({ name }) => name);
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const remedy = names.length > 0 ? `use ${names.join(', ')}` : 'leave it out';
    throw wrong(`${shownValue(unknown)} is not a parameter of this path; ${remedy}`);
  }
  const entries = parameters.map((row) => {
    const values = row.in === 'query' ? query.getAll(row.name) : headerOf(incoming, row.name);
    if (row.kind === 'texts') return [row.name, values];
    if (values.length > 1) throw wrong(`${row.name} is given ${values.length} times; give it once`);
    const [value = row.default] = values;
    return [row.name, value === undefined ? undefined : checkWord(row, value)];
  });
  return Object.fromEntries(entries);
}

/** The type of a body without its parameters; undefined if there is none. */
export function bodyTypeOf({ headers }: IncomingMessage): string | undefined {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}

/** @throws HttpProblem E_BODY_TYPE unless the body has one of these types */
export function checkBodyType(incoming: IncomingMessage, types: readonly string[]): string {
  const type = bodyTypeOf(incoming);
  if (type !== undefined && types.includes(type)) return type;
  const problem = type === undefined ? 'has no Content-Type' : `is ${type}`;
  throw new HttpProblem('E_BODY_TYPE', `the body ${problem}; send ${types.join(' or ')}`);
}

/** @throws HttpProblem E_BODY_TYPE for a body that is compressed */
export function refuseCompressed({ headers }: IncomingMessage): void {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity') return;
  throw new HttpProblem('E_BODY_TYPE', 'the body is compressed; send it without Content-Encoding');
}

/** @param onBytes told the bytes that came so far */
async function gathered(
  incoming: IncomingMessage,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A body that is too large is answered, so the connection must not be destroyed.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new HttpProblem('E_BODY_SIZE', `the body has more than ${maxBytes} bytes; send less at a time`);
    chunks.push(chunk);
    onBytes(bytes);
  }
  return Buffer.concat(chunks);
}

function tooSlow(milliseconds: number): HttpProblem {
  const detail = `the body takes more than ${milliseconds} ms; send it as a whole`;
  return new HttpProblem('E_BODY_TIME', detail, { Connection: 'close' });
}

/**
 * The whole body.
 * @throws HttpProblem E_BODY_SIZE for a larger one; E_BODY_TIME for a slower one; E_CLIENT_MEMORY if all clients together take too much
 */
export async function readWhole(incoming: IncomingMessage, limits: WholeLimits): Promise<Buffer> {
  const { bytes, milliseconds, memory } = limits;
  let fail: (problem: HttpProblem) => void = () => undefined;
  const refused = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const timer = setTimeout(() => fail(tooSlow(milliseconds)), milliseconds);
  const user = { endForMemory: (problem: string) => fail(tooMuchTogether(problem)) };
  const reading = gathered(incoming, bytes, (gatheredBytes) => memory.note(user, gatheredBytes));
  // What is refused ends with its connection, and nobody waits for it then.
  const read = reading.finally(() => memory.note(user, 0));
  read.catch(() => undefined);
  try {
    return await Promise.race([read, refused]);
  } finally {
    clearTimeout(timer);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws HttpProblem for bytes that are not UTF-8: replaced, two keys could become one */
function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw wrong('the body is not UTF-8; send keys of other bytes as text/plain, or by the protocol of Redis');
  }
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> {
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(`the body is not JSON: ${(error as Error).message}`);
  }
  const repeated = repeatedKey(text)?.path.join('.');
  if (repeated !== undefined) throw wrong(`the body has ${shownValue(repeated)} twice; leave one of them out`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong('the body is not a JSON object; send one, such as {}');
}

function checkField({ name, type, isRequired }: FieldRow, value: unknown): void {
  if (value === undefined) {
    if (isRequired) throw wrong(`the body has no ${name}; add it`);
    return;
  }
  const types = type.split(' or ');
  if (!types.includes(typeof value)) throw wrong(`${name} is ${shownValue(value)}; give a ${type}`);
  // UTF-8 has no bytes for it, and what takes its place would make two keys one.
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw wrong(`${name} has half of a surrogate pair; leave it out`);
}

function checkFields(fields: readonly FieldRow[], body: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(body).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) {
    throw wrong(
      `${shownValue(unknown)} is not a member of this body; use ${fields.map(({ name }) => name).join(', ')}`,
    );
  }
  for (const field of fields) checkField(field, body[field.name]);
}

/** A body that was read as a whole. */
export interface WholeBody {
  members: RouteRequest['body'];
  /** The bytes that came. */
  bytes: number;
}

/**
 * The members of a JSON body, which may be left out if no member is required.
 * @throws HttpProblem E_BODY_TYPE, E_BODY_SIZE, E_BODY_TIME, E_CLIENT_MEMORY or E_REQUEST
 */
export async function readBody(
  row: BodyRow | undefined,
  incoming: IncomingMessage,
  limits: WholeLimits,
): Promise<WholeBody> {
  if (row === undefined || row.kind === 'stream') return { members: {}, bytes: 0 };
  refuseCompressed(incoming);
  const bytes = await readWhole(incoming, limits);
  const members = bytes.length === 0 ? {} : parsedAs(incoming, bytes);
  if (row.kind === 'json') checkFields(row.fields, members);
  return { members, bytes: bytes.length };
}

function parsedAs(incoming: IncomingMessage, bytes: Buffer): Readonly<Record<string, unknown>> {
  checkBodyType(incoming, ['application/json']);
  return parsed(bytes);
}

/** The host in a header, without its port. */
function hostIn(header: string): string {
  return header.replace(/:\d*$/, '');
}

/** A name that belongs to a stranger can lead to this machine. An address, or the name of this machine, cannot. */
function isOwnHost(header: string | undefined): boolean {
  if (header === undefined) return true;
  const host = hostIn(header);
  return isLoopback(host) || isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

function isOwnOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site === 'cross-site' || site === 'same-site') return false;
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

/**
 * Refuses requests that pages of other sites make a browser send: a server that everybody of this machine may use must not do what such a
 * page says.
 * @param isOpen whether everybody who reaches the server may use it
 * @throws HttpProblem E_ORIGIN for a request that a page of another site has caused
 */
export function checkOrigin(headers: IncomingHttpHeaders, isOpen: boolean): void {
  if (isOpen && !isOwnHost(headers.host)) {
    throw new HttpProblem(
      'E_ORIGIN',
      `the host ${headers.host} is not of this machine; use the address that the server printed`,
    );
  }
  if (isOwnOrigin(headers)) return;
  throw new HttpProblem('E_ORIGIN', 'the request comes from a page of another site; send it from a program');
}
