// Shared code of the tests of inputs.

import type { ByteReader, InputMark, InputRequest, Source } from '../../../src/io/source.js';
import { lookAtInput, requestOf } from '../../../src/io/sources.js';

/** Reads everything from a reader in small pieces, and closes it. */
export async function readAll(reader: ByteReader): Promise<string> {
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

export function look(input: string | InputRequest): Promise<Source> {
  return lookAtInput(typeof input === 'string' ? requestOf(input) : input, 'lines');
}

/** What a later run knows of an input of which so many bytes were read. */
export async function markAfter(source: Source, offset: number): Promise<InputMark> {
  const reader = await source.open();
  try {
    const target = new Uint8Array(offset);
    for (let read = 1, filled = 0; read > 0 && filled < offset; filled += read) {
      read = await reader.read(target.subarray(filled));
    }
    return await reader.markAt(offset);
  } finally {
    await reader.close();
  }
}
