import { FirstseenError } from '../../errors.js';
import { fingerprintKinds } from '../../fingerprint/fingerprint.js';
import type { StreamKind } from './contract.js';
import { resolveFile, separatorsOf, type Token } from './files.js';

const XXH64 = fingerprintKinds.xxh64.id;
const CARRIAGE_RETURN = 0x0d;

/** The hash of the bytes, as detectors know a line of this seed: without the carriage return of a CRLF. */
function placeHash({ kernel, start, end, target }: Token): void {
  const hasReturn = end > start && kernel.bytes[end - 1] === CARRIAGE_RETURN;
  kernel.exports.fingerprintKey(XXH64, start, end - start - (hasReturn ? 1 : 0), target);
}

export const lines: StreamKind = {
  name: 'lines',
  title: 'a file of lines',
  rule: 'The lines of a file, gzip, zstd or plain, are the elements, known by their XXH64.',
  settings: [{ name: 'path', description: 'the file', isText: true }],
  resolve: (spec) =>
    resolveFile(spec, {
      cutting: { separators: separatorsOf('\n'), keepsEmpty: true, place: placeHash },
      checkIdentity: (identity) => {
        if (identity === 'hashed') return;
        throw new FirstseenError(
          'E_PARAMETER',
          'lines have no identifiers; use identity hashed, or stream ids for numbers',
        );
      },
    }),
};
