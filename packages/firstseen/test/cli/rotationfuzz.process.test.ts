// The quick form of the rotation fuzz. `npm run fuzz:rotation` runs the long form.

import { expect, test } from 'vitest';
import { type Mode, rotationRound } from '../fuzz/rotation/round.js';
import { inLongForm, sampleNote, sampleOf } from '../support/form.js';
import { requiresPosix } from '../support/platform.js';
import { temporaryFolder } from './support/command.js';

const rounds: [Mode, number][] = [
  ['between', 3],
  ['during', 5],
  ['follow', 7],
  ['overtaken', 4],
];
const more: [Mode, number][] = [
  ['between', 11],
  ['during', 12],
  ['overtaken', 9],
];

test.each(inLongForm([...rounds, ...more], sampleOf(rounds, 2)))(
  `rotation %s, seed %i: every line comes out once${sampleNote}`,
  async (mode, seed) => {
    requiresPosix('signals that a process can handle');
    const { problem, lines } = await rotationRound(temporaryFolder(), seed, mode);
    expect(problem).toBeUndefined();
    expect(lines).toBeGreaterThan(0);
  },
);
