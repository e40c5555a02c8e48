// Shared code of the tests of inputs.

import { expect } from 'vitest';
import type { InputReader, InputRequest, Source } from '../../../src/io/source.js';
import { isPositionOf, lookAtInput } from '../../../src/io/sources.js';

/** Reads everything from a reader in small pieces, and closes it. */
export async function readAll(reader: InputReader): Promise<string> {
  const target = new Uint8Array(7);
  const pieces: Buffer[] = [];
  try {
    for (let bytes = await reader.read(target); bytes > 0; bytes = await reader.read(target)) {
      pieces.push(Buffer.from(target.subarray(0, bytes)));
    }
  } finally {
    await reader.close();
  }
  return Buffer.concat(pieces).toString();
}

export function look(request: InputRequest): Promise<Source> {
  return lookAtInput(request, { isBinary: false });
}

/** Checks the behaviour of every input that can be read again. */
export async function expectReadOn(source: Source, whole: string): Promise<void> {
  expect(await readAll(await source.open())).toBe(whole);
  for (const offset of [0, 1, 6, whole.length]) {
    const position = source.positionAt(offset);
    expect(JSON.parse(JSON.stringify(position))).toEqual(position);
    expect(isPositionOf(source.note, position)).toBe(true);
    expect(await readAll(await source.open(position))).toBe(whole.slice(offset));
  }
  expect(Buffer.from(await source.bytesAround(6)).toString()).toBe(whole.slice(5, 8));
  expect(Buffer.from(await source.bytesAround(whole.length)).toString()).toBe('\n');
}
