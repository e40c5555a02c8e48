// The upload of an object. It goes in parts, which become an object when the upload is completed, and before that are nothing that
// anybody sees.

import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { type BytePosition, type ByteSink, type ByteTarget, bytesTo, firstByte } from '../file/bytesink.js';
import { TextSink } from '../file/textsink.js';
import type { FormerRun, OutputNote, Sink, SinkPosition, SinkRequest, StoresOfRun } from '../sink.js';
import type { BucketStore, UploadedPart } from './bucket.js';
import { StoreFailure, writeError } from './contract.js';
import { type BucketAddress, writtenAddress } from './name.js';
import { OpenStores } from './openstores.js';
import { type Patience, patience, patiently } from './retry.js';

/** Bytes of a part. An upload has at most 10,000 parts, so the later ones of a very long object are larger. */
const PART_BYTES = 16 * 2 ** 20;
const LATER_PART_BYTES = 128 * 2 ** 20;
const FIRST_LATER_PART = 5001;
const MAX_PARTS = 10_000;

/** Parts that are sent at the same time, while the next one is filled. */
const PARTS_AT_ONCE = 2;

/** The slowest connection over which a part arrives in time. */
const BYTES_PER_MILLISECOND = 64;

/** The bytes of the part with this number, which is from 1 on. */
export function partBytes(number: number): number {
  return number < FIRST_LATER_PART ? PART_BYTES : LATER_PART_BYTES;
}

/** An object that is written, and the bounds of the attempts. */
interface Target {
  store: BucketStore;
  address: BucketAddress;
  patience: Patience;
}

/** The object as it was written. */
interface WrittenObject {
  bytes: number;
  /** Its ETag; empty if the store does not tell it. */
  version: string;
}

class Upload implements ByteTarget {
  position = 0;
  isCut = false;
  readonly isStream = false;
  readonly isBehind = false;
  written: WrittenObject | undefined;
  readonly #target: Target;
  #part = Buffer.alloc(0);
  #filledBytes = 0;
  /** The upload in parts, if there is one. */
  #id: Promise<string> | undefined;
  #number = 1;
  readonly #sent: Promise<UploadedPart>[] = [];

  constructor(target: Target) {
    this.#target = target;
  }

  /** An object has no earlier content: it is replaced as a whole. */
  async cut(): Promise<void> {
    this.isCut = true;
  }

  /** Nothing is safe before the object is complete. */
  async sync(): Promise<void> {}

  async describe(): Promise<undefined> {
    return undefined;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.isCut = true;
    for (let at = 0; at < bytes.length; ) {
      if (this.#part.length === 0) this.#part = Buffer.allocUnsafe(partBytes(this.#number));
      const piece = bytes.subarray(at, at + this.#part.length - this.#filledBytes);
      this.#part.set(piece, this.#filledBytes);
      this.#filledBytes += piece.length;
      this.position += piece.length;
      at += piece.length;
      if (this.#filledBytes === this.#part.length) await this.#endPart();
    }
  }

  async close(isWhole: boolean): Promise<void> {
    if (isWhole) await this.#complete();
    else await this.#abort();
  }

  /** Sends what is in the part. Waits only if too many are underway. */
  async #endPart(): Promise<void> {
    const { store, address } = this.#target;
    const number = this.#number++;
    if (number > MAX_PARTS) {
      throw new FirstseenError('E_OUTPUT', `cannot write ${address.name}: it would be larger than objects can be`, {
        remedy: phrase`write several objects, for instance with ${optionName('shard')}`,
      });
    }
    const body = this.#part.subarray(0, this.#filledBytes);
    this.#part = Buffer.alloc(0);
    this.#filledBytes = 0;
    this.#id ??= this.#send((signal) => store.beginUpload(address, signal));
    const id = this.#id;
    const sent = id.then((uploadId) =>
      this.#send((signal) => store.putPart(address, { id: uploadId, number, body, signal }), body.length),
    );
    // The next part, or the end, reports what failed.
    sent.catch(() => undefined);
    this.#sent.push(sent);
    await this.#sent.at(-1 - PARTS_AT_ONCE);
  }

  async #complete(): Promise<void> {
    const version = this.#id ? await this.#completeParts() : await this.#put();
    this.written = { bytes: this.position, version: version ?? '' };
  }

  #put(): Promise<string | undefined> {
    const { store, address } = this.#target;
    const body = this.#part.subarray(0, this.#filledBytes);
    return this.#send((signal) => store.put(address, body, signal), body.length);
  }

  async #completeParts(): Promise<string | undefined> {
    const { store, address } = this.#target;
    if (this.#filledBytes > 0) await this.#endPart();
    const id = (await this.#id) as string;
    const parts = await Promise.all(this.#sent);
    let attempts = 0;
    return this.#send(async (signal) => {
      attempts++;
      try {
        return await store.completeUpload(address, { id, parts, signal });
      } catch (error) {
        // The answer to an attempt that has completed it may be lost.
        const mayBeDone = attempts > 1 && error instanceof StoreFailure && error.kind === 'missing';
        const status = mayBeDone ? await store.statusOf(address, signal) : undefined;
        if (status?.bytes !== this.position) throw error;
        return status.version;
      }
    });
  }

