// Duplicates that restart their window although the detector has no refresh.

import { expect, it } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { renewDuplicates } from '../../../src/detectors/renewing.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { choices } from '../../kafka/support/workers.js';

const WINDOW_MILLISECONDS = 40;

it.each(['apbf', 'pocketwindow'] as const)(
  'makes %s answer as with refresh, and then as without',
  async (algorithm) => {
    const options = { algorithm, window: '40ms', memory: '4KiB', clock: 'manual' } as const;
    const [plain, renewing, refreshing] = await Promise.all([
      Detector.create(options),
      Detector.create(options),
      Detector.create({ ...options, refresh: true }),
    ]);
    renewDuplicates(renewing, true);
    const choose = choices(3);
    const answersAt = (time: number) => {
      const key = choose(60);
      return [plain, renewing, refreshing].map((detector) => {
        detector.advance(time);
        return detector.observe(key);
      });
    };
    const some = Array.from({ length: 600 }, (_, time) => answersAt(1 + time));
    expect(some.map(([, answer]) => answer)).toEqual(some.map(([, , answer]) => answer));
    expect(some.map(([, answer]) => answer)).not.toEqual(some.map(([answer]) => answer));
    renewDuplicates(renewing, false);
    // What was in their windows before has left them.
    const others = Array.from({ length: 600 }, (_, time) => answersAt(2000 + time));
    expect(others.map(([, answer]) => answer)).toEqual(others.map(([answer]) => answer));
  },
);

it('keeps in exactwindow what was added last, also when it is full, and has each element once after it', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const choose = choices(seed);
    const capacity = 43 + choose(30);
    const detector = await Detector.create({
      ...{ algorithm: 'exactwindow', window: `${WINDOW_MILLISECONDS}ms`, memory: capacity * 24, clock: 'manual' },
    });
    const added = new Map<number, number>();
    for (let round = 0; round < 4; round++) {
      const isRenewing = round % 2 === 0;
      renewDuplicates(detector, isRenewing);
      for (let step = 0; step < 300; step++) {
        const time = 1 + (round * 300 + step) / 4;
        detector.advance(time);
        const now = Math.floor(time);
        for (const [key, at] of added) if (now - at > WINDOW_MILLISECONDS) added.delete(key);
        const key = choose(capacity);
        const isHeld = added.has(key);
        expect(detector.observe(key)).toBe(isHeld ? 'duplicate' : 'distinct');
        if (!isHeld || isRenewing) added.set(key, now);
      }
    }
    renewDuplicates(detector, false);
    expect(((await load(await save(detector), { clock: 'manual' })) as Detector).observed).toBe(1200);
  }
});
