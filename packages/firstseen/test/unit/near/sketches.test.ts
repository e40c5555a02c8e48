// Sketches and their table, compared with their twins bit for bit, with both builds of the kernel.

import { describe, expect, test } from 'vitest';
import { runAtOnce } from '../../../src/base/steps.js';
import { Detector, kernelOf } from '../../../src/detectors/detector.js';
import { NearDetector, nearRegionsEnd } from '../../../src/near/detector.js';
import { loadNear } from '../../../src/near/load.js';
import { layOutNearRegions, sketchOffset } from '../../../src/near/regions.js';
import { type NearOptions, resolveNear, resolveSignature, tableOptions } from '../../../src/near/settings.js';
import { resolveTable } from '../../../src/near/tables.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { referenceBandElements } from '../../reference/near/bands.js';
import { referenceOnePermutation, referencePermutations } from '../../reference/near/minhash.js';
import { referenceShingles } from '../../reference/near/shingles.js';
import { ReferenceSketches, referenceSample, referenceSketch, sketchBytesOf } from '../../reference/near/sketches.js';
import { referenceRootSeed } from '../../reference/seededhash.js';
import { drawWords, editWords } from '../../support/documents.js';
import { inLongForm, sampleOf } from '../../support/form.js';
import { kernelModules, kernelNames } from '../../support/kernels.js';
import { Random } from '../../support/streams.js';

const MAX_TEXT_BYTES = 2 ** 16;
const SEED = 77n;
const SECRET = '000102030405060708090a0b0c0d0e0f';
const secretBytes = Uint8Array.from({ length: 16 }, (_, i) => i);

interface Slots {
  /** The most slots of a document. With small slots, a detector that is loaded has as many as its snapshot says. */
  sketchSlots?: number;
}

/** A detector over a kernel of its own, and that kernel. */
async function detectorWith(
  { sketchSlots, ...options }: NearOptions & Slots,
  kernelName: (typeof kernelNames)[number] = 'release',
) {
  const unplanned = resolveSignature(options, { sketchSlots });
  const settings = { ...unplanned, table: runAtOnce(resolveTable(tableOptions(options), unplanned)) };
  const regionBytes = nearRegionsEnd(settings, MAX_TEXT_BYTES, 0);
  const table = await Detector.ofSettings(settings.table, { regionBytes, module: kernelModules[kernelName] });
  const near = new NearDetector(settings, table, MAX_TEXT_BYTES);
  const { signature } = layOutNearRegions({ ...settings, maxTextBytes: MAX_TEXT_BYTES }, kernelOf(table).regionOffset);
  const at = signature + sketchOffset(settings);
  return { near, sketch: () => kernelOf(table).bytes.slice(at, at + settings.sketchSlots * settings.sketchBytes) };
}

/** The twin's shingles, elements and sketch of a text. */
function signed(text: string, { settings }: NearDetector, secret?: Uint8Array) {
  const seed = referenceRootSeed(settings.table.seed, secret);
  const shingle = { unit: 'words', length: 5, folds: 'simple' } as const;
  const shingles = referenceShingles(new TextEncoder().encode(text), shingle, seed, secret);
  const rowsOf = settings.variant === 'permutations' ? referencePermutations : referenceOnePermutation;
  const rows = rowsOf(shingles, settings.hashes, seed);
  const { bands, rowsPerBand } = settings;
  const elements = referenceBandElements(rows, { bands, rowsPerBand, rowBytes: 4 }, seed, secret);
  return { elements, sample: referenceSample(shingles, seed) };
}

/** Texts, two of three of them near one of the last twenty, and some that share a template. */
function* texts(count: number, seed: number): Generator<string> {
  const random = new Random(seed);
  const template = drawWords(80, random);
  const recent: string[][] = [];
  for (let i = 0; i < count; i++) {
    const earlier = recent[random.nextWord() % 20];
    const fresh = i % 4 === 1 ? [...template, ...drawWords(8, random)] : drawWords(random.nextWord() % 120, random);
    const words = earlier === undefined || i % 3 === 0 ? fresh : editWords(earlier, 0.01 * (i % 4), random);
    recent.unshift(words);
    yield words.join(' ');
  }
}

function twinOf({ settings }: NearDetector): ReferenceSketches {
  const { similarity, confidence, bands, add, table, sketchBytes, sketchSlots } = settings;
  const [ring, buckets] = [Number(table.parameters.values.n), Number(table.parameters.values.B)];
  return new ReferenceSketches({
    ...{ sketchBytes, sketchSlots, bands, ring, buckets, similarity, confidence },
    addsAll: add === 'all',
  });
}

