import { describe, expect, test } from 'vitest';
import { dispose } from '../../../src/base/dispose.js';
import { FirstseenError } from '../../../src/base/errors.js';
import { families } from '../../../src/detectors/descriptions.js';
import { NearDetector, nearRegionsEnd } from '../../../src/near/detector.js';
import { type NearOptions, resolveNear } from '../../../src/near/settings.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { drawWords, editWords, jaccard } from '../../support/documents.js';
import { Random } from '../../support/streams.js';

const MEMORY = '1MiB';

function textOf(seed: number, count = 200): string[] {
  return drawWords(count, new Random(seed));
}

async function near(options: NearOptions = {}): Promise<NearDetector> {
  return NearDetector.create({ memory: MEMORY, ...options });
}

describe('observe', () => {
  test.each([{ id: 'a' }, 5, null])('refuses %j as the name of a document', async (id) => {
    const detector = await NearDetector.create({ memory: '64KiB', explain: 4 });
    expect(() => detector.observe('a document', id as never)).toThrow(
      expect.objectContaining({
        code: 'E_PARAMETER',
        option: 'id',
        message: expect.stringMatching(/^id is .*must be a text/),
      }),
    );
    expect([detector.observed, detector.test('a document').verdict]).toEqual([0, 'distinct']);
  });

  test.each([
    {},
    { variant: 'one-permutation' as const },
    { lsh: 'simhash' as const, shingle: '5w', similarity: 0.8, hashes: 512 },
    { shingle: '24c' },
    { shingle: '4t' },
  ])('finds what was edited little, and nothing else: %j', async (options) => {
    const detector = await near({ similarity: 0.7, ...options });
    const random = new Random(9);
    let found = 0;
    for (let i = 0; i < 60; i++) {
      const words = textOf(i);
      expect(detector.observe(words.join(' ')).verdict).toBe('distinct');
      const edited = editWords(words, 0.01, random);
      if (detector.observe(edited.join(' ')).verdict === 'duplicate') found++;
    }
    // A few have more edits than others and are missed.
    expect(found).toBeGreaterThanOrEqual(56);
    expect(detector.stats()).toEqual({ observed: 120, duplicates: found, sets: 0 });
  });

  test('an identical document agrees in all bands', async () => {
    const detector = await near();
    const text = textOf(1).join(' ');
    expect(detector.observe(text)).toEqual({ verdict: 'distinct', bands: 0 });
    expect(detector.observe(text)).toEqual({
      ...{ verdict: 'duplicate', bands: detector.settings.bands },
      ...{ similarity: 1, standardError: expect.closeTo(0, 2) },
    });
  });

  test('ASCII case and separators between words are ignored', async () => {
    const detector = await near();
    detector.observe('The quick, brown fox; jumps over the lazy dog!');
    expect(detector.observe('the QUICK brown fox\njumps -- over the lazy dog').verdict).toBe('duplicate');
    expect(detector.observe('The quick, brown fox; jumps over the lazy cat!').verdict).toBe('distinct');
  });

  test('bytes are treated like UTF-8 text', async () => {
    const detector = await near();
    detector.observe('Déjà vu: 漢字 again and again');
    expect(detector.observe(new TextEncoder().encode('Déjà vu: 漢字 again and again')).bands).toBe(
      detector.settings.bands,
    );
  });

  test.each([
    [{}, 'duplicate', 'distinct'],
    [{ case: 'ascii' }, 'distinct', 'distinct'],
    [{ case: 'unicode' }, 'duplicate', 'distinct'],
    [{ normalize: 'nfc' }, 'duplicate', 'duplicate'],
    [{ case: 'unicode', normalize: 'nfkc' }, 'duplicate', 'duplicate'],
  ] as const)('%j: letters beyond ASCII, and forms of Unicode', async (options, letters, forms) => {
    const detector = await near(options);
    detector.observe('ÉTÉ et Été');
    expect(detector.observe('été et Été').verdict).toBe(letters);
    detector.observe('café');
    expect(detector.observe(new TextEncoder().encode('cafe\u0301')).verdict).toBe(forms);
  });

  test('case is kept if requested', async () => {
    const detector = await near({ case: 'keep' });
    detector.observe('One two three');
    expect(detector.observe('one two three').verdict).toBe('distinct');
  });

  test('bit records are compared by Hamming distance', async () => {
    const detector = await near({ lsh: 'bits', documentBytes: 64, similarity: 0.9 });
    const random = new Random(4);
    const record = Uint8Array.from({ length: 64 }, () => random.below(256));
    expect(detector.observe(record).verdict).toBe('distinct');
    const close = record.slice();
    for (const byte of [3, 30, 60]) close[byte] = (close[byte] as number) ^ 1;
    expect(detector.observe(close).verdict).toBe('duplicate');
    expect(detector.observe(record.map((byte) => ~byte)).verdict).toBe('distinct');
    expect(() => detector.observe(new Uint8Array(63))).toThrow(/a document has 63 bytes, but documentBytes is 64/);
  });
});