  /** Removes the parts. If the store does not answer, the next run tells that they are there. */
  async #abort(): Promise<void> {
    const { store, address } = this.#target;
    await Promise.allSettled(this.#sent);
    const id = await this.#id?.catch(() => undefined);
    if (id === undefined || this.written) return;
    await this.#send((signal) => store.abortUpload(address, id, signal)).catch(() => undefined);
  }

  async #send<Answer>(request: (signal: AbortSignal) => Promise<Answer>, bytes = 0): Promise<Answer> {
    const { address, patience: bounds } = this.#target;
    const idleMilliseconds = bounds.idleMilliseconds + bytes / BYTES_PER_MILLISECOND;
    return patiently({ ...bounds, idleMilliseconds }, request).catch((error) => {
      throw writeError(address.name, error);
    });
  }
}

/** The bytes of an object, plain or compressed. It is complete when it is closed, and no later run goes on with a part of it. */
class ObjectBytes implements ByteSink {
  readonly #bytes: ByteSink;
  readonly #upload: Upload;

  constructor(bytes: ByteSink, upload: Upload) {
    this.#bytes = bytes;
    this.#upload = upload;
  }

  write(bytes: Uint8Array, recordEnds?: readonly number[]): Promise<void> {
    return this.#bytes.write(bytes, recordEnds);
  }

  async commit(): Promise<BytePosition> {
    return firstByte;
  }

  async close(isWhole: boolean): Promise<BytePosition> {
    if (!isWhole) {
      await this.abort();
      return firstByte;
    }
    await this.#bytes.close(true);
    return { ...firstByte, object: this.#upload.written } as BytePosition;
  }

  abort(): Promise<void> {
    return this.#bytes.abort();
  }
}

class ObjectSink extends TextSink {
  readonly canCommit = false;
}

function targetOf(store: BucketStore, address: BucketAddress): Target {
  return { store, address, patience };
}

/** Warns of parts of uploads to this object that have not ended: of a run that was killed, or of a program that writes now. */
async function tellUnfinished({ store, address }: Target, onWarning: SinkRequest['onWarning']): Promise<void> {
  if (!onWarning) return;
  // Whoever may write an object may not be allowed to list uploads.
  const uploads = await patiently(patience, (signal) => store.unfinishedUploads(address, signal)).catch(() => []);
  const [first] = uploads;
  if (!first) return;
  const count = formatCounted(uploads.length, 'unfinished upload');
  onWarning(
    new FirstseenError(
      'E_OUTPUT',
      `${address.name} has ${count}, the first since ${first.started}, whose parts are kept`,
      {
        remedy: `unless something writes to it now, remove it with aws s3api abort-multipart-upload and the upload id ${first.id}`,
      },
    ),
  );
}

function storesOf({ stores }: { stores?: StoresOfRun | undefined }): OpenStores {
  return (stores as OpenStores | undefined) ?? new OpenStores();
}

/** As `SinkKind.open`. */
export async function openObject({ path, isCompressed }: OutputNote, request: SinkRequest): Promise<Sink> {
  const address = writtenAddress(path as string);
  const target = targetOf(await storesOf(request).bucketsOf(address.scheme), address);
  await tellUnfinished(target, request.onWarning);
  const upload = new Upload(target);
  const { selection, hasRecordMembers } = request;
  const form = {
    note: { path, isCompressed },
    position: firstByte,
    gzipLevel: typeof selection === 'object' ? selection.gzipLevel : undefined,
    hasRecordMembers,
  };
  const bytes = new ObjectBytes(await bytesTo(() => upload, form), upload);
  return new ObjectSink(bytes, { ...request, position: undefined });
}

/** Returns the size and version of an object that was written; undefined if there is none. */
async function statusOf(name: string, stores: OpenStores) {
  const address = writtenAddress(name);
  const store = await stores.bucketsOf(address.scheme);
  try {
    return await patiently(patience, (signal) => store.statusOf(address, signal));
  } catch (error) {
    if (error instanceof StoreFailure && error.kind === 'missing') return undefined;
    throw writeError(name, error);
  }
}

/** Tells if there is an object that is not empty. */
export async function holdsObject(name: string, stores: StoresOfRun): Promise<boolean> {
  return ((await statusOf(name, storesOf({ stores })))?.bytes ?? 0) > 0;
}

/** As `SinkKind.positionToResume`: an object that a run has written has to be as the run left it. */
export async function objectToResume(
  { path }: OutputNote,
  left: SinkPosition,
  { isDone, stores }: FormerRun,
): Promise<SinkPosition> {
  const written = left.object as WrittenObject | undefined;
  if (!written || !isDone) return left;
  const status = await statusOf(path as string, storesOf({ stores }));
  if (status?.bytes === written.bytes && (status.version ?? '') === written.version) return left;
  const problem = status
    ? 'was changed after an earlier run had written it'
    : 'was written by an earlier run and is missing';
  throw new FirstseenError('E_OUTPUT', `${path} ${problem}`, {
    remedy: phrase`restore the object, or use ${optionName('isNewRun')} to write only records that are new`,
  });
}
