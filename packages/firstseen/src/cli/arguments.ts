// The arguments of the command. Node decodes them as UTF-8 and replaces what is not valid, so that a file of such a name would not be
// found. On Linux the bytes can be read again.

import { readFileSync } from 'node:fs';
import { pathOfBytes } from '../io/system/paths.js';

const REPLACEMENT = '\ufffd';
const NUL = 0;

/** The texts that NUL follows. Bytes that are not UTF-8 are escaped as in src/io/system/paths.ts. */
export function splitAtNul(bytes: Buffer): string[] {
  return bytesBeforeNul(bytes).map(pathOfBytes);
}

function bytesBeforeNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0, to = bytes.indexOf(NUL); to !== -1; from = to + 1, to = bytes.indexOf(NUL, from)) {
    parts.push(bytes.subarray(from, to));
  }
  return parts;
}

/**
 * The arguments with the bytes that are not UTF-8 escaped as in src/io/system/paths.ts.
 * @param decoded the arguments as Node decoded them, the last ones of the process
 * @param commandLine the bytes of the command line, each argument followed by NUL
 */
export function withEscapedBytes(decoded: readonly string[], commandLine: Buffer): readonly string[] {
  const raw = bytesBeforeNul(commandLine).slice(-decoded.length);
  const isSame = raw.length === decoded.length && raw.every((bytes, i) => bytes.toString() === decoded[i]);
  return isSame ? raw.map(pathOfBytes) : decoded;
}

/** The arguments of this process. */
export function commandArguments(): readonly string[] {
  const decoded = process.argv.slice(2);
  if (!decoded.some((argument) => argument.includes(REPLACEMENT))) return decoded;
  try {
    return withEscapedBytes(decoded, readFileSync('/proc/self/cmdline'));
  } catch {
    return decoded;
  }
}
