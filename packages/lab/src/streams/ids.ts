import { FirstseenError } from 'firstseen';
import type { StreamKind } from './contract.js';
import { resolveFile, separatorsOf, type Token } from './files.js';

const ZERO_DIGIT = 0x30;
const WORD = 2 ** 32;
const MAX_SHOWN_BYTES = 40;

function numberError({ kernel, path, number, start, end }: Token): FirstseenError {
  const text = new TextDecoder().decode(kernel.bytes.subarray(start, Math.min(end, start + MAX_SHOWN_BYTES)));
  return new FirstseenError(
    'E_RECORD',
    `element ${number} of ${path} is ${JSON.stringify(text)}, but must be a whole number from 0 to 2^53 - 1`,
    { remedy: 'correct the file, or read it as lines' },
  );
}

/** Writes the number that the digits represent. */
function placeNumber(token: Token): void {
  const { kernel, start, end, target } = token;
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = (kernel.bytes[at] as number) - ZERO_DIGIT;
    value = digit >= 0 && digit <= 9 ? 10 * value + digit : Number.NaN;
  }
  if (!Number.isSafeInteger(value)) throw numberError(token);
  const words = new Uint32Array(kernel.bytes.buffer, target, 2);
  words[0] = value % WORD;
  words[1] = Math.floor(value / WORD);
}

export const ids: StreamKind = {
  name: 'ids',
  title: 'a file of identifiers',
  rule: 'The elements are the whole numbers of a file, separated by white space or commas; gzip and zstd are decompressed.',
  settings: [{ name: 'path', description: 'the file', isText: true }],
  resolve: (spec) =>
    resolveFile(spec, {
      cutting: { separators: separatorsOf(' \t\r\n,'), keepsEmpty: false, place: placeNumber },
    }),
};