describe('documents in hexadecimal digits', () => {
  const options = { lsh: 'bits' as const, documentBytes: 16, similarity: 0.9 };
  const records = Array.from({ length: 300 }, (_, i) => {
    const random = new Random(i % 50);
    const record = Uint8Array.from({ length: 16 }, () => random.below(256));
    record[i % 16] = (record[i % 16] as number) ^ (1 << (i % 8));
    return record;
  });

  test('are answered like the bytes that they represent, in either case of the digits', async () => {
    const bytes = await near(options);
    const hex = await near({ ...options, encoding: 'hex' });
    const encoder = new TextEncoder();
    for (const [i, record] of records.entries()) {
      const digits = Buffer.from(record).toString('hex');
      const written = [digits, digits.toUpperCase(), encoder.encode(digits)][i % 3] as string | Uint8Array;
      expect(hex.observe(written)).toEqual(bytes.observe(record));
    }
    expect(hex.stats()).toEqual(bytes.stats());
    expect(hex.stats().duplicates).toBeGreaterThan(100);
  });

  test.each([
    ['', /^a document has 0 bytes, but must have 32 hexadecimal digits$/],
    ['0'.repeat(31), /^a document has 31 bytes/],
    ['0'.repeat(34), /^a document has 34 bytes/],
    [
      `${'0'.repeat(31)}g`,
      /^byte 32 of a document is not a hexadecimal digit, but it must have 32 hexadecimal digits$/,
    ],
    [`${'0'.repeat(10)} ${'0'.repeat(21)}`, /^byte 11 of/],
    [`/:@G\`${'0'.repeat(27)}`, /^byte 1 of/],
    [`0x${'0'.repeat(30)}`, /^byte 2 of/],
    [`é${'0'.repeat(30)}`, /^byte 1 of/],
  ])('%j is not hexadecimal', async (text, message) => {
    const detector = await near({ ...options, encoding: 'hex' });
    expect(() => detector.observe(text)).toThrow(message);
    expect(detector.stats()).toEqual({ observed: 0, duplicates: 0, sets: 0 });
  });

  test.each([
    [{ encoding: 'hex' }, /encoding was given, but minhash compares text; leave it out, or choose lsh bits/],
    [{ ...options, encoding: 'base64' }, /encoding is "base64", but must be one of bytes, hex/],
    [{ ...options, normalize: 'nfc' }, /normalize was given, but bits compares bytes/],
    [{ ...options, case: 'unicode' }, /case was given, but bits compares bytes/],
  ])('%j is refused', async (asked, message) => {
    await expect(near(asked as NearOptions)).rejects.toThrow(message);
  });
});

