// Reads a document from a file.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { compressionOf } from '../../io/compression/compressions.js';
import { inputError } from '../../io/system/inputerror.js';
import { systemPath } from '../../io/system/paths.js';

function tooLong(path: string, mostBytes: number): FirstseenError {
  return new FirstseenError(
    'E_RECORD',
    phrase`${path} is longer than ${optionName('maxRecordBytes')}, ${formatCounted(mostBytes, 'byte')}`,
  );
}

/** The bytes of a file. The size of a device or a pipe is not known in advance. */
function readAtMost(path: string, mostBytes: number): Uint8Array {
  const file = openSync(systemPath(path), 'r');
  try {
    let bytes = Buffer.alloc(Math.min(fstatSync(file).size, mostBytes) + 1);
    for (let filled = 0; ; ) {
      const read = readSync(file, bytes, filled, bytes.length - filled, null);
      filled += read;
      if (read === 0) return bytes.subarray(0, filled);
      if (filled > mostBytes) throw tooLong(path, mostBytes);
      if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * filled, mostBytes + 1));
    }
  } finally {
    closeSync(file);
  }
}

/**
 * The contents of a file, decompressed if it is compressed.
 * @throws FirstseenError E_INPUT, E_COMPRESSION, or E_RECORD when it is longer than allowed.
 */
export function readDocument(path: string, mostBytes: number): Uint8Array {
  try {
    const stored = readAtMost(path, mostBytes);
    return compressionOf(path, stored, false).decompressAtOnce(stored, { path, mostBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(path, mostBytes);
    throw inputError(path, cause);
  }
}
