// Passages in the note of a state or a snapshot: what decides the elements of the table, and in a snapshot of the library also the other
// settings and what was counted.

import { defined } from '../base/defined.js';
import { isCount } from '../base/jsonchecks.js';
import { brokenSnapshot } from '../snapshot/frame.js';
import type { SavedJob } from '../snapshot/savedjob.js';
import type { CuttingSettings } from './cutting.js';

/** The name of the job in the note of a state. */
export const PASSAGES = 'passages';

/** The counts so far. */
export interface PassageTotals {
  /** Texts observed. */
  texts: number;
  /** Passages that were compared. */
  passages: number;
  /** Passages that were seen before. */
  seen: number;
}

/** The settings that may differ from those with which the table was made. */
export type FreeSettings = Pick<CuttingSettings, 'overlap' | 'minLength' | 'minWords' | 'skipEmpty'>;

/** The note that only a snapshot of the library has; null in a state of the command. */
export interface PassageNote extends Omit<FreeSettings, 'overlap'> {
  /** The overlap of n-grams. */
  overlap?: number;
  totals: PassageTotals;
}

/** Returns the settings that decide the elements of the table. */
export function noteOfPassages({
  by,
  separator,
  ngram,
}: Pick<CuttingSettings, 'by' | 'separator' | 'ngram'>): SavedJob['settings'] {
  const isParagraph = by === 'paragraph' || by === 'ngram';
  return { by, ...(isParagraph ? { separator } : {}), ...(by === 'ngram' ? { ngram } : {}) };
}

/** The job of a snapshot of the library. */
export function savedPassages(
  settings: Omit<CuttingSettings, 'dolmaQuirks'>,
  totals: PassageTotals,
): SavedJob<PassageNote> {
  const { by, overlap, minLength, minWords, skipEmpty } = settings;
  return {
    ...{ name: PASSAGES, settings: noteOfPassages(settings), observed: totals.texts, duplicates: 0 },
    rest: { ...(by === 'ngram' ? { overlap } : {}), minLength, minWords, skipEmpty, totals: { ...totals } },
  };
}

function isCounted(totals: Partial<PassageTotals> | undefined): totals is PassageTotals {
  const { texts, passages, seen } = totals ?? {};
  return [texts, passages, seen].every(isCount);
}

/** The settings that a snapshot names, and its counts. A state of the command has no counts, so they begin at 0. */
export interface KnownPassages {
  settings: Partial<CuttingSettings>;
  totals: PassageTotals;
}

/** @throws FirstseenError E_SNAPSHOT when the counts are not possible. */
export function passagesOfJob({ settings, rest }: SavedJob): KnownPassages {
  const { by, separator, ngram } = settings as Partial<CuttingSettings>;
  const elements = defined({ by, separator, ngram });
  if (rest === null) return { settings: elements, totals: { texts: 0, passages: 0, seen: 0 } };
  const { totals, overlap, minLength, minWords, skipEmpty } = rest as Partial<PassageNote>;
  if (!isCounted(totals)) throw brokenSnapshot('it has no valid counts of passages');
  return { settings: { ...elements, ...defined({ overlap, minLength, minWords, skipEmpty }) }, totals };
}
