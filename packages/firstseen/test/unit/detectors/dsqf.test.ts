import { describe, expect, test } from 'vitest';
import { type Detector, kernelOf } from '../../../src/detectors/detector.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { createDetector } from '../../support/cases.js';
import { allDistinct, recency } from '../../support/streams.js';

/** Plain fingerprints with a remainder of 16 bits below the number of the row. */
const options = {
  algorithm: 'dsqf',
  memory: 1024,
  fingerprint: 'identity',
  parameters: { r: 16, "r'": 15, k: 3 },
} as const;
const ROW_BYTES = 12;
const BUCKET_BYTES = 4 + 3;
/** Registers. */
const USED = 8;
const OLDEST = 9;
const NEWEST = 10;

function element(row: number, remainder: number): bigint {
  return BigInt(row * 2 ** 16 + remainder);
}

/** Distinct remainders in one row, with distinct signatures. */
function rowOf(row: number, count: number): BigUint64Array {
  return BigUint64Array.from({ length: count }, (_, i) => element(row, 2 * i));
}

describe('the memory', () => {
  test('consists of rows with three links, and of buckets with a link and a signature of whole bytes', () => {
    const { q, B } = resolveSettings(options).parameters.values;
    expect(q).toBe(4);
    expect(B).toBe(Math.floor((1024 - 16 * ROW_BYTES) / BUCKET_BYTES));
  });

  test.each(['1KiB', 100_000, '64MiB', '3GiB'])('of %s has at least k buckets for each row', (memory) => {
    for (const k of [1, 4, 30]) {
      const { B, q, FPR } = resolveSettings({ algorithm: 'dsqf', memory, parameters: { k } }).parameters.values;
      expect(Number(B)).toBeGreaterThanOrEqual(k * 2 ** Number(q));
      expect(FPR).toBeLessThanOrEqual(0.01);
    }
  });
});

describe('eviction', () => {
  test('takes the buckets of the least recently accessed row, one at a time', async () => {
    const detector = await createDetector(options);
    const B = Number(detector.settings.parameters.values.B);
    const [first, second] = [rowOf(1, 3), rowOf(2, B - 3)];
    detector.observeBatch(first);
    detector.observeBatch(second);
    expect(detector.stats().load).toBe(1);
    for (let left = 2; left >= 0; left--) {
      detector.observeBatch(BigUint64Array.of(element(3, 2 * left)));
      expect(detector.testBatch(first).reduce((sum, verdict) => sum + verdict, 0)).toBe(left);
    }
    expect(detector.testBatch(second).every((verdict) => verdict === 1)).toBe(true);
  });

  test('spares a row in which a duplicate was just found', async () => {
    const detector = await createDetector(options);
    const B = Number(detector.settings.parameters.values.B);
    const [first, second] = [rowOf(1, 3), rowOf(2, B - 3)];
    detector.observeBatch(first);
    detector.observeBatch(second);
    detector.observeBatch(first.subarray(0, 1));
    detector.observeBatch(rowOf(3, 2));
    expect(detector.testBatch(first).every((verdict) => verdict === 1)).toBe(true);
    expect(detector.testBatch(second).reduce((sum, verdict) => sum + verdict, 0)).toBe(B - 5);
  });

  test("takes from the element's own row if no other has buckets", async () => {
    const detector = await createDetector(options);
    const B = Number(detector.settings.parameters.values.B);
    const elements = rowOf(1, B + 5);
    expect(detector.observeBatch(elements).every((verdict) => verdict === 0)).toBe(true);
    expect(detector.testBatch(elements).reduce((sum, verdict) => sum + verdict, 0)).toBe(B);
    expect(detector.testBatch(elements.subarray(-1))[0]).toBe(1);
  });
});

