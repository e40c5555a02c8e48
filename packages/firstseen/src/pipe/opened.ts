// Creates, loads and saves the detectors of a parent.

import { TransformStream } from 'node:stream/web';
import { checkObject, checkOptions, checkWord, type OptionNames } from '../base/check.js';
import { invalidOption } from '../base/errors.js';
import { decodeBase64, encodeBase64 } from '../base/utf8.js';
import { Checkpoint } from '../checkpoint/checkpoint.js';
import { checkStatePath, noState, SnapshotFile } from '../checkpoint/snapshotfile.js';
import type { SnapshotSource } from '../snapshot/parts.js';
import type { SnapshotStream } from '../snapshot/readstream.js';
import { snapshotChunks } from '../snapshot/streams.js';
import { emptyFrame, frameError, writeHeader } from './frames.js';
import type { Held } from './held.js';
import { KeyDetector } from './keydetector.js';
import { NearHeld } from './neardetector.js';
import { PassagesHeld } from './passagedetector.js';
import { type JsonObject, type Request, readJson } from './request.js';

/** The types of detectors: how each is created and loaded. */
const types = {
  keys: KeyDetector,
  near: NearHeld,
  passages: PassagesHeld,
} as const;

type TypeName = keyof typeof types;
const typeNames = Object.keys(types) as TypeName[];

/** The members of a request that makes a detector. */
interface CreateRequest {
  type?: TypeName;
  options?: JsonObject;
  claims?: JsonObject;
}

interface LoadRequest extends CreateRequest {
  path?: string;
}

interface SaveRequest {
  path?: string;
  note?: string;
}

const createNames: OptionNames<CreateRequest> = { type: true, options: true, claims: true };
const loadNames: OptionNames<LoadRequest> = { ...createNames, path: true };
const saveNames: OptionNames<SaveRequest> = { path: true, note: true };

/** Bytes of a snapshot that are read from a file at a time. */
const PIECE_BYTES = 2 ** 20;

/** @throws FirstseenError E_PARAMETER for a type that is not known, and for claims on what has no keys */
function checkedParts({
  type = 'keys',
  options = {},
  claims,
}: CreateRequest): Required<CreateRequest> | Omit<Required<CreateRequest>, 'claims'> {
  checkWord('type', type, typeNames);
  checkObject(options);
  if (claims === undefined) return { type, options };
  if (type === 'keys') return { type, options, claims: checkObject(claims) };
  throw invalidOption({ option: 'claims', given: claims, expected: 'left out, unless the type is keys' });
}

/** Creates the detector of a request. @throws FirstseenError as `create`, `createNear` and `createPassages` */
export async function createHeld(body: Uint8Array): Promise<Held> {
  const { type, options, ...rest } = checkedParts(checkOptions(readJson(body) as CreateRequest, createNames));
  if (type !== 'keys') return types[type].create(options);
  return KeyDetector.create(options, (rest as CreateRequest).claims);
}

function loadWith(request: LoadRequest, snapshot: SnapshotStream): Promise<Held> {
  const { type, options, ...rest } = checkedParts(request);
  if (type !== 'keys') return types[type].load(snapshot, options);
  return KeyDetector.load(snapshot, options, (rest as CreateRequest).claims);
}

/** A snapshot that comes in frames, which is loaded meanwhile. */
export class IncomingSnapshot {
  readonly #stream = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#stream.writable.getWriter();
  readonly #loading: Promise<Held>;

  constructor(request: LoadRequest) {
    this.#loading = loadWith(request, this.#stream.readable);
    // It is looked at when the last frame has come.
    this.#loading.catch(() => undefined);
    this.#writer.closed.catch(() => undefined);
  }

  /** Gives the loading a copy of the next bytes. If it has failed, they are left out. */
  async add(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes.slice()).catch(() => undefined);
  }

  /** Ends the snapshot. @throws FirstseenError as `load` */
  async end(): Promise<Held> {
    await this.#writer.close().catch(() => undefined);
    return this.#loading;
  }

  /** Ends the loading of a snapshot of which nothing more comes. @throws FirstseenError E_FRAME */
  async abandon(): Promise<never> {
    const error = frameError('the frames of a snapshot were not followed by its end');
    await this.#writer.abort(error).catch(() => undefined);
    // What was loaded all the same is left to the collector of garbage.
    await this.#loading.catch(() => undefined);
    throw error;
  }
}

async function* chunksOf({ readAt, bytes = 0 }: SnapshotSource): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    const piece = new Uint8Array(Math.min(PIECE_BYTES, bytes - at));
    await readAt(piece, at);
    yield piece;
  }
}

/**
 * Loads the detector of a request from the file that it names, or begins to load what comes in frames.
 * @throws FirstseenError E_STATE_FILE when the file cannot be read; as `load`, `loadNear` and `loadPassages`
 */
export async function loadHeld(body: Uint8Array): Promise<Held | IncomingSnapshot> {
  const request = checkOptions(readJson(body) as LoadRequest, loadNames);
  checkedParts(request);
  const { path } = request;
  if (path === undefined) return new IncomingSnapshot(request);
  checkStatePath(path);
  return SnapshotFile.use(path, async (file) => {
    if (!file) throw noState(path);
    return file.read((source) => loadWith(request, chunksOf(source)));
  });
}

/** Describes a detector for the parent that has made it. */
export function descriptionOf(held: Held): object {
  const { type, description, savable } = held;
  return { type, ...description, note: encodeBase64(savable.note) };
}

function noteOf({ note = '' }: SaveRequest): Uint8Array {
  try {
    return decodeBase64(note);
  } catch {
    throw invalidOption({ option: 'note', given: note, expected: 'bytes in base64' });
  }
}

/** Writes a snapshot in frames, as far as they are taken. @returns its bytes */
async function sendSnapshot(
  chunks: AsyncIterable<Uint8Array>,
  { request, detector, context }: Request,
  kind: number,
): Promise<number> {
  let snapshotBytes = 0;
  for await (const chunk of chunks) {
    const { frame, body } = emptyFrame(chunk.length);
    body.set(chunk);
    writeHeader(frame, { kind, request, detector });
    context.answers.add(frame);
    snapshotBytes += chunk.length;
    await context.answers.taken();
  }
  return snapshotBytes;
}

/**
 * Saves a detector in the file that a request names, or in frames of a kind.
 * @throws FirstseenError E_STATE_FILE when the file cannot be written; E_PARAMETER for a note that is not base64
 */
export async function saveHeld({ savable }: Held, request: Request, kind: number): Promise<object> {
  const options = checkOptions(readJson(request.body) as SaveRequest, saveNames);
  const chunks = snapshotChunks(savable, noteOf(options));
  if (options.path === undefined) return { bytes: await sendSnapshot(chunks, request, kind) };
  checkStatePath(options.path);
  const file = await Checkpoint.open(options.path);
  try {
    await file.save(() => chunks);
  } finally {
    await file.close();
  }
  return { path: file.path };
}
