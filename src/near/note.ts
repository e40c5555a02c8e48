// Near-duplicate detection in the note of a snapshot: what was asked for, and what it holds besides its table.

import { type Bands, formatBands } from './bands.js';
import type { NearNote } from './detector.js';
import type { NearOptions, NearSettings } from './settings.js';
import { formatShingle } from './shingle.js';

/** Options that make the same settings but for the table, which the snapshot holds itself. */
export type NearSettingsNote = Required<
  Pick<
    NearOptions,
    'lsh' | 'similarity' | 'hashes' | 'variant' | 'bands' | 'agreeing' | 'case' | 'normalize' | 'add' | 'explain'
  >
> &
  Pick<NearOptions, 'shingle' | 'documentBytes'>;

export interface NearSnapshotNote extends NearNote {
  settings: NearSettingsNote;
}

export function noteOfSettings(settings: NearSettings): NearSettingsNote {
  const { lsh, similarity, hashes, variant, agreeing, add, explain, normalize, shingle, documentBytes } = settings;
  return {
    lsh: lsh.name,
    similarity,
    hashes,
    variant,
    bands: formatBands(settings as Bands),
    agreeing,
    case: settings.case,
    normalize,
    add,
    explain,
    ...(shingle === undefined ? { documentBytes } : { shingle: formatShingle(shingle) }),
  };
}
