// Stores that speak S3, by the client of AWS, which is an optional package.

import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { FirstseenError } from '../../base/errors.js';
import { loadedPackages } from '../system/optionalpackages.js';
import {
  type FailureKind,
  kindOfStatus,
  type ListedObject,
  type ObjectStatus,
  type RangeRequest,
  type ReadableStore,
  StoreFailure,
} from './contract.js';
import type { BucketAddress } from './name.js';

/** The place of Google Cloud Storage where it speaks S3, to those who have HMAC keys. */
const GOOGLE = 'https://storage.googleapis.com';

const MILLISECONDS = 1000;
const CONNECTION_MILLISECONDS = 10_000;
/** Requests that one client makes at the same time. */
const MAX_SOCKETS = 64;

type S3Module = typeof import('@aws-sdk/client-s3');

/** A part of an object that is uploaded. */
export interface UploadedPart {
  number: number;
  etag: string;
}

/** An upload that has not ended. */
export interface UnfinishedUpload {
  id: string;
  /** The time at which it began, or words in its place. */
  started: string;
}

/** The client warns of the versions of Node that it will not support, which those who run a command cannot change. */
function withoutVersionWarning<Result>(make: () => Result): Result {
  const { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: before } = process.env;
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED;
    else process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = before;
  }
}

/** Names of errors that say that the same request may succeed later, whatever their status is. */
const temporaryNames: ReadonlySet<string> = new Set([
  'SlowDown',
  'RequestTimeout',
  'InternalError',
  'ServiceUnavailable',
  'OperationAborted',
  'RequestTimeTooSkewed',
]);

interface ClientError {
  name?: string;
  code?: string;
  message?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Names of errors before a request was made. */
const CREDENTIALS = /Credentials|TokenProvider|ExpiredToken|SSO/;

/** The failure that an error of the client tells. Only its name, code and status are shown: its message may have a key. */
export function failureOf(error: unknown): StoreFailure {
  const { name = 'Error', code, message = '', $metadata = {} } = error as ClientError;
  const { httpStatusCode: status } = $metadata;
  if (status !== undefined && status >= 300) {
    const kind: FailureKind = temporaryNames.has(name) ? 'temporary' : kindOfStatus(status);
    return new StoreFailure(kind, `the store answers ${status} (${name})`);
  }
  if (CREDENTIALS.test(name)) return new StoreFailure('denied', 'no credentials were found, or they are not valid');
  if (code !== undefined || name === 'TimeoutError' || name === 'AbortError' || /socket|aborted/i.test(message)) {
    return new StoreFailure('temporary', `the connection failed (${code ?? name})`);
  }
  return new StoreFailure('refused', `the request failed (${name})`);
}

async function loadedClient(): Promise<S3Module> {
  return loadedPackages(
    {
      what: 'An object of a store',
      packages: ['@aws-sdk/client-s3'],
      alternative: 'name a file, and copy it from or to the store',
    },
    () => import('@aws-sdk/client-s3'),
  );
}

/** The region of the configuration; where none is set, that in which a store without regions is. */
async function regionOf(client: S3Client): Promise<string> {
  return client.config.region().catch(() => 'us-east-1');
}

async function clientFor(scheme: BucketAddress['scheme'], { S3Client }: S3Module): Promise<S3Client> {
  const shared: S3ClientConfig = {
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECTION_MILLISECONDS,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
  };
  if (scheme === 'gs') {
    return withoutVersionWarning(
      () => new S3Client({ ...shared, endpoint: GOOGLE, region: 'auto', forcePathStyle: true }),
    );
  }
  const probe = withoutVersionWarning(() => new S3Client(shared));
  const { serviceConfiguredEndpoint } = probe.config as {
    serviceConfiguredEndpoint?: () => Promise<string | undefined>;
  };
  // A store that is not that of AWS seldom has a host for each bucket.
  const forcePathStyle = (await serviceConfiguredEndpoint?.()) !== undefined;
  return new S3Client({ ...shared, region: await regionOf(probe), forcePathStyle, followRegionRedirects: true });
}

function statusFrom({
  ContentLength = 0,
  ETag,
  LastModified,
}: {
  ContentLength?: number | undefined;
  ETag?: string | undefined;
  LastModified?: Date | undefined;
}): ObjectStatus {
  return {
    bytes: ContentLength,
    hasRanges: true,
    ...(ETag === undefined ? {} : { version: ETag }),
    ...(LastModified === undefined ? {} : { modifiedSeconds: Math.floor(LastModified.getTime() / MILLISECONDS) }),
  };
}

/** The objects of the stores of one scheme. */
export class BucketStore implements ReadableStore<BucketAddress> {
  readonly #module: S3Module;
  readonly #client: S3Client;

  private constructor(module: S3Module, client: S3Client) {
    this.#module = module;
    this.#client = client;
  }

  /** @throws FirstseenError E_PACKAGE when the package is not installed; E_USAGE for a configuration that cannot be read */
  static async open(scheme: BucketAddress['scheme']): Promise<BucketStore> {
    const module = await loadedClient();
    try {
      return new BucketStore(module, await clientFor(scheme, module));
    } catch (cause) {
      const { name } = cause as Error;
      throw new FirstseenError('E_USAGE', `the configuration of the client of S3 cannot be read (${name})`, {
        remedy: 'check the variables that begin with AWS_, and the files ~/.aws/config and ~/.aws/credentials',
      });
    }
  }

