// Random frames: `npm run fuzz:pipe` runs many more.

import { expect, test } from 'vitest';
import { isLongForm } from '../support/form.js';
import { Random } from '../support/streams.js';
import { differenceOver } from './support/random.js';

const INPUTS = isLongForm ? 2000 : 30;

test('random frames are answered as the library does, however they are cut', async () => {
  const random = new Random(56);
  for (let i = 0; i < INPUTS; i++) expect([i, await differenceOver(random)]).toEqual([i, undefined]);
});