describe('added documents', () => {
  /** Texts that each replace the next twentieth of the words of the previous one. */
  function chain(length: number): string[] {
    const words = textOf(5, 400);
    return Array.from({ length }, (_, i) => {
      words.splice(i * 20, 20, ...drawWords(20, new Random(1000 + i)));
      return words.join(' ');
    });
  }

  test('in a chain of documents, each near the previous one, more than the first is kept', async () => {
    const kept = await near({ similarity: 0.7 });
    const all = await near({ similarity: 0.7, add: 'all' });
    const verdictsOf = (detector: NearDetector) => chain(18).map((text) => detector.observe(text).verdict);
    expect(verdictsOf(all).filter((verdict) => verdict === 'distinct')).toHaveLength(1);
    expect(verdictsOf(kept).filter((verdict) => verdict === 'distinct').length).toBeGreaterThan(2);
  });

  test('a duplicate refreshes the document that it is near', async () => {
    const renewed = await near({ memory: '1KiB', verify: false });
    const forgotten = await near({ memory: '1KiB', verify: false });
    const text = textOf(1).join(' ');
    for (const detector of [renewed, forgotten]) detector.observe(text);
    for (let i = 0; i < 200; i++) {
      for (const detector of [renewed, forgotten]) detector.observe(textOf(100 + i).join(' '));
      if (i % 5 === 0) expect(renewed.observe(text).verdict).toBe('duplicate');
    }
    expect(renewed.observe(text).verdict).toBe('duplicate');
    expect(forgotten.observe(text).verdict).toBe('distinct');
  });

  test('a window keeps as many documents as its length and forgets older ones', async () => {
    const detector = await near({ window: 50, memory: '64KiB' });
    const text = textOf(1).join(' ');
    detector.observe(text);
    for (let i = 0; i < 49; i++) detector.observe(textOf(100 + i).join(' '));
    expect(detector.test(text).verdict).toBe('duplicate');
    for (let i = 0; i < 3000; i++) detector.observe(textOf(1000 + i, 20).join(' '));
    expect(detector.test(text).verdict).toBe('distinct');
  });

  test('a window is as sharp as is asked for', async () => {
    const { k, l } = resolveNear({ window: 50, windowSlack: 0.1 }).table.parameters.values;
    expect(Number(k) / Number(l)).toBeLessThanOrEqual(0.1);
    expect(() => resolveNear({ algorithm: 'qht', windowSlack: 0.1 })).toThrow(
      /windowSlack was given, but qht has no window/,
    );
  });

  test('a window in time follows the given clock', async () => {
    const detector = await near({ window: '1h' });
    detector.advance(0);
    detector.observe('some text');
    detector.advance(3_600_000);
    expect(detector.test('some text').verdict).toBe('duplicate');
    detector.advance(100 * 3_600_000);
    expect(detector.test('some text').verdict).toBe('distinct');
  });
});

describe('decisions', () => {
  test('the requested number of bands must be seen', async () => {
    const detector = await near({ agreeing: 3, bands: '20x5' });
    const random = new Random(8);
    const found = { distinct: new Set<number>(), duplicate: new Set<number>() };
    for (let i = 0; i < 300; i++) {
      const words = textOf(i, 60);
      detector.observe(words.join(' '));
      const { verdict, bands } = detector.test(editWords(words, 0.06, random).join(' '));
      found[verdict].add(bands);
    }
    expect([...found.distinct].every((bands) => bands < 3)).toBe(true);
    expect([...found.duplicate].every((bands) => bands >= 3)).toBe(true);
    expect(found.distinct.has(2) && found.duplicate.has(3)).toBe(true);
  });

  test.each(families.map(({ name }) => name))('the table can be %s', async (algorithm) => {
    const detector = await near({ algorithm });
    const text = textOf(1).join(' ');
    expect(detector.observe(text).verdict).toBe('distinct');
    expect(detector.observe(text).verdict).toBe('duplicate');
    expect(detector.settings.table.family.name).toBe(algorithm);
  });

  test('new documents are reported at the rate for which the table was configured', async () => {
    const fpr = 0.2;
    const detector = await near({
      algorithm: 'qht',
      fpr,
      layout: 'classic',
      parameters: { eviction: 'fifo' },
      memory: '1KiB',
    });
    const bound = detector.settings.table.parameters.values.FPR as number;
    const chance = 1 - (1 - bound) ** detector.settings.bands;
    expect(chance).toBeLessThanOrEqual(fpr);
    const trials = 2000;
    let reported = 0;
    for (let i = 0; i < trials; i++) {
      if (detector.observe(textOf(i, 30).join(' ')).verdict === 'duplicate') reported++;
    }
    const deviation = Math.sqrt(chance * (1 - chance) * trials);
    expect(reported).toBeGreaterThan(chance * trials - 5 * deviation - 0.05 * trials);
    expect(reported).toBeLessThan(chance * trials + 5 * deviation);
  });
});

describe('the nearest', () => {
  test('is reported with its similarity, from the last documents kept; of equally near documents, the oldest', async () => {
    const detector = await near({ explain: 3, similarity: 0.9 });
    const words = textOf(1, 400);
    const far = textOf(2, 400);
    expect(detector.observe(words.join(' '), 'first').nearest).toBeUndefined();
    detector.observe(far.join(' '), 'far');
    const half = [...words.slice(0, 300), ...far.slice(0, 100)];
    const { verdict, nearest } = detector.observe(half.join(' '), 'half');
    expect(verdict).toBe('distinct');
    expect(nearest?.id).toBe('first');
    expect(nearest?.similarity).toBeCloseTo(jaccard(half, words, 5), 0);
    expect(detector.observe(far.join(' '), 'again').nearest).toEqual({ id: 'far', similarity: 1 });
    detector.observe('something else', 'else');
    // Only the last three documents are remembered, so "first" is not found.
    expect(detector.test(words.join(' ')).nearest?.id).toBe('half');
  });
});