  async statusOf({ bucket: Bucket, key: Key }: BucketAddress, signal: AbortSignal): Promise<ObjectStatus> {
    const { HeadObjectCommand } = this.#module;
    return statusFrom(
      await answerOf(signal, (options) => this.#client.send(new HeadObjectCommand({ Bucket, Key }), options)),
    );
  }

  async read(
    { bucket: Bucket, key: Key }: BucketAddress,
    { range, version, signal }: RangeRequest,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { GetObjectCommand } = this.#module;
    const command = new GetObjectCommand({
      ...{ Bucket, Key },
      ...(version === undefined ? {} : { IfMatch: version }),
      ...(range ? { Range: `bytes=${range.from}-${range.to - 1}` } : {}),
    });
    const answer = await answerOf(signal, (options) => this.#client.send(command, options));
    const isOther = version !== undefined && answer.ETag !== version;
    if (isOther || (range && answer.ContentLength !== range.to - range.from)) {
      (answer.Body as { destroy?: () => void }).destroy?.();
      throw new StoreFailure('changed', 'it has another version');
    }
    return chunksOf(answer.Body as AsyncIterable<Uint8Array> & { destroy(): void }, signal);
  }

  /** The objects whose keys begin with a prefix, in the order of the store. */
  async *list(bucket: string, prefix: string, send: Sending): AsyncGenerator<ListedObject> {
    const { ListObjectsV2Command } = this.#module;
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        ...{ Bucket: bucket, Prefix: prefix },
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await send((signal) => answerOf(signal, (options) => this.#client.send(command, options)));
      for (const { Key, Size, ETag, LastModified } of page.Contents ?? []) {
        if (Key !== undefined) yield { key: Key, status: statusFrom({ ContentLength: Size, ETag, LastModified }) };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** Writes a whole object. @returns its ETag */
  async put(
    { bucket: Bucket, key: Key }: BucketAddress,
    Body: Uint8Array,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const command = new this.#module.PutObjectCommand({ Bucket, Key, Body });
    return (await answerOf(signal, (options) => this.#client.send(command, options))).ETag;
  }

  /** Begins an upload in parts. @returns its identity */
  async beginUpload({ bucket: Bucket, key: Key }: BucketAddress, signal: AbortSignal): Promise<string> {
    const command = new this.#module.CreateMultipartUploadCommand({ Bucket, Key });
    const { UploadId } = await answerOf(signal, (options) => this.#client.send(command, options));
    if (UploadId === undefined) throw new StoreFailure('refused', 'the store does not take parts');
    return UploadId;
  }

  async putPart(
    { bucket: Bucket, key: Key }: BucketAddress,
    { id: UploadId, number, body: Body, signal }: { id: string; number: number; body: Uint8Array; signal: AbortSignal },
  ): Promise<UploadedPart> {
    const command = new this.#module.UploadPartCommand({ Bucket, Key, UploadId, PartNumber: number, Body });
    const { ETag: etag = '' } = await answerOf(signal, (options) => this.#client.send(command, options));
    return { number, etag };
  }

  /** @returns the ETag of the object */
  async completeUpload(
    { bucket: Bucket, key: Key }: BucketAddress,
    { id: UploadId, parts, signal }: { id: string; parts: readonly UploadedPart[]; signal: AbortSignal },
  ): Promise<string | undefined> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
    const command = new this.#module.CompleteMultipartUploadCommand({
      Bucket,
      Key,
      UploadId,
      MultipartUpload: { Parts },
    });
    return (await answerOf(signal, (options) => this.#client.send(command, options))).ETag;
  }

  async abortUpload({ bucket: Bucket, key: Key }: BucketAddress, UploadId: string, signal: AbortSignal): Promise<void> {
    const command = new this.#module.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
    await answerOf(signal, (options) => this.#client.send(command, options));
  }

  /** The uploads to an object that have not ended. */
  async unfinishedUploads(
    { bucket: Bucket, key }: BucketAddress,
    signal: AbortSignal,
  ): Promise<readonly UnfinishedUpload[]> {
    const command = new this.#module.ListMultipartUploadsCommand({ Bucket, Prefix: key });
    const { Uploads = [] } = await answerOf(signal, (options) => this.#client.send(command, options));
    return Uploads.filter(({ Key }) => Key === key).map(({ UploadId = '', Initiated }) => ({
      id: UploadId,
      started: Initiated?.toISOString() ?? 'an unknown time',
    }));
  }
}

/** Makes a request, again where it fails in a way that may pass. */
export type Sending = <Output>(request: (signal: AbortSignal) => Promise<Output>) => Promise<Output>;

/** The answer to a request. @throws StoreFailure */
async function answerOf<Answer>(
  signal: AbortSignal,
  send: (options: { abortSignal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send({ abortSignal: signal });
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error);
  }
}

async function* chunksOf(
  body: AsyncIterable<Uint8Array> & { destroy(): void },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error);
  } finally {
    body.destroy();
  }
}
