// Reads a document from a file.

import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { compressionOf } from '../../io/compression/compressions.js';
import { inputError } from '../../io/system/inputerror.js';
import { systemPath } from '../../io/system/paths.js';
import { BYTE_ORDER_MARK, hasMark } from '../../records/formats.js';

function tooLong(path: string, maxBytes: number): FirstseenError {
  return new FirstseenError(
    'E_RECORD',
    phrase`${path} is longer than ${optionName('maxRecordBytes')}, ${formatCounted(maxBytes, 'byte')}`,
  );
}

/** The bytes of a file, as far as its size says, and what was written to it since. */
function readAtMost(path: string, maxBytes: number): Uint8Array {
  const file = openSync(systemPath(path), 'r');
  try {
    let bytes = Buffer.alloc(Math.min(fstatSync(file).size, maxBytes) + 1);
    for (let filledBytes = 0; ; ) {
      const readBytes = readSync(file, bytes, filledBytes, bytes.length - filledBytes, null);
      filledBytes += readBytes;
      if (readBytes === 0) return bytes.subarray(0, filledBytes);
      if (filledBytes > maxBytes) throw tooLong(path, maxBytes);
      if (filledBytes === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * filledBytes, maxBytes + 1));
    }
  } finally {
    closeSync(file);
  }
}

/** The text of a document without a byte order mark. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return hasMark(bytes) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

function decompressed(path: string, stored: Uint8Array, maxBytes: number): Uint8Array {
  return compressionOf(path, stored, false).decompressAtOnce(stored, { path, maxBytes });
}

function readingError(path: string, maxBytes: number, cause: unknown): FirstseenError {
  const isTooLong = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  return isTooLong ? tooLong(path, maxBytes) : inputError(path, cause);
}

/**
 * The contents of a file, decompressed if it is compressed.
 * @throws FirstseenError E_INPUT, E_COMPRESSION, or E_RECORD when it is longer than allowed.
 */
export function readDocument(path: string, maxBytes: number): Uint8Array {
  try {
    return decompressed(path, readAtMost(path, maxBytes), maxBytes);
  } catch (cause) {
    throw readingError(path, maxBytes, cause);
  }
}

/**
 * As `readDocument`, for a pipe or a device, which may never end: the process can be stopped meanwhile.
 * @throws FirstseenError as `readDocument`
 */
export async function readPipe(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const pieces: Uint8Array[] = [];
    let filledBytes = 0;
    for await (const piece of createReadStream(systemPath(path))) {
      pieces.push(piece as Uint8Array);
      filledBytes += (piece as Uint8Array).length;
      if (filledBytes > maxBytes) throw tooLong(path, maxBytes);
    }
    return decompressed(path, Buffer.concat(pieces), maxBytes);
  } catch (cause) {
    throw readingError(path, maxBytes, cause);
  }
}
