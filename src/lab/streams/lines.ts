import { FirstseenError } from '../../errors.js';
import type { StreamKind } from './contract.js';
import { placeHash, resolveFile, separatorsOf } from './files.js';

export const lines: StreamKind = {
  name: 'lines',
  title: 'a file of lines',
  rule: 'The lines of a file, gzip or plain, are the elements, known by their XXH64.',
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
