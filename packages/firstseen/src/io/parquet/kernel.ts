// The kernel that reads and writes pages of Parquet: a module of WebAssembly, each instance of which has the columns of one file.

import { readFile } from 'node:fs/promises';
import { shortestFloat } from './floats.js';

/** Written by the build, beside this module. Only runs with Parquet load it. */
const kernelUrl = new URL('./parquetkernel.wasm', import.meta.url);

/** Addresses in the memory of a kernel. */
export type ColumnAddress = number;
export type NodeAddress = number;
export type WriterAddress = number;

export interface KernelFunctions {
  readonly memory: WebAssembly.Memory;
  newColumn(type: number, width: number, maxDefinition: number, maxRepetition: number): ColumnAddress;
  beginChunk(column: ColumnAddress): void;
  pageRoom(column: ColumnAddress, bytes: number): number;
  storedRoom(bytes: number): number;
  zstdDecompress(from: number, length: number, target: number, size: number): void;
  loadDictionary(column: ColumnAddress, count: number): void;
  loadPage(
    column: ColumnAddress,
    encoding: number,
    count: number,
    repetitionBytes: number,
    definitionBytes: number,
  ): void;
  rowsLeft(column: ColumnAddress, isLast: number): number;
  passRows(column: ColumnAddress, rows: number): void;
  newNode(kind: number, nullLevel: number, emptyLevel: number, repetition: number, column: ColumnAddress): NodeAddress;
  setForm(node: NodeAddress, form: number, parameter: number): void;
  setName(node: NodeAddress, at: number, length: number): void;
  setChild(node: NodeAddress, child: NodeAddress): void;
  setSibling(node: NodeAddress, sibling: NodeAddress): void;
  region(bytes: number): number;
  powersAddress(): number;
  writeRows(root: NodeAddress, rows: number, bytes: number): number;
  rowsWritten(): number;
  textAddress(): number;
  newWriter(column: ColumnAddress, order: number): WriterAddress;
  beginWriting(writer: WriterAddress, isInterning: number): void;
  beginDictionary(writer: WriterAddress): void;
  freezeDictionary(writer: WriterAddress): void;
  selectRows(writer: WriterAddress, selected: number, rows: number): number;
  pageLevels(writer: WriterAddress): number;
  isPageIndexed(writer: WriterAddress): number;
  endPage(writer: WriterAddress): number;
  entryCount(writer: WriterAddress): number;
  endDictionary(writer: WriterAddress): number;
  compressedAt(writer: WriterAddress): number;
  compressedBytes(writer: WriterAddress): number;
  nullCount(writer: WriterAddress): number;
  boundAt(writer: WriterAddress, isGreatest: number): number;
  boundBytes(writer: WriterAddress, isGreatest: number): number;
}

/** Texts of the reasons for which the kernel refuses a page, in the order of the kernel. */
const reasons = [
  'its values end too early',
  'its levels end too early',
  'a run of its numbers is cut or damaged',
  'it has an index that is not in the dictionary, or no dictionary',
  'its differences are cut or damaged',
  'its encoding is unknown, or not one of its type',
  'its levels do not match those of other columns',
  'its compression is damaged',
] as const;

/** The powers of ten of the algorithm for the digits of doubles: see assembly/parquet/doubles.ts. */
const MIN_POWER = -292;
const POWER_COUNT = 617;

/** The upper 128 bits of the binary digits of a power of ten, rounded up. */
function powerBits(exponent: number): bigint {
  const shift = BigInt(127 - Math.floor((exponent * 1_741_647) / 2 ** 19));
  const power = 10n ** BigInt(Math.abs(exponent));
  if (exponent < 0) return ((1n << shift) + power - 1n) / power;
  if (shift >= 0n) return power << shift;
  return (power + (1n << -shift) - 1n) >> -shift;
}

/** Writes the powers, each as two words of 64 bits. */
function writePowers({ memory, powersAddress }: KernelFunctions): void {
  const view = new DataView(memory.buffer, powersAddress());
  for (let i = 0; i < POWER_COUNT; i++) {
    const bits = powerBits(MIN_POWER + i);
    view.setBigUint64(i * 16, bits >> 64n, true);
    view.setBigUint64(i * 16 + 8, BigInt.asUintN(64, bits), true);
  }
}

/** Room for a number in the memory of the kernel. */
const FLOAT_ROOM = 48;

let compiled: Promise<WebAssembly.Module> | undefined;

/** An instance of the kernel. @param hasDoubles whether it writes floating-point numbers as text */
export async function newKernel({ hasDoubles }: { hasDoubles: boolean }): Promise<KernelFunctions> {
  compiled ??= readFile(kernelUrl).then((bytes) => WebAssembly.compile(bytes));
  const module = await compiled;
  const memory = {
    refuse(reason: number): never {
      throw new Error(reasons[reason]);
    },
  };
  const doubles = {
    floatText(value: number, at: number): number {
      return new TextEncoder().encodeInto(shortestFloat(value), kernelBytes(kernel, at, FLOAT_ROOM)).written;
    },
  };
  const kernel = (await WebAssembly.instantiate(module, { memory, doubles })).exports as unknown as KernelFunctions;
  if (hasDoubles) writePowers(kernel);
  return kernel;
}

/** A view of bytes in the memory of a kernel, which is valid until the kernel is called again. */
export function kernelBytes({ memory }: KernelFunctions, at: number, length: number): Uint8Array {
  return new Uint8Array(memory.buffer, at, length);
}