const base = { verify: true, seed: SEED, hashes: 32, bands: '8x4' } as const;

describe.each(kernelNames)('%s kernel', (kernelName) => {
  test.each<[string, NearOptions & Slots]>([
    ['by default', {}],
    ['of 16 bytes', { sketchBytes: 16, sketchSlots: 3 }],
    ['of one slot', { sketchBytes: 64 }],
    ['of one permutation', { variant: 'one-permutation' }],
    ['under a secret', { secret: SECRET }],
  ])('sketches %s', async (_, options) => {
    const { near, sketch } = await detectorWith({ ...base, memory: '64KiB', ...options }, kernelName);
    const secret = options.secret === undefined ? undefined : secretBytes;
    const lengths = [340, 350, 680, 700, 1531, 1540].map((words) => drawWords(words, new Random(words)).join(' '));
    for (const text of [
      '',
      'one',
      ...texts(20, 3),
      ...lengths,
      drawWords(inLongForm(14_000, 3000), new Random(4)).join(' '),
    ]) {
      near.test(text);
      const { sample } = signed(text, near, secret);
      const expected = sketchBytesOf(referenceSketch(sample, near.settings), near.settings.sketchBytes);
      expect(sketch().slice(0, expected.length)).toEqual(expected);
    }
  });

  test.each<[string, NearOptions & Slots]>([
    ['a small ring', { memory: '4KiB', sketchBytes: 64, sketchSlots: 3 }],
    ['one document of three slots', { memory: '2KiB' }],
    ['one slot', { memory: '1KiB', window: 1 }],
    ['slots of 16 bytes', { memory: '2KiB', sketchBytes: 16, sketchSlots: 3 }],
    ['a window', { memory: '16KiB', sketchBytes: 64, window: 25 }],
    ['confidence', { memory: '16KiB', confidence: 2 }],
    ['all documents added', { memory: '4KiB', sketchBytes: 64, sketchSlots: 3, add: 'all' }],
    ['more bands', { memory: '64KiB', hashes: 64, bands: '32x2', similarity: 0.5 }],
  ])('answers with %s', async (_, options) => {
    const { near } = await detectorWith({ ...base, ...options }, kernelName);
    const twin = twinOf(near);
    const verdicts = new Set<string>();
    for (const text of texts(inLongForm(150, 45), 8)) {
      const document = signed(text, near);
      expect(near.test(text)).toEqual(twin.test(document));
      const answer = near.observe(text);
      expect(answer).toEqual(twin.observe(document));
      verdicts.add(answer.verdict);
    }
    expect(verdicts.size).toBe(2);
  });

  test('answers with bands in several buckets, and with estimates that stand alone above the threshold', async () => {
    const options = { ...base, memory: '64KiB', sketchBytes: 128, similarity: 0.86, window: 200 } as const;
    const { near } = await detectorWith(options, kernelName);
    const twin = twinOf(near);
    const random = new Random(9);
    const template = drawWords(80, random);
    let doubted = 0;
    for (let i = 0; i < inLongForm(120, 45); i++) {
      const text = [...drawWords(3, random), ...template, ...drawWords(4, random)].join(' ');
      const answer = near.observe(text);
      expect(answer).toEqual(twin.observe(signed(text, near)));
      doubted += Number(answer.verdict === 'distinct' && (answer.similarity ?? 0) >= 0.86);
    }
    expect(doubted).toBeGreaterThan(0);
  });
});

describe('the ring', () => {
  test('remembers exactly the documents of a window', async () => {
    const near = await NearDetector.create({ ...base, memory: '64KiB', window: 10 });
    const documents = Array.from({ length: 40 }, (_, i) => drawWords(60, new Random(100 + i)).join(' '));
    for (const [i, document] of documents.entries()) {
      near.observe(document);
      const found = documents.slice(0, i + 1).map((earlier) => near.test(earlier).verdict === 'duplicate');
      expect(found).toEqual(found.map((__, at) => at > i - 10));
    }
  });

  test('tells the age of a document among documents of one, two and three slots', async () => {
    const { near } = await detectorWith({ ...base, memory: '16KiB', sketchBytes: 64, sketchSlots: 3 });
    const documents = Array.from({ length: 300 }, (_, i) => drawWords([20, 60, 100][i % 3] as number, new Random(i)));
    for (const words of documents) near.observe(words.join(' '));
    const { documents: remembered } = near.ring;
    for (const [i, words] of documents.entries()) {
      const { verdict } = near.test(words.join(' '));
      const age = documents.length - i;
      expect(verdict).toBe(age > remembered ? 'distinct' : 'duplicate');
      if (verdict === 'duplicate') expect(near.nearestAge).toBe(age);
    }
    // Three documents in a row have six slots.
    const { n } = near.settings.table.parameters.values;
    expect(Math.abs(remembered - Number(n) / 2)).toBeLessThan(3);
  });

  test('holds as many documents as its memory has room for', async () => {
    const near = await NearDetector.create({ ...base, memory: '1MiB' });
    const { n, B } = near.settings.table.parameters.values;
    // 8 bands of 4 bytes at a load of 0.8.
    expect(n).toBe(Math.floor(2 ** 20 / (512 + 4 + 40)));
    expect(Number(n) * 516 + Number(B) * 64).toBeLessThanOrEqual(2 ** 20);
  });
});

