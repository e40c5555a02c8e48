// Reads a document from a file.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import * as zlib from 'node:zlib';
import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { compressionOf } from '../../io/compression/compression.js';
import { inputError } from '../../io/system/inputerror.js';
import { systemPath } from '../../io/system/paths.js';

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

function decompressOf(path: string, compression: 'gzip' | 'zstd'): Decompress {
  if (compression === 'gzip') return zlib.gunzipSync;
  // Node has zstd from 22.15 and 23.8 on; the types of Node 20 do not know it.
  const decompress = (zlib as { zstdDecompressSync?: Decompress }).zstdDecompressSync;
  if (decompress) return decompress;
  throw new FirstseenError(
    'E_COMPRESSION',
    `${path} is compressed with zstd, which Node ${process.versions.node} cannot decompress`,
    { remedy: 'use Node 22.15 or later' },
  );
}

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
    const compression = compressionOf(path, stored, false);
    if (compression === 'none') return stored;
    return decompressOf(path, compression)(stored, { maxOutputLength: mostBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(path, mostBytes);
    throw inputError(path, cause);
  }
}
