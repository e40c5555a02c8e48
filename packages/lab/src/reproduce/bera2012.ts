// bera-2012: every table, and the figures whose curves run over the streams of the tables.

import { bera2012Tables } from '../published/bera2012.js';
import { bera2012Figures } from '../published/bera2012figures.js';
import type { SectionSpec } from './contract.js';
import { figureSection } from './figures.js';
import { bera2012Independent } from './independent.js';
import { tableSection } from './tables.js';

export const bera2012Sections: readonly SectionSpec[] = [
  ...bera2012Tables.map((table) => tableSection(table)),
  bera2012Independent,
  ...bera2012Figures.map((figure) => figureSection(figure)),
];
