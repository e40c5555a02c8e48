// One run of range motifs over records with known labels.

import { RangeMotifs } from 'firstseen/internal';
import { type MotifErrors, type MotifOptions, MotifTally } from 'firstseen/motifs';
import type { LabelledRecords } from './clusters.js';

export async function measureMotifs(options: MotifOptions, { records, labels }: LabelledRecords): Promise<MotifErrors> {
  const motifs = await RangeMotifs.create(options);
  const { sets } = motifs.observe(records);
  const tally = new MotifTally();
  const names = Array.from({ length: 256 }, (_, label) => String(label));
  for (let i = 0; i < sets.length; i++) tally.add(names[labels[i] as number] as string, sets[i] as number);
  return tally.errors();
}
