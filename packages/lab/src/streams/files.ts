// Elements of a file, separated by certain bytes. A first pass counts them, so that the truth has room for all of them.

import { stat } from 'node:fs/promises';
import { FirstseenError } from 'firstseen';
import {
  type InputReader,
  inputError,
  Kernel,
  lookAtInput,
  requestOf,
  STANDARD_STREAM,
  wholeKernel,
} from 'firstseen/internal';
import { GapSample, type StreamModel, streamOfSample } from 'firstseen/plan';
import type { StreamSpec } from '../contract.js';
import { GIVEN_ENTRY_BYTES, GIVEN_SLOTS_PARAMETER, LAYOUT_CLASSIC } from '../kernel/abi.js';
import { type PlacedElements, pathSetting, type ResolvedStream, settingOption } from './contract.js';

/**
 * The rules by which a file is divided into elements, and the function by which the bytes of an element become 64 bits.
 */
export interface FileCutting {
  /** 1 for each byte that is a separator. */
  separators: Uint8Array;
  /** True if two adjacent separators have an empty element between them. */
  keepsEmpty: boolean;
  place: (token: Token) => void;
}

/** The bytes of an element in the memory of a kernel, and the address for its 64 bits. */
export interface Token {
  kernel: Kernel;
  /** The file for errors; `number` is that of the element in it, from 1. */
  path: string;
  number: number;
  start: number;
  end: number;
  target: number;
}

/** The longest element is slightly shorter than this. */
const REGION_BYTES = 2 ** 20;
/** Entries for each element in the set that tells the truth. */
const ENTRIES_PER_ELEMENT = 4 / 3;

export function separatorsOf(text: string): Uint8Array {
  const separators = new Uint8Array(256);
  for (const byte of new TextEncoder().encode(text)) separators[byte] = 1;
  return separators;
}

class FileElements implements PlacedElements {
  readonly #kernel: Kernel;
  readonly #reader: InputReader;
  readonly #cutting: FileCutting;
  /** The bytes that were read but not yet used. */
  #start: number;
  #end: number;
  #isAtEnd = false;
  #token: Token;

  constructor(path: string, kernel: Kernel, reader: InputReader, cutting: FileCutting) {
    this.#kernel = kernel;
    this.#reader = reader;
    this.#cutting = cutting;
    this.#start = kernel.regionOffset;
    this.#end = kernel.regionOffset;
    this.#token = { kernel, path, number: 0, start: 0, end: 0, target: 0 };
  }

  async place(fingerprints: BigUint64Array<ArrayBuffer>, most: number): Promise<number> {
    const token = this.#token;
    let count = 0;
    while (count < most) {
      if (!this.#cut()) {
        if (this.#isAtEnd) break;
        await this.#read();
        continue;
      }
      token.number++;
      token.target = this.#kernel.fingerprints.byteOffset + 8 * count;
      this.#cutting.place(token);
      count++;
    }
    fingerprints.set(this.#kernel.fingerprints.subarray(0, count));
    return count;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  /** Finds the next element; false if it is not completely in memory. */
  #cut(): boolean {
    const { bytes } = this.#kernel;
    const { separators, keepsEmpty } = this.#cutting;
    const limit = this.#end;
    let start = this.#start;
    if (!keepsEmpty) while (start < limit && separators[bytes[start] as number] === 1) start++;
    let end = start;
    while (end < limit && separators[bytes[end] as number] === 0) end++;
    this.#start = start;
    if (end === limit && (start === end || !this.#isAtEnd)) return false;
    this.#token.start = start;
    this.#token.end = end;
    this.#start = Math.min(limit, end + 1);
    return true;
  }

  async #read(): Promise<void> {
    const { bytes, regionOffset } = this.#kernel;
    bytes.copyWithin(regionOffset, this.#start, this.#end);
    this.#end -= this.#start - regionOffset;
    this.#start = regionOffset;
    const room = bytes.subarray(this.#end, regionOffset + REGION_BYTES);
    if (room.length === 0) {
      const { path, number } = this.#token;
      throw new FirstseenError(
        'E_RECORD',
        `element ${number + 1} of ${path} is longer than the limit of ${REGION_BYTES} bytes`,
        { remedy: 'shorten it, or replace it by its hash' },
      );
    }
    const readBytes = await this.#reader.read(room);
    this.#isAtEnd = readBytes === 0;
    this.#end += readBytes;
  }
}

async function openElements(path: string, cutting: FileCutting, seed: number): Promise<FileElements> {
  const kernel = await Kernel.create({ cellsBytes: 0, regionBytes: REGION_BYTES, module: await wholeKernel() });
  kernel.writeParameters({ layout: LAYOUT_CLASSIC, seed: BigInt(seed), isKeyed: false });
  const source = await lookAtInput(requestOf(path), 'lines');
  return new FileElements(path, kernel, await source.open(), cutting);
}

/** Iterates over the first elements of a file; returns their number. */
async function throughElements(
  elements: PlacedElements,
  most: number,
  use: (batch: BigUint64Array) => void = () => undefined,
): Promise<number> {
  const batch = new BigUint64Array(2 ** 13);
  let total = 0;
  try {
    for (let count = 1; count > 0 && total < most; total += count) {
      count = await elements.place(batch, Math.min(batch.length, most - total));
      use(batch.subarray(0, count));
    }
  } finally {
    await elements.close();
  }
  return total;
}

async function sampled(spec: StreamSpec, cutting: FileCutting, lengthElements: number): Promise<StreamModel> {
  const path = pathSetting(spec);
  const sample = new GapSample();
  const elements = await openElements(path, cutting, spec.seed);
  await throughElements(elements, lengthElements, (batch) => sample.addBatch(batch));
  return streamOfSample(sample, { name: path, isWhole: spec.lengthElements === 0 });
}

/** Rejects a file that cannot be read twice: a pipe would be empty the second time. */
async function checkFile(path: string): Promise<void> {
  const isStandard = path === STANDARD_STREAM;
  const fileStats = isStandard
    ? undefined
    : await stat(path).catch((cause) => {
        throw inputError(path, cause);
      });
  if (fileStats?.isFile()) return;
  throw new FirstseenError(
    'E_INPUT',
    `${isStandard ? 'standard input' : path} is not a regular file; the laboratory reads its input twice`,
    { option: settingOption('path'), given: path, remedy: 'write the elements to a file, and give that file' },
  );
}

export interface FileKind extends Pick<ResolvedStream, 'checkIdentity'> {
  cutting: FileCutting;
}

/** A file as a stream: as many of its elements as the spec requests, or all if the length is 0. */
export async function resolveFile(spec: StreamSpec, { cutting, ...kind }: FileKind): Promise<ResolvedStream> {
  const path = pathSetting(spec);
  await checkFile(path);
  const most = spec.lengthElements === 0 ? Number.POSITIVE_INFINITY : spec.lengthElements;
  const lengthElements = await throughElements(await openElements(path, cutting, spec.seed), most);
  if (lengthElements === 0) {
    throw new FirstseenError('E_INPUT', `${path} has no elements`, { remedy: 'give a file that has elements' });
  }
  const entries = Math.ceil(lengthElements * ENTRIES_PER_ELEMENT) + 1;
  return {
    description: `elements of ${path}`,
    lengthElements,
    kernelName: 'given',
    parameters: [[GIVEN_SLOTS_PARAMETER, entries]],
    tablesBytes: 0,
    truthBytes: () => entries * GIVEN_ENTRY_BYTES,
    model: () => sampled(spec, cutting, lengthElements),
    elements: () => openElements(path, cutting, spec.seed),
    ...kind,
  };
}
