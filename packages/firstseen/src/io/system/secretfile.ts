// Reads a secret that several detectors share from a file. On the command line, every user of the machine could see it.

import { open } from 'node:fs/promises';
import { FirstseenError } from '../../base/errors.js';
import { fillFrom } from './fill.js';
import { systemPath } from './paths.js';
import { systemDetails, systemProblem } from './systemproblem.js';

/** Longer than any secret: enough to recognize a file that is not one. */
const MAX_BYTES = 256;

async function beginningOf(path: string): Promise<string> {
  const file = await open(systemPath(path));
  try {
    const bytes = new Uint8Array(MAX_BYTES);
    const filledBytes = await fillFrom(file, bytes);
    return new TextDecoder('latin1').decode(bytes.subarray(0, filledBytes));
  } finally {
    await file.close();
  }
}

/**
 * The 32 hexadecimal digits in a file, with or without a newline at the end.
 * @throws FirstseenError E_INPUT when the file cannot be read, E_USAGE when it holds anything else, which the message does not
 * show.
 */
export async function readSecretFile(path: string): Promise<string> {
  let text: string;
  try {
    text = await beginningOf(path);
  } catch (cause) {
    const { problem } = systemProblem(cause, 'read');
    throw new FirstseenError('E_INPUT', `cannot read secret file ${path}: ${problem}`, {
      option: 'secretFile',
      given: path,
      ...systemDetails(cause, 'read'),
    });
  }
  const digits = /^([0-9a-f]{32})\r?\n?$/i.exec(text)?.[1];
  if (digits !== undefined) return digits;
  throw new FirstseenError('E_USAGE', `secret file ${path} does not hold exactly 32 hexadecimal digits`, {
    option: 'secretFile',
    given: path,
    expected: 'a file of 32 hexadecimal digits',
    remedy: 'make one with: openssl rand -hex 16',
  });
}
