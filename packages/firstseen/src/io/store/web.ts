// Resources of the web as objects that are read: by HTTP, in ranges where the server has them.

import { once } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { kindOfStatus, type ObjectStatus, type RangeRequest, type ReadableStore, StoreFailure } from './contract.js';
import type { WebAddress } from './name.js';

const MAX_REDIRECTS = 10;
const OK = 200;
const PARTIAL_CONTENT = 206;
const RANGE_NOT_SATISFIABLE = 416;
const MILLISECONDS = 1000;

interface WebRequest {
  address: Pick<WebAddress, 'url' | 'authorization'>;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/** The failure of a connection. Its code says what happened; a message of the system may have an address with a query. */
function connectionFailure(cause: unknown): StoreFailure {
  const { code, message } = cause as NodeJS.ErrnoException;
  const isTrust = code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code);
  const problem = isTrust
    ? `the certificate of the server is not trusted (${code})`
    : `the connection failed (${code ?? message})`;
  return new StoreFailure(isTrust ? 'refused' : 'temporary', problem);
}

async function answerTo({ address: { url, authorization }, headers, signal }: WebRequest): Promise<IncomingMessage> {
  const { request } = url.protocol === 'http:' ? await import('node:http') : await import('node:https');
  const options = {
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
    signal,
  };
  const asking: ClientRequest = request(url, options);
  // After the answer, its stream reports what fails.
  asking.on('error', () => undefined);
  asking.end();
  try {
    const [answer] = (await once(asking, 'response', { signal })) as [IncomingMessage];
    return answer;
  } catch (cause) {
    signal.throwIfAborted();
    throw connectionFailure(cause);
  }
}

/** The place to which an answer redirects; undefined if it does not. */
function redirectionOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return undefined;
  if (!URL.canParse(location, from)) throw new StoreFailure('refused', 'the server redirects to no address');
  return new URL(location, from);
}

/** The answer after all redirections. Only the host that was named gets the user and password. */
async function followedAnswer(webRequest: WebRequest): Promise<IncomingMessage> {
  let { address } = webRequest;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await answerTo({ ...webRequest, address });
    const url = redirectionOf(answer, address.url);
    if (!url) return answer;
    answer.destroy();
    const isSameHost = url.origin === address.url.origin;
    if (address.url.protocol === 'https:' && url.protocol !== 'https:') {
      throw new StoreFailure('refused', 'the server redirects from https to an address without encryption');
    }
    address = isSameHost ? { ...address, url } : { url };
  }
  throw new StoreFailure('refused', `the server redirects more than ${MAX_REDIRECTS} times`);
}

/** The text that changes with the content, as the headers have it. */
function versionOf({ etag, 'last-modified': modified }: IncomingHttpHeaders): string | undefined {
  return etag ?? modified;
}

function conditionOf(version: string | undefined): Record<string, string> {
  if (version === undefined || version.startsWith('W/')) return {};
  return version.startsWith('"') ? { 'if-match': version } : { 'if-unmodified-since': version };
}

/** The bytes of a resource of which a part was sent; undefined if the header does not say it. */
function totalBytes({ 'content-range': range = '' }: IncomingHttpHeaders): number | undefined {
  const total = /^bytes (?:\d+-\d+|\*)\/(\d+)$/.exec(range)?.[1];
  return total === undefined ? undefined : Number(total);
}

function firstByteOf({ 'content-range': range = '' }: IncomingHttpHeaders): number | undefined {
  const first = /^bytes (\d+)-/.exec(range)?.[1];
  return first === undefined ? undefined : Number(first);
}

function failureOf(answer: IncomingMessage): StoreFailure {
  answer.destroy();
  const { statusCode = 0 } = answer;
  return new StoreFailure(kindOfStatus(statusCode), `the server answers ${statusCode}`);
}

/** Headers that ask for the bytes as they are stored. In another encoding, ranges would be those of other bytes. */
const asStored = { 'accept-encoding': 'identity', 'user-agent': 'firstseen' };

function modifiedIn(modified: string | undefined): Pick<ObjectStatus, 'modifiedSeconds'> {
  const milliseconds = Date.parse(modified ?? '');
  return Number.isNaN(milliseconds) ? {} : { modifiedSeconds: Math.floor(milliseconds / MILLISECONDS) };
}

/** The chunks of an answer. What cuts them is a failure that may pass. */
async function* chunksOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer) yield chunk as Uint8Array;
  } catch (cause) {
    signal.throwIfAborted();
    throw connectionFailure(cause);
  } finally {
    answer.destroy();
  }
}

async function statusOf(address: WebAddress, signal: AbortSignal): Promise<ObjectStatus> {
  // Signatures in addresses are often for GET alone, so the first byte is read in place of HEAD.
  const answer = await followedAnswer({ address, headers: { ...asStored, range: 'bytes=0-0' }, signal });
  const { statusCode = 0, headers } = answer;
  const version = versionOf(headers);
  const status = { ...(version === undefined ? {} : { version }), ...modifiedIn(headers['last-modified']) };
  const bytes = totalBytes(headers);
  const isPart = statusCode === PARTIAL_CONTENT;
  // A connection is used again only if its answer was read.
  if (isPart) answer.resume();
  else answer.destroy();
  if (isPart && bytes !== undefined) return { ...status, bytes, hasRanges: version !== undefined };
  if (statusCode === RANGE_NOT_SATISFIABLE && bytes === 0) return { ...status, bytes, hasRanges: false };
  if (statusCode !== OK && !isPart) throw failureOf(answer);
  return { ...status, bytes: isPart ? 0 : Number(headers['content-length'] ?? 0), hasRanges: false };
}

async function read(address: WebAddress, { range, version, signal }: RangeRequest): Promise<AsyncIterable<Uint8Array>> {
  const rangeHeader: Record<string, string> = range ? { range: `bytes=${range.from}-${range.to - 1}` } : {};
  const answer = await followedAnswer({
    address,
    headers: { ...asStored, ...rangeHeader, ...conditionOf(version) },
    signal,
  });
  if (answer.statusCode !== (range ? PARTIAL_CONTENT : OK)) throw failureOf(answer);
  const isOther = version !== undefined && versionOf(answer.headers) !== version;
  if (isOther || (range && firstByteOf(answer.headers) !== range.from)) {
    answer.destroy();
    throw new StoreFailure('changed', 'it has another version');
  }
  return chunksOf(answer, signal);
}

/** Resources of the web. */
export const web: ReadableStore<WebAddress> = { statusOf, read };
