import { FirstseenError } from 'firstseen';
import { optionName, phrase } from 'firstseen/internal';
import { fingerprintKinds } from 'firstseen/plan';
import type { StreamKind } from './contract.js';
import { resolveFile, separatorsOf, type Token } from './files.js';

const XXH64 = fingerprintKinds.xxh64.id;

/** The hash of the bytes between two newlines, equal to the one that the command's format `lines` gives under this seed. */
function placeHash({ kernel, start, end, target }: Token): void {
  kernel.exports.fingerprintKey(XXH64, start, end - start, target);
}

export const lines: StreamKind = {
  name: 'lines',
  title: 'a file of lines',
  rule: 'The elements are the lines of a file, identified by their XXH64; gzip and zstd are decompressed.',
  settings: [{ name: 'path', description: 'the file', isText: true }],
  resolve: (spec) =>
    resolveFile(spec, {
      cutting: { separators: separatorsOf('\n'), keepsEmpty: true, place: placeHash },
      checkIdentity: (identity) => {
        if (identity === 'hashed') return;
        throw new FirstseenError(
          'E_PARAMETER',
          phrase`${optionName('identity')} is ${identity}, but lines have no identifiers`,
          {
            option: 'identity',
            given: identity,
            expected: 'hashed',
            remedy: phrase`give ${optionName('identity')} hashed, or read numbers as stream ids`,
          },
        );
      },
    }),
};
