// The compressions, one row each, and how one is recognized.

import { promisify } from 'node:util';
import { constants, gunzipSync, gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { foreignContents } from '../../framing/content/foreigncontents.js';
import type { Beginning, Compression } from './compression.js';
import { gunzipped } from './decompress.js';
import { decompressedFrames, frameCompressor, zstdAtOnce } from './zstd.js';

/** Below it, a thread of Node's pool takes more time to be called than it saves. */
const SHORT_BYTES = 64 * 1024;

const rowsByName = {
  none: { name: 'none', beginnings: [], decompress: (chunks) => chunks, decompressAtOnce: (stored) => stored },
  gzip: {
    name: 'gzip',
    ending: '.gz',
    beginnings: [{ bytes: [0x1f, 0x8b], masks: [0xff, 0xff] }],
    decompress: gunzipped,
    decompressAtOnce: (stored, { maxBytes }) => gunzipSync(stored, { maxOutputLength: maxBytes }),
    compressor: async ({ gzipLevel: level = constants.Z_DEFAULT_COMPRESSION }) => {
      const compress = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);
      return async (piece) => (piece.length < SHORT_BYTES ? gzipSync(piece, { level }) : compress(piece, { level }));
    },
  },
  zstd: {
    name: 'zstd',
    ending: '.zst',
    beginnings: [
      { bytes: [0x28, 0xb5, 0x2f, 0xfd], masks: [0xff, 0xff, 0xff, 0xff] },
      // A skippable frame, which programs that compress in parallel write first (RFC 8878, section 3.1.2).
      { bytes: [0x50, 0x2a, 0x4d, 0x18], masks: [0xf0, 0xff, 0xff, 0xff] },
    ],
    decompress: decompressedFrames,
    decompressAtOnce: zstdAtOnce,
    compressor: ({ path }) => frameCompressor(path),
  },
} satisfies Record<string, Compression>;

export const compressions: { readonly [Name in keyof typeof rowsByName]: Compression } = rowsByName;

const rows: readonly Compression[] = Object.values(compressions);

/** Bytes of a file that show its compression. */
export const BEGINNING_BYTES = Math.max(
  ...rows.flatMap(({ beginnings }) => beginnings.map(({ bytes }) => bytes.length)),
);

/** The compression of a name that a row has. */
export function compressionNamed(name: string): Compression {
  return rows.find((row) => row.name === name) as Compression;
}

/** Tells if a head agrees with the first bytes of a compressed stream, as far as both have bytes. */
function mayBegin(head: Uint8Array, { bytes, masks }: Beginning): boolean {
  return bytes.every((byte, i) => i >= head.length || ((head[i] as number) & (masks[i] as number)) === byte);
}

/** Tells if the first bytes of an input show a compression. */
function isShown({ beginnings }: Compression, head: Uint8Array): boolean {
  return beginnings.some((beginning) => head.length >= beginning.bytes.length && mayBegin(head, beginning));
}

/** The compression that the first bytes of an input show. */
export function compressionByContent(head: Uint8Array): Compression {
  return rows.find((row) => isShown(row, head)) ?? compressions.none;
}

/** Tells if a head, however short, can still be the start of a compressed stream. */
export function mayBeCompressed(head: Uint8Array): boolean {
  return rows.some(({ beginnings }) =>
    beginnings.some((beginning) => head.length < beginning.bytes.length && mayBegin(head, beginning)),
  );
}

/** Tells if a name, in upper or lower case, is that of a compressed file. */
function hasEnding(path: string, { ending }: Compression): boolean {
  return ending !== undefined && path.toLowerCase().endsWith(ending);
}

/**
 * The compression of an input, by its first bytes. Binary numbers can start with any bytes, and some compressions do too; those are
 * determined by the name alone, in any case.
 */
export function compressionOf(path: string, head: Uint8Array, isBinary: boolean, among = rows): Compression {
  const shown = isBinary ? undefined : among.find((row) => isShown(row, head));
  const named = among.find((row) => hasEnding(path, row) && (isBinary || row.beginnings.length === 0));
  return shown ?? named ?? compressions.none;
}

/**
 * The compression of an output: gzip if that was asked for, otherwise the one that its name says.
 * @throws FirstseenError E_USAGE for a name of content that is never written.
 */
export function outputCompression({ path, isCompressed }: { path: string | null; isCompressed: boolean }): Compression {
  const named = path === null ? undefined : rows.find((row) => hasEnding(path, row));
  if (path !== null) checkOutputName(path, named, isCompressed);
  return isCompressed ? compressions.gzip : (named ?? compressions.none);
}

function checkOutputName(path: string, compression: Compression | undefined, isCompressed: boolean): void {
  const name = path.toLowerCase();
  const foreignContent = foreignContents.find(({ endings = [] }) =>
    endings.some((ending) => name.endsWith(ending.toLowerCase())),
  );
  if (foreignContent) throw neverWritten(path, foreignContent.what);
  if (compression === undefined || (compression === compressions.gzip && isCompressed)) return;
  if (isCompressed) {
    throw new FirstseenError(
      'E_USAGE',
      phrase`${optionName('isCompressed')} was given, which writes gzip, but the name of ${path} says ${compression.name}`,
      { option: 'isCompressed', remedy: phrase`leave ${optionName('isCompressed')} out` },
    );
  }
  if (!compression.compressor) throw neverWritten(path, `compressed with ${compression.name}`);
}

function neverWritten(path: string, what: string): FirstseenError {
  return new FirstseenError('E_USAGE', `cannot write ${path}: an output is never ${what}`, {
    given: path,
    remedy: 'name an output that ends in .gz or .zst, or give standard output to another program',
  });
}

/** The ending of a name that says a compression; empty if none does. */
export function compressionEnding(name: string): string {
  return rows.find((row) => hasEnding(name, row))?.ending ?? '';
}

/** A name without the ending of a compression. */
export function withoutCompression(name: string): string {
  return name.slice(0, name.length - compressionEnding(name).length);
}
