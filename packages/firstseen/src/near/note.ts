// Near-duplicate detection in the note of a state: the settings, and how the options of a later run differ from them.

import { formatBands } from './bands.js';
import type { NearOptions, SignatureSettings } from './settings.js';
import { formatShingle } from './shingle.js';

export type SignatureNote = Record<string, string | number>;

/** The options that result in these settings. */
export function noteOfSettings(settings: SignatureSettings): SignatureNote {
  const { lsh, similarity, hashes, variant, agreeing, normalize, add, explain, fpr, shingle, documentBytes, encoding } =
    settings;
  return {
    lsh: lsh.name,
    similarity,
    ...(shingle === undefined ? { documentBytes, encoding } : { shingle: formatShingle(shingle) }),
    hashes,
    variant,
    bands: formatBands(settings),
    agreeing,
    sets: settings.sets,
    case: settings.case,
    normalize,
    add,
    explain,
    fpr,
  };
}

/** The options that differ from a note, one text for each. Options that are not given follow the note. */
export function differencesToNote(note: SignatureNote, asked: NearOptions): string[] {
  return Object.entries(asked)
    .filter(([name, value]) => name in note && value !== undefined && String(note[name]) !== String(value))
    .map(([name, value]) => `${name} is ${note[name]} in the state, not ${value}`);
}
