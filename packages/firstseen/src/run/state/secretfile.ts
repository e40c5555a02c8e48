// A secret that several detectors share, from a file: on the command line every user of the machine could read it.

import { open } from 'node:fs/promises';
import { FirstseenError } from '../../errors.js';

/** More than any secret has: enough to see that a file is none. */
const MOST_BYTES = 256;

async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const bytes = new Uint8Array(MOST_BYTES);
    let filled = 0;
    for (let read = 1; read > 0 && filled < bytes.length; filled += read) {
      read = (await file.read(bytes, filled)).bytesRead;
    }
    return new TextDecoder('latin1').decode(bytes.subarray(0, filled));
  } finally {
    await file.close();
  }
}

/**
 * The 32 hexadecimal digits that a file holds, with or without a newline behind them.
 * @throws FirstseenError E_INPUT when it cannot be read, E_USAGE when it holds anything else, which the message keeps to
 * itself.
 */
export async function readSecretFile(path: string): Promise<string> {
  let text: string;
  try {
    text = await beginningOf(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FirstseenError('E_INPUT', `cannot read secret file ${path}: ${reason}`, { cause });
  }
  const digits = /^([0-9a-f]{32})\r?\n?$/i.exec(text)?.[1];
  if (digits !== undefined) return digits;
  throw new FirstseenError(
    'E_USAGE',
    `secret file ${path} must hold 32 hexadecimal digits and nothing else; make one with: openssl rand -hex 16`,
  );
}