describe('similarity', () => {
  test.each([
    [{ hashes: 1024 }, 0.06],
    [{ hashes: 1024, variant: 'one-permutation' }, 0.08],
  ] as const)('is estimated: %j', async (options, tolerance) => {
    const detector = await near(options);
    const random = new Random(3);
    for (const rate of [0, 0.01, 0.05, 0.2, 1]) {
      const words = textOf(7, 500);
      const edited = editWords(words, rate, random);
      const found = detector.similarity(words.join(' '), edited.join(' '));
      // Four standard deviations of s (1 - s) / 1024, at most 0.0625.
      expect(Math.abs(found - jaccard(words, edited, 5))).toBeLessThan(tolerance);
    }
    expect(detector.stats().observed).toBe(0);
  });
});

describe('settings', () => {
  test('their regions come after the cells of the table', () => {
    const settings = resolveNear({ explain: 10 });
    expect(nearRegionsEnd(settings, 1000, 0)).toBeGreaterThan(0x8800 + 2 * 1000 + 128 * 8 + 12 * 512);
  });

  test.each([
    [{ similarity: 1 }, /similarity is 1, but must be a number between 0 and 1/],
    [{ lsh: 'sim' }, /lsh is "sim", but must be one of minhash, simhash, bits/],
    [{ shingle: '5' }, /shingle is "5", but must be a number from 1 to 256 and w for words/],
    [{ shingle: '257w' }, /shingle is "257w"/],
    [{ hashes: 0 }, /hashes is 0, but must be a whole number from 1 to 1024/],
    [{ agreeing: 200 }, /agreeing is 200, but must be a whole number from 1 to 128/],
    [{ variant: 'one-permutation', lsh: 'simhash' }, /variant one-permutation requires lsh minhash; leave it out/],
    [{ variant: 'two' }, /variant is "two", but must be one of permutations, one-permutation/],
    [{ case: 'lower' }, /case is "lower", but must be one of simple, unicode, ascii, keep/],
    [{ normalize: 'nfd' }, /normalize is "nfd", but must be one of none, nfc, nfkc/],
    [{ add: 'none' }, /add is "none", but must be one of kept, all/],
    [{ explain: 5000 }, /explain is 5000, but must be a whole number from 0 to 4096/],
    [{ lsh: 'bits' }, /bits requires documentBytes/],
    [{ lsh: 'bits', documentBytes: 8, shingle: '2w' }, /shingle was given, but bits compares bytes/],
    [{ documentBytes: 8 }, /documentBytes was given, but minhash compares text/],
    [{ fpr: 2 }, /fpr is 2/],
  ] as const)('%j are refused', (options, message) => {
    // Some of them are refused by the types too.
    expect(() => resolveNear(options as NearOptions)).toThrow(message);
    expect(() => resolveNear(options as NearOptions)).toThrow(FirstseenError);
  });

  test('a document longer than allowed is refused', async () => {
    const settings = resolveNear({ memory: MEMORY });
    const detector = await NearDetector.ofSettings(settings, { maxTextBytes: 100 });
    expect(detector.observe('x'.repeat(100)).verdict).toBe('distinct');
    expect(() => detector.observe('x'.repeat(101))).toThrow(
      /a document has 101 characters, but the limit is 100 bytes/,
    );
    expect(() => detector.observe(new Uint8Array(101))).toThrow(/a document has 101 bytes/);
    expect(() => detector.observe(7 as never)).toThrow(/a document has the type number/);
  });
});

test('a detector that was disposed of refuses every use', async () => {
  const detector = await near({ explain: 10 });
  detector.observe('a document');
  detector[dispose]();
  detector[dispose]();
  const uses = [
    () => detector.observe('a document'),
    () => detector.test(new Uint8Array(3)),
    () => detector.similarity('a', 'b'),
    () => detector.stats(),
  ];
  for (const use of uses) expect(use).toThrow(expect.objectContaining({ code: 'E_CLOSED' }));
  await expect(save(detector)).rejects.toMatchObject({ code: 'E_CLOSED' });
});
