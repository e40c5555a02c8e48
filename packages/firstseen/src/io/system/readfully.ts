// A read that goes on where the system gives fewer bytes than it could, as network file systems do.

import { readSync } from 'node:fs';

/** Fills `target` from a position of a file, as far as the file goes; returns the number of bytes read. @throws Error of the system */
export function readFully(descriptor: number, target: Uint8Array, position: number): number {
  let at = 0;
  while (at < target.length) {
    const bytes = readSync(descriptor, target, at, target.length - at, position + at);
    if (bytes === 0) break;
    at += bytes;
  }
  return at;
}
