import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.ts';
import { Detector, kernelOf } from '../../../src/detectors/detector.ts';
import type { DetectorOptions } from '../../../src/detectors/settings.ts';
import type { DetectorName } from '../../../src/kernel/abi.js';
import { readLengths } from '../../../src/snapshot/frame.ts';
import { load } from '../../../src/snapshot/load.ts';
import { save } from '../../../src/snapshot/snapshots.ts';
import { referenceXxh64 } from '../../reference/xxh64.ts';
import { inLongForm } from '../../support/form.ts';
import { keyedCase, repeatingFingerprints, snapshotCases, usedDetector } from '../../support/snapshots.ts';

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FirstseenError)) throw new Error(`expected a FirstseenError, met ${error}`);
  return error.code;
}

/** Registers of exact, as defined in assembly/detectors/exact.ts. */
const HELD = 8;
const LEVEL = 9;
const ZERO_SEEN = 10;
/** Number of slots of a table in 64 KiB before it grows. */
const FIRST_SLOTS = 512;

/** Offsets in the header. */
const FINGERPRINT = 13;
const FLAGS = 16;
const SECRET_FLAG = 1;
const WITNESS_FLAG = 2;

/** Corrects the checksum of a changed header. */
function checksumHeader(snapshot: Uint8Array): void {
  const checksumAt = readLengths(snapshot, snapshot.length).headerBytes - 8;
  const view = new DataView(snapshot.buffer, snapshot.byteOffset);
  view.setBigUint64(checksumAt, referenceXxh64(snapshot.subarray(0, checksumAt), 0n), true);
}

describe.each(snapshotCases)('a snapshot of $name', (snapshotCase) => {
  it('continues exactly like the saved detector, at whatever point it was taken', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 3000 }), async (count) => {
        const saved = await usedDetector(snapshotCase, count);
        const loaded = await load(await save(saved));
        const rest = repeatingFingerprints(count, 2000);
        expect(loaded.observeBatch(rest)).toEqual(saved.observeBatch(rest));
        expect(loaded.stats()).toEqual(saved.stats());
        expect(await save(loaded)).toEqual(await save(saved));
      }),
      { seed: 5, numRuns: inLongForm(8, 2) },
    );
  });

  it('has the same bytes when it is saved again', async () => {
    const snapshot = await save(await usedDetector(snapshotCase, 1234));
    expect(await save(await load(snapshot))).toEqual(snapshot);
  });
});