describe('a template', () => {
  test.each(sampleOf([1n, 2n, 3n], 1))(
    'documents that share four hundred words of 460 are kept, seed %s',
    async (seed) => {
      const near = await NearDetector.create({ verify: true, memory: '1MiB', seed });
      const random = new Random(Number(seed));
      const template = drawWords(400, random);
      const verdicts = Array.from(
        { length: inLongForm(500, 150) },
        () => near.observe([...template, ...drawWords(60, random)].join(' ')).verdict,
      );
      // Their similarity is 0.77. Without sketches about three in four are dropped.
      expect(verdicts.filter((verdict) => verdict === 'duplicate').length).toBeLessThanOrEqual(inLongForm(5, 2));
    },
  );
});

describe('snapshots', () => {
  test.each([
    [1, 64],
    [3, 64],
    [3, 512],
  ])('go on with the same answers, with up to %d slots of %d bytes', async (sketchSlots, sketchBytes) => {
    const all = [...texts(200, 12)];
    const { near } = await detectorWith({ ...base, memory: '16KiB', explain: 3, sketchBytes, sketchSlots });
    for (const text of all.slice(0, 100)) near.observe(text);
    const loaded = await loadNear(await save(near));
    expect(loaded.settings.verify).toBe(true);
    expect(all.slice(100).map((text) => loaded.observe(text))).toEqual(
      all.slice(100).map((text) => near.observe(text)),
    );
    expect(await save(loaded)).toEqual(await save(near));
  });

  test('are not those of a detector of keys', async () => {
    const snapshot = await save(await NearDetector.create({ ...base, memory: '16KiB' }));
    await expect(load(snapshot)).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
  });
});

describe('options', () => {
  test.each<[NearOptions, boolean]>([
    [{}, true],
    [{ window: 1000 }, true],
    [{ similarity: 0.6, bands: '20x4' }, true],
    [{ bands: '20x4' }, false],
    [{ verify: false }, false],
    [{ lsh: 'simhash' }, false],
    [{ algorithm: 'bloom' }, false],
    [{ fpr: 0.01 }, false],
    [{ window: '7d' }, false],
    [{ agreeing: 2 }, false],
    [{ sets: 5 }, false],
    [{ agreeing: 1, sets: 0 }, true],
  ])('%j is verified by default: %s', (options, isVerified) => {
    expect(resolveNear(options).verify).toBe(isVerified);
  });

  test.each<[NearOptions, string]>([
    [{ verify: true, lsh: 'simhash' }, 'lsh'],
    [{ verify: true, lsh: 'bits', documentBytes: 8 }, 'lsh'],
    [{ verify: true, agreeing: 2 }, 'agreeing'],
    [{ verify: true, sets: 5 }, 'sets'],
    [{ verify: true, algorithm: 'bloom' }, 'algorithm'],
    [{ verify: true, fpr: 0.01 }, 'fpr'],
    [{ verify: true, refresh: true }, 'refresh'],
    [{ verify: true, window: '7d' }, 'window'],
    [{ verify: true, sketchBytes: 100 }, 'sketchBytes'],
    [{ verify: true, confidence: -1 }, 'confidence'],
    [{ verify: false, sketchBytes: 256 }, 'sketchBytes'],
    [{ verify: false, confidence: 1 }, 'confidence'],
    [{ verify: 'yes' as never }, 'verify'],
  ])('refuses %j', async (options, option) => {
    await expect(NearDetector.create({ memory: '1MiB', ...options })).rejects.toMatchObject({
      code: 'E_PARAMETER',
      option,
    });
  });

  test('refuses a memory that has no room for the window', async () => {
    const refused = NearDetector.create({ verify: true, memory: '64KiB', window: 1000 });
    await expect(refused).rejects.toMatchObject({ code: 'E_MEMORY', option: 'memory' });
  });

  test('a program cannot choose the table for keys', async () => {
    await expect(Detector.create({ algorithm: 'sketches' as never })).rejects.toMatchObject({ code: 'E_ALGORITHM' });
  });
});
