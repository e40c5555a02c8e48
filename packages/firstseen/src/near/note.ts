// Near-duplicate detection in the note of a state: the settings, and how the options of a later run differ from them.

import { checkWhole } from '../base/check.js';
import { differencesOf } from '../base/differences.js';
import { FirstseenError, phrase, shownValue } from '../base/errors.js';
import { isCount } from '../base/jsonchecks.js';
import { sketchFamily } from '../detectors/registry.js';
import { MAX_SKETCH_SLOTS } from '../detectors/sketches.js';
import { SCAN_KEYS_MAXIMUM } from '../kernel/abi.js';
import { brokenSnapshot, USE_WRITER } from '../snapshot/frame.js';
import { decodeJobNote, type SavedJob } from '../snapshot/savedjob.js';
import { formatBands } from './bands.js';
import type { NearStats } from './nearstats.js';
import { isRingNote, type RingNote } from './ring.js';
import { type NearOptions, type NearSettings, resolveSignature, type SignatureSettings } from './settings.js';
import { formatShingle } from './shingle.js';
import { WORD_RULES } from './text.js';

/** The contents of a snapshot apart from the table. */
export interface NearNote extends NearStats {
  ring: RingNote;
  /** The names of the documents that were added last, in states of runs that write names; from the oldest to the newest, as JSON. */
  names?: string[];
}

/** Tells if a table is the one of the settings of signatures. */
function isOwnTable({ verify, sketchBytes, sketchSlots, bands, table }: NearSettings): boolean {
  const { S, b, M = 1 } = table.parameters.values;
  const hasSizes = S === sketchBytes && b === bands && M === sketchSlots;
  return (table.family === sketchFamily) === verify && (!verify || hasSizes);
}

/** @throws FirstseenError E_SNAPSHOT when the counts are not possible, or the settings and the table contradict each other. */
export function checkNearNote(note: unknown, settings: NearSettings): NearNote {
  if (!isOwnTable(settings)) throw brokenSnapshot('its settings and its table contradict each other');
  const { observed, duplicates, sets, ring } = (note ?? {}) as Partial<NearNote>;
  const isCounted = [observed, duplicates, sets].every(isCount) && Number(sets) <= settings.sets;
  if (isCounted && isRingNote(ring)) return { observed, duplicates, sets, ring } as NearNote;
  throw new FirstseenError('E_SNAPSHOT', 'the snapshot has no valid counts of documents', {
    remedy: 'restore the file from a copy',
  });
}

export type SignatureNote = Record<string, string | number | boolean>;

/** The name of the job in the note of a state. */
export const NEAR = 'near';

/** The note that states of the command and snapshots of the library have in common. */
export type NearJobNote = SavedJob<NearNote>;

export function jobNoteOf(settings: SignatureSettings, note: NearNote): NearJobNote {
  const { observed, duplicates } = note;
  return { name: NEAR, settings: noteOfSettings(settings), observed, duplicates, rest: note };
}

/** @throws FirstseenError E_SNAPSHOT when documents were compared by words that this version does not find. */
export function checkWordRules({ shingle, wordRules }: SignatureNote): void {
  if (shingle === undefined || wordRules === WORD_RULES) return;
  const rules = wordRules === undefined ? 'no rules of words' : phrase`the rules of words ${shownValue(wordRules)}`;
  const problem = phrase`the snapshot has ${rules}, but this version of firstseen finds words by ${WORD_RULES}`;
  throw new FirstseenError('E_SNAPSHOT', problem, { remedy: USE_WRITER });
}

/**
 * The parts of the note of a snapshot.
 * @throws FirstseenError E_SNAPSHOT for another note.
 */
export function decodeNearNote(bytes: Uint8Array): { job: NearJobNote; note: Uint8Array } {
  const { job, note } = decodeJobNote(bytes, { name: NEAR, what: 'near-duplicate detection' });
  checkWordRules((job as NearJobNote).settings);
  return { job: job as NearJobNote, note };
}

/** The options that result in these settings. */
export function noteOfSettings(settings: SignatureSettings): SignatureNote {
  const { lsh, similarity, hashes, variant, agreeing, normalize, add, explain, fpr, shingle, documentBytes, encoding } =
    settings;
  const { verify, sketchBytes, sketchSlots, confidence, texts } = settings;
  return {
    lsh: lsh.name,
    similarity,
    ...(shingle === undefined ? { documentBytes, encoding } : { shingle: formatShingle(shingle) }),
    hashes,
    variant,
    bands: formatBands(settings),
    ...(verify ? { verify, sketchBytes, confidence } : { agreeing, sets: settings.sets }),
    case: settings.case,
    normalize,
    ...(shingle === undefined ? {} : { wordRules: WORD_RULES }),
    ...(texts > 0 ? { texts } : {}),
    ...(sketchSlots > 1 ? { sketchSlots } : {}),
    add,
    explain,
    ...(verify ? {} : { fpr }),
  };
}

/** The options of a note. Only notes of states that verify say so. */
function optionsOfNote(note: SignatureNote): NearOptions {
  return { verify: false, ...note };
}

/**
 * The settings of a note, with options that do not differ from it.
 * @throws FirstseenError E_PARAMETER when no settings have this note.
 */
export function settingsOfNote(note: SignatureNote, overrides: NearOptions = {}): SignatureSettings {
  const { wordRules: _, texts = 0, sketchSlots = 1, ...options } = note;
  return resolveSignature(
    { ...optionsOfNote(options), ...overrides },
    {
      texts: checkWhole('texts', texts as number, { least: 0, most: SCAN_KEYS_MAXIMUM }),
      sketchSlots: checkWhole('sketchSlots', sketchSlots as number, { least: 1, most: MAX_SKETCH_SLOTS }),
    },
  );
}

/** The options that differ from a note, one text for each. Options that are not given follow the note. */
export function differencesToNote(note: SignatureNote, options: NearOptions): string[] {
  const values: Readonly<Record<string, unknown>> = { ...options };
  const noted = Object.entries(optionsOfNote(note));
  return differencesOf(noted.map(([name, inState]) => ({ what: name, inState, given: values[name] })));
}