describe('a snapshot', () => {
  const exactCase = { name: 'exact-classic', algorithm: 'exact', layout: 'classic' } as const;
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

  it('omits the zeros after the last used cell', async () => {
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
      { seed: 6, numRuns: inLongForm(300, 60) },
    );
  });

  it('is refused with E_SNAPSHOT when it is truncated, lengthened, empty or another file', async () => {
    const snapshot = await save(await usedDetector(aCase, 500));
    for (const length of [0, 1, 63, 64, 65, snapshot.length - 9, snapshot.length - 1]) {
      expect(await codeOf(load(snapshot.subarray(0, length)))).toBe('E_SNAPSHOT');
    }
    expect(await codeOf(load(Uint8Array.of(...snapshot, 0)))).toBe('E_SNAPSHOT');
    expect(await codeOf(load(new TextEncoder().encode('a log line\n'.repeat(50))))).toBe('E_SNAPSHOT');
  });

  it('taken while the detector is running contains the state that it had when it was taken', async () => {
    const detector = await usedDetector(exactCase, 0);
    const before = await save(detector);
    const elements = repeatingFingerprints(0, 5000);
    let isSaved = false;
    const saving = save(detector).finally(() => {
      isSaved = true;
    });
    let observed = 0;
    while (!isSaved && observed < elements.length) {
      // Many promises settle between one turn of the event loop and the next.
      for (let i = 0; i < 10; i++) {
        detector.observeBatch(elements.subarray(observed, ++observed));
        await Promise.resolve();
      }
      await new Promise(setImmediate);
    }
    expect(observed).toBeGreaterThan(0);
    expect(await saving).toEqual(before);
  });

  it.each<[string, number, bigint]>([
    ['a table larger than the memory', LEVEL, 5n],
    ['a table of a size that overflows', LEVEL, 60n],
    ['fewer elements than its cells', HELD, 0n],
    ['more elements than its cells', HELD, 101n],
    ['more elements than any memory', HELD, 2n ** 63n],
    ['a value of "zero seen" other than 0 and 1', ZERO_SEEN, 2n],
  ])('of exact with %s is refused with E_SNAPSHOT', async (_, register, value) => {
    const detector = await usedDetector(exactCase, 100);
    kernelOf(detector).registers[register] = value;
    expect(await codeOf(load(await save(detector)))).toBe('E_SNAPSHOT');
  });

  it.each<[DetectorName, DetectorOptions, number, bigint]>([
    ['rlbsbf', { memory: 1024, layout: 'classic' }, 8, 1n],
    ['bsbf', { memory: 1024, layout: 'classic' }, 9, 2n ** 64n - 1n],
    ['buffer', { memory: '2MiB' }, 10, 2n ** 64n - 1n],
  ])(
    'of %s with a count that its cells contradict is refused with E_SNAPSHOT',
    async (algorithm, options, register, value) => {
      const detector = await Detector.create({ algorithm, ...options });
      detector.observeBatch(repeatingFingerprints(0, 100));
      kernelOf(detector).registers[register] = value;
      expect(await codeOf(load(await save(detector)))).toBe('E_SNAPSHOT');
    },
  );

  it('of exact without an empty cell, or with an element after its table, is refused with E_SNAPSHOT', async () => {
    const full = await usedDetector(exactCase, 0);
    kernelOf(full).cells.fill(1, 0, FIRST_SLOTS * 8);
    kernelOf(full).registers[HELD] = BigInt(FIRST_SLOTS);
    expect(await codeOf(load(await save(full)))).toBe('E_SNAPSHOT');
    const stray = await usedDetector(exactCase, 100);
    kernelOf(stray).cells.fill(1, kernelOf(stray).cellsBytes - 8);
    expect(await codeOf(load(await save(stray)))).toBe('E_SNAPSHOT');
  });

  it.each([undefined, null, 'text', new ArrayBuffer(100)])(
    'is refused with E_SNAPSHOT when it is not bytes (%#)',
    async (given) => {
      expect(await codeOf(load(given as unknown as Uint8Array))).toBe('E_SNAPSHOT');
    },
  );

  it('of a later version is refused with a message that says so', async () => {
    const snapshot = await save(await usedDetector(aCase, 10));
    snapshot[8] = 99;
    await expect(load(snapshot)).rejects.toThrow(/version 99/);
  });

  describe('with a witness', () => {
    async function witnessed(): Promise<Detector> {
      const detector = await Detector.create({ algorithm: 'bloom', memory: 1024, witness: { memory: 32768 } });
      detector.observeBatch(repeatingFingerprints(0, 500));
      return detector;
    }

    it('is refused with E_SNAPSHOT when any byte of it is changed, or it is truncated or lengthened', async () => {
      const snapshot = await save(await witnessed());
      for (let at = 0; at < snapshot.length; at += at < 1400 ? inLongForm(1, 11) : 997) {
        const broken = snapshot.slice();
        broken[at] = (broken[at] as number) ^ 0x11;
        expect(await codeOf(load(broken))).toBe('E_SNAPSHOT');
      }
      for (const length of [snapshot.length - 1, snapshot.length - 8, 1400, 700]) {
        expect(await codeOf(load(snapshot.subarray(0, length)))).toBe('E_SNAPSHOT');
      }
      expect(await codeOf(load(Uint8Array.of(...snapshot, 0)))).toBe('E_SNAPSHOT');
    });

    it.each([32769, 32772, 40001])(
      'of %i bytes, which are not whole words, continues like the saved detector',
      async (memory) => {
        for (const count of [0, 1, 500]) {
          const saved = await Detector.create({ algorithm: 'bloom', memory: 1024, witness: { memory } });
          saved.observeBatch(repeatingFingerprints(0, count));
          const loaded = await load(await save(saved));
          for (const detector of [saved, loaded]) detector.observeBatch(repeatingFingerprints(count, 500));
          expect(loaded.stats()).toEqual(saved.stats());
        }
      },
    );

    /** The position of the witness's entries, in words. An entry is a fingerprint and its last occurrence. */
    const RECORD = 3144;
    const entriesOf = (words: BigUint64Array) =>
      Array.from({ length: (words.length - RECORD) / 2 }, (_, slot) => RECORD + 2 * slot);
    const isEmpty = (words: BigUint64Array, at: number) => words[at + 1] === 0n;

    /** Moves an entry to a slot after an empty slot, where a search does not find it. */
    function misplaceEntry(words: BigUint64Array): void {
      const entries = entriesOf(words);
      const from = entries.find((at) => !isEmpty(words, at)) as number;
      const to = entries.findLast((at) => isEmpty(words, at) && isEmpty(words, at - 2)) as number;
      words.copyWithin(to, from, from + 2);
      words.fill(0n, from, from + 2);
    }

    it.each<[string, (words: BigUint64Array) => void]>([
      ['an entry that no search finds', misplaceEntry],
      ['entries outside the slice of its level', (words) => words.fill(3n, 0, 1)],
      ['a level beyond any hash', (words) => words.fill(64n, 0, 1)],
      ['fewer elements than its record', (words) => words.fill(0n, 1, 2)],
      ['more elements than the capacity of its record', (words) => words.fill(2n ** 40n, 1, 2)],
      ['an occurrence in the future', (words) => words.fill(2n ** 40n, words.length - 1)],
      ['no empty slot', (words) => words.fill(1n, RECORD)],
      ['times of adds, but no window', (words) => words.fill(1n, 2, 3)],
    ])('that has %s is refused with E_SNAPSHOT', async (_, spoil) => {
      const detector = await witnessed();
      const kernel = kernelOf(detector);
      spoil(new BigUint64Array(kernel.bytes.buffer, kernel.witnessOffset, kernel.witnessBytes / 8));
      expect(await codeOf(load(await save(detector)))).toBe('E_SNAPSHOT');
    });

    it('equals the snapshot without a witness, except for the flag, the lengths and the bytes after the cells', async () => {
      const plain = await Detector.create({ algorithm: 'bloom', memory: 1024 });
      plain.observeBatch(repeatingFingerprints(0, 500));
      const without = await save(plain);
      const detector = await witnessed();
      const snapshot = await save(detector);
      const headerBytes = without.length - kernelOf(plain).cellsBytes - 8;
      expect(new DataView(snapshot.buffer).getUint32(FLAGS, true)).toBe(WITNESS_FLAG);
      expect(snapshot.subarray(20, headerBytes - 8)).toEqual(without.subarray(20, headerBytes - 8));
      const cellsAt = headerBytes + 16;
      expect(snapshot.subarray(cellsAt, cellsAt + 1024 + 8)).toEqual(without.subarray(headerBytes));
      expect((await load(snapshot)).settings).toEqual(detector.settings);
    });
  });

  it('of a keyed detector is marked as secret; others are not', async () => {
    const keyed = await save(await usedDetector(keyedCase, 10));
    const plain = await save(await usedDetector(aCase, 10));
    expect([keyed[FLAGS], plain[FLAGS]]).toEqual([SECRET_FLAG, 0]);
    const [keyedHeader, plainHeader] = [keyed, plain].map((bytes) => readLengths(bytes, bytes.length).headerBytes);
    expect(keyedHeader).toBe((plainHeader as number) + 16);
    expect(Buffer.from(keyed).includes(Buffer.from(keyedCase.secret as string, 'hex'))).toBe(true);
  });

  it.each<[string, typeof keyedCase, (bytes: Uint8Array) => void]>([
    [
      'marked, but of a fingerprint without a secret',
      keyedCase,
      (bytes) => bytes.fill(0, FINGERPRINT, FINGERPRINT + 1),
    ],
    ['not marked, but of a fingerprint with a secret', aCase, (bytes) => bytes.fill(3, FINGERPRINT, FINGERPRINT + 1)],
  ])('%s is refused with E_SNAPSHOT', async (_, from, change) => {
    const snapshot = await save(await usedDetector(from, 10));
    change(snapshot);
    checksumHeader(snapshot);
    await expect(load(snapshot)).rejects.toThrow(
      expect.objectContaining({ code: 'E_SNAPSHOT', message: expect.stringContaining('settings are impossible') }),
    );
  });

  it('of a detector of integers under identity has no flag', async () => {
    const snapshot = await save(await Detector.create({ memory: 1024, algorithm: 'exact', fingerprint: 'identity' }));
    expect(snapshot[FLAGS]).toBe(0);
    expect(await save(await load(snapshot))).toEqual(snapshot);
  });

  it('with flags of a later version is refused with a message that says so', async () => {
    const snapshot = await save(await usedDetector(aCase, 10));
    snapshot[FLAGS + 3] = 0x80;
    await expect(load(snapshot)).rejects.toThrow(/the flags 2147483648, but this version of firstseen knows only/);
  });

  it('does not allocate memory for a forged length', async () => {
    const snapshot = await save(await usedDetector(aCase, 10));
    new DataView(snapshot.buffer).setUint32(44, 0xffffffff, true);
    await expect(load(snapshot)).rejects.toThrow(/its header would have/);
  });
});
