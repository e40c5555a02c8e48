// The calls that prepare a kernel to cut texts into passages.

import { PASSAGE_DOCUMENT, PASSAGE_NGRAM, PASSAGE_PARAGRAPH } from '../kernel/abi.js';
import type { KernelCall } from '../kernel/calls.js';
import type { CuttingSettings, PassageUnit } from './cutting.js';
import { type CutRegions, separatorBytes } from './regions.js';

/** No passage has so many characters, so none is compared. */
const NOTHING = 0xffffffff;

const units: Readonly<Record<PassageUnit, number>> = {
  paragraph: PASSAGE_PARAGRAPH,
  line: PASSAGE_PARAGRAPH,
  ngram: PASSAGE_NGRAM,
  document: PASSAGE_DOCUMENT,
};

/** The rules by which texts are cut. */
export interface Cutting {
  settings: CuttingSettings;
  /** True if the spans of texts have the quotes of JSON at their ends. */
  hasQuotes: boolean;
  /** True if a text may be several ones with boundaries between them. */
  hasBoundaries: boolean;
}

/** `separator` is the address of the bytes between paragraphs. */
export function configureCalls(
  { settings, hasQuotes, hasBoundaries }: Cutting,
  separator: number,
  { passages, maxPassages, elements, maxElements, words, texts, table }: CutRegions,
): KernelCall[] {
  const { by, ngram, minLength, minWords, skipEmpty, dolmaQuirks } = settings;
  const { length } = separatorBytes(settings);
  // With `min_words`, Dolma 1.2.1 compares nothing.
  const least = dolmaQuirks && minWords > 0 ? NOTHING : minLength;
  const flags = [skipEmpty, dolmaQuirks, hasQuotes, hasBoundaries].map(Number);
  return [
    { name: 'passagesRegions', parameters: [passages, maxPassages, elements, maxElements, words, texts, table] },
    {
      name: 'passagesConfigure',
      parameters: [units[by], separator, length, ngram, least, minWords, ...flags],
    },
  ];
}
