// Recognizes a file by its bytes: a digest of its first and last bytes, up to a length.

import { createHash } from 'node:crypto';

/** Bytes at the start and at the end of a file that its digest covers. */
export const EDGE_BYTES = 4096;

/** A file that can be read at a position, such as a `FileHandle`. */
export interface ReadableAt {
  read(target: Uint8Array, offset: number, bytes: number, position: number): Promise<{ bytesRead: number }>;
}

export async function readEdge(file: ReadableAt, bytes: number, position: number): Promise<Uint8Array> {
  const edge = new Uint8Array(bytes);
  const { bytesRead } = await file.read(edge, 0, bytes, position);
  return edge.subarray(0, bytesRead);
}

/** The digest of two edges, in hexadecimal. */
export function digestOf(edges: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const edge of edges) hash.update(edge);
  return hash.digest('hex');
}

/** Digits of the digest of a beginning: enough to recognize one among the few of a file. */
export const BEGINNING_DIGITS = 16;

/** SHA-256 of the first and the last bytes of the first `bytes` bytes of a file, in hexadecimal. */
export async function digestEdges(file: ReadableAt, bytes: number): Promise<string> {
  const edgeBytes = Math.min(bytes, EDGE_BYTES);
  return digestOf([await readEdge(file, edgeBytes, 0), await readEdge(file, edgeBytes, bytes - edgeBytes)]);
}
