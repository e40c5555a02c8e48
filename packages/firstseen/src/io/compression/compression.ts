// How a compressed input is recognized.

export type Compression = 'none' | 'gzip' | 'zstd';

/** The first bytes of compressed streams; a byte is compared under its mask. */
const beginnings: readonly { compression: Compression; bytes: readonly number[]; masks: readonly number[] }[] = [
  { compression: 'gzip', bytes: [0x1f, 0x8b], masks: [0xff, 0xff] },
  { compression: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd], masks: [0xff, 0xff, 0xff, 0xff] },
  // A skippable frame, which programs that compress in parallel write first (RFC 8878, section 3.1.2).
  { compression: 'zstd', bytes: [0x50, 0x2a, 0x4d, 0x18], masks: [0xf0, 0xff, 0xff, 0xff] },
];

/** The beginnings that match the bytes of a head, as far as there are bytes. */
function beginningsOf(head: Uint8Array): typeof beginnings {
  return beginnings.filter(({ bytes, masks }) =>
    bytes.every((byte, i) => i >= head.length || ((head[i] as number) & (masks[i] as number)) === byte),
  );
}

/** The compression that the first bytes of an input show. */
export function compressionByContent(head: Uint8Array): Compression {
  return beginningsOf(head).find(({ bytes }) => head.length >= bytes.length)?.compression ?? 'none';
}

/** Binary numbers can start with any bytes, so their compression is determined by the file name alone, in any case. */
function compressionByName(path: string): Compression {
  const name = path.toLowerCase();
  if (name.endsWith('.gz')) return 'gzip';
  return name.endsWith('.zst') ? 'zstd' : 'none';
}

/** The compression of an input, by its first bytes, or for binary numbers by its name. */
export function compressionOf(path: string, head: Uint8Array, isBinary: boolean): Compression {
  return isBinary ? compressionByName(path) : compressionByContent(head);
}

/** Whether a head, however short, can still be the start of a compressed stream. */
export function mayBeCompressed(head: Uint8Array): boolean {
  return beginningsOf(head).some(({ bytes }) => head.length < bytes.length);
}
