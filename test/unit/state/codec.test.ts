import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Detector } from '../../../src/detectors/detector.ts';
import { FirstseenError } from '../../../src/errors.ts';
import { load, save } from '../../../src/state/codec.ts';
import { repeatingFingerprints, snapshotCases, usedDetector } from '../../support/snapshots.ts';

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FirstseenError)) throw new Error(`expected a FirstseenError, met ${error}`);
  return error.code;
}

describe.each(snapshotCases)('a snapshot of $name', (snapshotCase) => {
  it('goes on exactly as the saved detector, wherever it was taken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), async (count) => {
        const saved = await usedDetector(snapshotCase, count);
        const loaded = await load(await save(saved));
        const rest = repeatingFingerprints(count, 2000);
        expect(loaded.observeBatch(rest)).toEqual(saved.observeBatch(rest));
        expect(loaded.stats()).toEqual(saved.stats());
        expect(await save(loaded)).toEqual(await save(saved));
      }),
      { seed: 5, numRuns: 8 },
    );
  });

  it('is the same bytes when it is saved again', async () => {
    const snapshot = await save(await usedDetector(snapshotCase, 1234));
    expect(await save(await load(snapshot))).toEqual(snapshot);
  });
});

describe('a snapshot', () => {
  const aCase = { name: 'rlbsbf-blocked', algorithm: 'rlbsbf', layout: 'blocked' } as const;

  it('keeps every setting', async () => {
    const detector = await Detector.create({
      algorithm: 'rsbf',
      memory: 4099,
      layout: 'classic',
      seed: 2n ** 64n - 1n,
      fingerprint: 'rabin',
      parameters: { k: 3, variant: 'dutta-2012', 'p*': 0.25 },
    });
    expect((await load(await save(detector))).settings).toEqual(detector.settings);
  });

  it('leaves the zeros behind the last used cell out', async () => {
    const detector = await Detector.create({ algorithm: 'exact', memory: '64MiB' });
    detector.observe('a');
    expect((await save(detector)).length).toBeLessThan(32 * 1024);
  });

  it('is refused with E_SNAPSHOT when any byte of it is changed', async () => {
    const snapshot = await save(await usedDetector(aCase, 500));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: snapshot.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const broken = snapshot.slice();
          broken[at] = (broken[at] as number) ^ change;
          expect(await codeOf(load(broken))).toBe('E_SNAPSHOT');
        },
      ),
      { seed: 6, numRuns: 300 },
    );
  });

  it('is refused with E_SNAPSHOT when it is cut short, lengthened, empty or something else', async () => {
    const snapshot = await save(await usedDetector(aCase, 500));
    for (const length of [0, 1, 63, 64, 65, snapshot.length - 9, snapshot.length - 1]) {
      expect(await codeOf(load(snapshot.subarray(0, length)))).toBe('E_SNAPSHOT');
    }
    expect(await codeOf(load(Uint8Array.of(...snapshot, 0)))).toBe('E_SNAPSHOT');
    expect(await codeOf(load(new TextEncoder().encode('a log line\n'.repeat(50))))).toBe('E_SNAPSHOT');
  });

  it('of a later version says so', async () => {
    const snapshot = await save(await usedDetector(aCase, 10));
    snapshot[8] = 99;
    await expect(load(snapshot)).rejects.toThrow(/version 99/);
  });

  it('allocates nothing on the word of a length', async () => {
    const snapshot = await save(await usedDetector(aCase, 10));
    new DataView(snapshot.buffer).setUint32(44, 0xffffffff, true);
    await expect(load(snapshot)).rejects.toThrow(/header claims/);
  });
});
