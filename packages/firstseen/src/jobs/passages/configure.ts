// The calls that prepare a kernel to cut texts into passages.

import { PASSAGE_DOCUMENT, PASSAGE_NGRAM, PASSAGE_PARAGRAPH } from '../../kernel/abi.js';
import type { KernelCall } from '../../kernel/calls.js';
import type { PassageUnit } from './options.js';
import { type ConstantRegions, type CutRegions, constantsOf } from './regions.js';
import type { PassageSettings } from './settings.js';

/** No passage has so many characters, so none is compared. */
const NOTHING = 0xffffffff;

const units: Readonly<Record<PassageUnit, number>> = {
  paragraph: PASSAGE_PARAGRAPH,
  line: PASSAGE_PARAGRAPH,
  ngram: PASSAGE_NGRAM,
  document: PASSAGE_DOCUMENT,
};

/** How the texts of a run are cut. */
export interface Cutting {
  settings: PassageSettings;
  /** Whether texts are values of JSON. */
  isJson: boolean;
}

export function configureCalls(
  { settings, isJson }: Cutting,
  { separator }: ConstantRegions,
  { passages, mostPassages, elements, mostElements, words, texts, table }: CutRegions,
): KernelCall[] {
  const { by, ngram, minLength, minWords, skipEmpty, dolmaQuirks } = settings;
  const separatorBytes = constantsOf(settings).separator.length;
  // With `min_words`, Dolma 1.2.1 compares nothing.
  const least = dolmaQuirks && minWords > 0 ? NOTHING : minLength;
  const flags = [skipEmpty, dolmaQuirks, isJson].map(Number);
  return [
    { name: 'passagesRegions', parameters: [passages, mostPassages, elements, mostElements, words, texts, table] },
    {
      name: 'passagesConfigure',
      parameters: [units[by], separator, separatorBytes, ngram, least, minWords, ...flags],
    },
  ];
}