describe('a snapshot', () => {
  async function used(): Promise<Detector> {
    const detector = await createDetector({ algorithm: 'dsqf', memory: 1024 });
    detector.observeBatch(recency(500, 100));
    return detector;
  }

  const word = (detector: Detector, at: number) => {
    const { cells } = kernelOf(detector);
    return new DataView(cells.buffer, cells.byteOffset + at, 4);
  };
  const link = (detector: Detector, at: number) => word(detector, at).getUint32(0, true);
  const setLink = (detector: Detector, at: number, value: number) => word(detector, at).setUint32(0, value, true);

  /** The address of a bucket's link. */
  function bucketLink({ settings }: Detector, bucket: number): number {
    const { q, r, "r'": kept } = settings.parameters.values;
    const bytes = 4 + Math.ceil((Number(kept) + Math.ceil(Math.log2(Number(r)))) / 8);
    return ROW_BYTES * 2 ** Number(q) + bucket * bytes - 4;
  }

  /** The first bucket of a row with more than one, and the first of another row. */
  function firstBuckets(detector: Detector): [long: number, other: number] {
    const rows = Array.from({ length: 2 ** Number(detector.settings.parameters.values.q) }, (_, row) =>
      link(detector, row * ROW_BYTES),
    );
    const long = rows.find((first) => first !== 0 && link(detector, bucketLink(detector, first)) !== 0) as number;
    return [long, rows.find((first) => first !== 0 && first !== long) as number];
  }

  test('of a full pool loads and continues identically', async () => {
    const saved = await used();
    expect(saved.stats().load).toBe(1);
    const loaded = await load(await save(saved));
    expect(loaded.observeBatch(allDistinct(300, 77))).toEqual(saved.observeBatch(allDistinct(300, 77)));
    expect(await save(loaded)).toEqual(await save(saved));
  });

  const rowCount = 2 ** Number(resolveSettings({ algorithm: 'dsqf', memory: 1024 }).parameters.values.q);

  test.each<[string, (detector: Detector) => void]>([
    ['more buckets in use than there are', (detector) => (kernelOf(detector).registers[USED] = 2n ** 40n)],
    ['fewer buckets in use than in chains', (detector) => (kernelOf(detector).registers[USED] = 5n)],
    ['an oldest row outside the table', (detector) => (kernelOf(detector).registers[OLDEST] = BigInt(rowCount + 1))],
    ['no oldest row', (detector) => (kernelOf(detector).registers[OLDEST] = 0n)],
    [
      'another newest row',
      (detector) => (kernelOf(detector).registers[NEWEST] = kernelOf(detector).registers[OLDEST] as bigint),
    ],
    ['a newest row outside the table', (detector) => (kernelOf(detector).registers[NEWEST] = 2n ** 32n + 1n)],
    ['a row whose chain begins outside the pool', (detector) => setLink(detector, 0, 2 ** 31 + 1)],
    [
      'a row that has lost its chain',
      (detector) => setLink(detector, ROW_BYTES * (Number(kernelOf(detector).registers[OLDEST]) - 1), 0),
    ],
    [
      'a row that links to itself',
      (detector) => {
        const oldest = Number(kernelOf(detector).registers[OLDEST]);
        setLink(detector, ROW_BYTES * (oldest - 1) + 8, oldest);
      },
    ],
    ['a link of a row to one outside', (detector) => setLink(detector, ROW_BYTES * 3 + 4, rowCount + 1)],
    [
      'a chain that ends outside the pool',
      (detector) => setLink(detector, bucketLink(detector, firstBuckets(detector)[0]), 2 ** 30),
    ],
    [
      'a cyclic chain',
      (detector) => {
        const [first] = firstBuckets(detector);
        setLink(detector, bucketLink(detector, first), first);
      },
    ],
    [
      'two chains that meet',
      (detector) => {
        const [first, other] = firstBuckets(detector);
        setLink(detector, bucketLink(detector, first), other);
      },
    ],
  ])('with %s is refused with E_SNAPSHOT', async (_, spoil) => {
    const detector = await used();
    spoil(detector);
    await expect(save(detector).then(load)).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
  });
});
