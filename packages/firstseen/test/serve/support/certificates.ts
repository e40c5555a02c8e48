// Certificates for servers and clients of tests.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function certificatePath(name: string): string {
  return fileURLToPath(new URL(`./certificates/${name}`, import.meta.url));
}

export function certificate(name: string): Buffer {
  return readFileSync(certificatePath(name));
}

/** A certificate and its key. */
export function pairOf(name: string): { cert: Buffer; key: Buffer } {
  return { cert: certificate(`${name}.pem`), key: certificate(`${name}.key`) };
}
