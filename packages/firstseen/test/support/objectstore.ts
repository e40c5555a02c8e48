// A store of objects in this process, which speaks as much of S3 as a run asks for, and fails when a test says so.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';

export interface StoreRequest {
  method: string;
  /** `bucket/key` */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
}

const codes: Readonly<Record<number, string>> = { 403: 'AccessDenied', 503: 'SlowDown' };

/** The fault of a request: an answer with a status, an answer that is cut after some bytes of its body, or no answer. */
export type Fault = { status: number } | { cutAfter: number } | 'hang';

interface Stored {
  body: Buffer;
  etag: string;
  modified: Date;
}

interface Upload {
  path: string;
  parts: Map<number, Buffer>;
}

function digestOf(body: Uint8Array): string {
  return createHash('md5').update(body).digest('hex');
}

function textOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) => text as string);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

export class ObjectStore {
  readonly objects = new Map<string, Stored>();
  readonly uploads = new Map<string, Upload>();
  readonly requests: StoreRequest[] = [];
  /** Objects of a page of a listing. */
  pageSize = 1000;
  /** The fault of a request, if it has one. A promise of it delays the answer. */
  fault: (request: StoreRequest) => Fault | undefined | Promise<Fault | undefined> = () => undefined;
  /** False for a server of the web that sends whole resources only. */
  hasRanges = true;
  endpoint = '';
  /** Requests whose connections are open and which have no answer yet. */
  openRequests = 0;
  #uploads = 0;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => response.destroy(error));
  });

  /** @param onFinished told what closes the store */
  static async open(onFinished: (close: () => Promise<void>) => void): Promise<ObjectStore> {
    const store = new ObjectStore();
    await new Promise<void>((resolve) => store.#server.listen(0, '127.0.0.1', resolve));
    store.endpoint = `http://127.0.0.1:${(store.#server.address() as AddressInfo).port}`;
    onFinished(async () => {
      store.#server.closeAllConnections();
      await new Promise((resolve) => store.#server.close(resolve));
    });
    return store;
  }

  put(path: string, content: string | Uint8Array, modified = new Date('2026-01-02T03:04:05Z')): void {
    const body = Buffer.from(content);
    this.objects.set(path, { body, etag: `"${digestOf(body)}"`, modified });
  }

  /** The text of an object; undefined if there is none. */
  textOf(path: string): string | undefined {
    return this.objects.get(path)?.body.toString();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url as string, this.endpoint);
    const { method = '', headers } = request;
    const received = { method, path: decodeURIComponent(url.pathname.slice(1)), query: url.searchParams, headers };
    this.requests.push(received);
    this.openRequests++;
    response.once('close', () => this.openRequests--);
    const body = await buffer(request);
    const fault = await this.fault(received);
    if (fault === 'hang') return undefined;
    if (fault && 'status' in fault) return this.#fail(response, fault.status, codes[fault.status] ?? 'InternalError');
    if (method === 'GET' && url.searchParams.has('list-type')) return this.#list(received, response);
    if (method === 'GET' && url.searchParams.has('uploads')) return this.#listUploads(received, response);
    if (method === 'GET' || method === 'HEAD') return this.#read(received, response, fault?.cutAfter);
    return this.#write(received, body, response);
  }

  #fail(response: ServerResponse, status: number, code: string): unknown {
    const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>the secret AKIAEXAMPLE is told</Message></Error>`;
    return response.writeHead(status, { 'content-type': 'application/xml' }).end(xml);
  }

  #send(response: ServerResponse, xml: string): unknown {
    return response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${xml}`);
  }

  #read({ method, path, headers }: StoreRequest, response: ServerResponse, cutAfter?: number): unknown {
    const stored = this.objects.get(path);
    if (!stored) return this.#fail(response, 404, 'NoSuchKey');
    const { body, etag, modified } = stored;
    if (headers['if-match'] !== undefined && headers['if-match'] !== etag) {
      return this.#fail(response, 412, 'PreconditionFailed');
    }
    const common = { etag, 'last-modified': modified.toUTCString() };
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const isPart = this.hasRanges && first !== undefined;
    if (isPart && Number(first) >= body.length) {
      return response.writeHead(416, { ...common, 'content-range': `bytes */${body.length}` }).end();
    }
    const content = isPart ? body.subarray(Number(first), Number(last) + 1) : body;
    const range = isPart
      ? { 'content-range': `bytes ${first}-${Number(first) + content.length - 1}/${body.length}` }
      : {};
    response.writeHead(isPart ? 206 : 200, { ...common, ...range, 'content-length': content.length });
    if (method === 'HEAD') return response.end();
    if (cutAfter === undefined) return response.end(content);
    return response.write(content.subarray(0, cutAfter), () => setImmediate(() => response.destroy()));
  }

  #list({ path: bucket, query }: StoreRequest, response: ServerResponse): unknown {
    const prefix = `${bucket.replace(/\/$/, '')}/${query.get('prefix') ?? ''}`;
    const from = Number(query.get('continuation-token') ?? 0);
    const paths = [...this.objects.keys()].filter((path) => path.startsWith(prefix)).sort();
    const page = paths.slice(from, from + this.pageSize);
    const next = from + page.length;
    const contents = page.map((path) => {
      const { body, etag, modified } = this.objects.get(path) as Stored;
      const key = escaped(path.slice(path.indexOf('/') + 1));
      const about = `<ETag>${escaped(etag)}</ETag><LastModified>${modified.toISOString()}</LastModified>`;
      return `<Contents><Key>${key}</Key><Size>${body.length}</Size>${about}</Contents>`;
    });
    const isTruncated = next < paths.length;
    const token = isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
    const pages = `<IsTruncated>${isTruncated}</IsTruncated>${token}`;
    return this.#send(response, `<ListBucketResult>${pages}${contents.join('')}</ListBucketResult>`);
  }

  #listUploads({ path: bucket, query }: StoreRequest, response: ServerResponse): unknown {
    const prefix = `${bucket.replace(/\/$/, '')}/${query.get('prefix') ?? ''}`;
    const uploads = [...this.uploads].filter(([, upload]) => upload.path.startsWith(prefix));
    const listed = uploads.map(([id, { path }]) => {
      const key = escaped(path.slice(path.indexOf('/') + 1));
      return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>2026-01-02T03:04:05.000Z</Initiated></Upload>`;
    });
    const ends = '<IsTruncated>false</IsTruncated>';
    return this.#send(response, `<ListMultipartUploadsResult>${ends}${listed.join('')}</ListMultipartUploadsResult>`);
  }

  #write({ method, path, query }: StoreRequest, body: Buffer, response: ServerResponse): unknown {
    const id = query.get('uploadId') ?? '';
    const upload = this.uploads.get(id);
    if (query.has('uploads')) {
      const newId = `upload${++this.#uploads}`;
      this.uploads.set(newId, { path, parts: new Map() });
      const result = `<UploadId>${newId}</UploadId>`;
      return this.#send(response, `<InitiateMultipartUploadResult>${result}</InitiateMultipartUploadResult>`);
    }
    if (id === '') {
      this.put(path, body, new Date());
      return response.writeHead(200, { etag: this.objects.get(path)?.etag ?? '' }).end();
    }
    if (!upload) return this.#fail(response, 404, 'NoSuchUpload');
    if (method === 'DELETE') {
      this.uploads.delete(id);
      return response.writeHead(204).end();
    }
    if (query.has('partNumber')) {
      upload.parts.set(Number(query.get('partNumber')), body);
      return response.writeHead(200, { etag: `"${digestOf(body)}"` }).end();
    }
    const numbers = textOf(body.toString(), 'PartNumber').map(Number);
    this.put(path, Buffer.concat(numbers.map((number) => upload.parts.get(number) as Buffer)), new Date());
    this.uploads.delete(id);
    const etag = escaped(this.objects.get(path)?.etag ?? '');
    return this.#send(response, `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`);
  }
}

/** The variables by which the client of AWS finds a store. */
export function variablesFor({ endpoint }: Pick<ObjectStore, 'endpoint'>): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'averysecretkey',
    AWS_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

/** Opens a store for a test, to which the variables of the client lead until its end. */
export async function openForTest(): Promise<ObjectStore> {
  const store = await ObjectStore.open(onTestFinished);
  for (const [name, value] of Object.entries(variablesFor(store))) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return store;
}
