// Compares signatures and the elements of their bands with their twins, bit for bit, with both builds of the kernel.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  SECRET_OFFSET,
  SHINGLE_FOLD_ASCII,
  SHINGLE_FOLD_NONE,
  SHINGLE_FOLD_SIMPLE,
  signatureExports,
} from '../../../src/kernel/abi.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { layOutNearRegions, signatureBytes } from '../../../src/near/regions.js';
import { lshFamilies } from '../../../src/near/registry.js';
import { signedElementsBytes } from '../../../src/near/seats.js';
import { type Shingle, shingleUnitNumbers, shingleUnits } from '../../../src/near/shingle.js';
import { referenceBandElements } from '../../reference/near/bands.js';
import { referenceBits } from '../../reference/near/bits.js';
import { referenceOnePermutation, referencePermutations } from '../../reference/near/minhash.js';
import { isBlank, type ReferenceShingle, referenceShingles } from '../../reference/near/shingles.js';
import { referenceSimhash } from '../../reference/near/simhash.js';
import { referenceRootSeed } from '../../reference/seededhash.js';
import { inLongForm, sampleNote, sampleOf, sampleSeed } from '../../support/form.js';
import { kernelModules, kernelNames } from '../../support/kernels.js';

const MAX_TEXT_BYTES = 2 ** 17;

const foldNumbers = { none: SHINGLE_FOLD_NONE, ascii: SHINGLE_FOLD_ASCII, simple: SHINGLE_FOLD_SIMPLE };

/** How the kernel reads text by default. */
const reading = { folds: 'simple' } as const;

interface Asked {
  lsh: string;
  variant: string;
  hashes: number;
  shingle: Shingle;
  folds: ReferenceShingle['folds'];
  hasBoundaries?: boolean;
  seed: bigint;
  secret?: Uint8Array | undefined;
}

type ReferenceRows = (document: Uint8Array, asked: Asked) => number[];

const rootOf = ({ seed, secret }: Asked) => referenceRootSeed(seed, secret);

const shinglesFor = (document: Uint8Array, asked: Asked) =>
  referenceShingles(document, { ...asked, ...asked.shingle }, rootOf(asked), asked.secret);

/** The number of shingles of a document; 0 for a blank one, and for a family that compares bytes. */
const countOf = (document: Uint8Array, asked: Asked) =>
  asked.lsh === 'bits' || isBlank(withoutBoundaries(document, asked), { ...asked, ...asked.shingle })
    ? 0
    : shinglesFor(document, asked).length;

const BOUNDARY = 0x1f;

/** A document whose boundaries are blanks, if it may have any. */
function withoutBoundaries(document: Uint8Array, { hasBoundaries }: Asked): Uint8Array {
  return document.map((byte) => (hasBoundaries && byte === BOUNDARY ? 0x20 : byte));
}

const twins: Record<string, ReferenceRows> = {
  'minhash permutations': (document, asked) =>
    referencePermutations(shinglesFor(document, asked), asked.hashes, rootOf(asked)),
  'minhash one-permutation': (document, asked) =>
    referenceOnePermutation(shinglesFor(document, asked), asked.hashes, rootOf(asked)),
  'simhash hyperplanes': (document, asked) =>
    referenceSimhash(shinglesFor(document, asked), asked.hashes, rootOf(asked)),
  'bits sampling': (document, asked) => referenceBits(document, asked.hashes, rootOf(asked)),
};

const noSketches = { sketchBytes: 0, sketchSlots: 0, similarity: 0.8 };

/** The rows of the signatures that a kernel computes. */
async function signer(asked: Asked, kernelName: (typeof kernelNames)[number]) {
  const lsh = lshFamilies.find(({ name }) => name === asked.lsh);
  if (!lsh) throw new Error(`there is no ${asked.lsh}`);
  const request = { lsh, hashes: asked.hashes, explain: 0, ...noSketches, maxTextBytes: MAX_TEXT_BYTES };
  const regionBytes = layOutNearRegions(request, 0).end;
  const kernel = await Kernel.create({ cellsBytes: 0, regionBytes, module: kernelModules[kernelName] });
  const regions = layOutNearRegions(request, kernel.regionOffset);
  const { seed, secret } = asked;
  kernel.parameters.set([Number(seed & 0xffffffffn), Number(seed >> 32n), secret ? 1 : 0], 3);
  if (secret) kernel.bytes.set(secret, SECRET_OFFSET);
  const { unit, length } = asked.shingle;
  const unitNumber = shingleUnitNumbers[unit];
  kernel.exports.shinglesConfigure(
    unitNumber,
    length,
    foldNumbers[asked.folds],
    regions.characters,
    regions.work,
    asked.hasBoundaries ? 1 : 0,
  );
  const rowsAt = (offset: number): number[] => {
    const Rows = lsh.rowBytes === 4 ? Uint32Array : Uint8Array;
    return [...new Rows(kernel.bytes.buffer, offset, asked.hashes)];
  };
  return {
    kernel,
    lsh,
    regions,
    sign(document: Uint8Array): number[] {
      const documentBytes = document.length;
      const configure = lsh.kernel({ hashes: asked.hashes, variant: asked.variant, documentBytes });
      signatureExports[lsh.name](kernel.exports).configure(...configure, regions.tables);
      // The bytes after a document must not affect its signature.
      kernel.bytes.fill(0x61, regions.text, regions.text + documentBytes + 16);
      kernel.bytes.set(document, regions.text);
      signatureExports[lsh.name](kernel.exports).sign(regions.text, regions.text + documentBytes, regions.signature);
      return rowsAt(regions.signature);
    },
  };
}

const variantsOfAll = lshFamilies.flatMap(({ name, variants }) => variants.map((variant) => [name, variant] as const));

const encoder = new TextEncoder();
const sentences = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'One',
        'two',
        'THREE',
        ' ',
        '  ',
        '\n',
        'é',
        'ß7',
        '漢字',
        ', ',
        '[1,2]',
        'x'.repeat(40),
        '🙂',
        '\u001f',
      ),
      // Letters that become longer or shorter, marks, what is ignored, blanks, dashes, and scripts without blanks.
      fc.constantFrom(
        'Ⱥ',
        'K',
        'ẞ',
        'ΣΑΣ',
        'e\u0301',
        '\u0301',
        '\u00ad',
        '\u200b',
        '\u00a0',
        '\u3000',
        '’',
        '—',
        'コーヒー',
      ),
      fc.constantFrom('ภาษาไทย', '\u{20000}', '\u{e0020}', '\u{1f1e6}', 'Ⓐ', '\ufffd', '\ufeff', '٣', '𐐀'),
    ),
    {
      maxLength: 120,
    },
  )
  .map((parts) => encoder.encode(parts.join('')));
const document = fc.oneof(sentences, fc.uint8Array({ maxLength: 200 })).filter((bytes) => bytes.length > 0);

const asked = fc.record({
  hashes: fc.integer({ min: 1, max: 150 }),
  shingle: fc.record({ unit: fc.constantFrom(...shingleUnits), length: fc.integer({ min: 1, max: 9 }) }),
  folds: fc.constantFrom('none', 'ascii', 'simple'),
  hasBoundaries: fc.boolean(),
  seed: fc.constantFrom(0n, 1n, 2n ** 63n + 5n),
  secret: fc.constantFrom(
    undefined,
    Uint8Array.from({ length: 16 }, (_, i) => 37 * i + 3),
  ),
});

describe.each(variantsOfAll)('%s %s', (lsh, variant) => {
  test.each(kernelNames)('signs like its twin: %s kernel', async (kernelName) => {
    await fc.assert(
      fc.asyncProperty(asked, fc.array(document, { minLength: 1, maxLength: 4 }), async (request, documents) => {
        const own = { ...request, lsh, variant };
        const { kernel, sign } = await signer(own, kernelName);
        for (const bytes of documents) {
          expect(sign(bytes)).toEqual((twins[`${lsh} ${variant}`] as ReferenceRows)(bytes, own));
          expect(kernel.exports.documentShingles()).toBe(countOf(bytes, own));
        }
      }),
      { numRuns: inLongForm(60, 8), seed: sampleSeed },
    );
  });

  test(`signs documents of many blocks like its twin${sampleNote}`, async () => {
    const words = Array.from({ length: inLongForm(5000, 500) }, (_, i) => `Word${(i * i) % 977}`);
    for (const unit of sampleOf(shingleUnits, 1, sampleSeed + variant.length)) {
      const own: Asked = { lsh, variant, hashes: 16, shingle: { unit, length: 256 }, ...reading, seed: 3n };
      const { kernel, sign } = await signer(own, 'release');
      const bytes = encoder.encode(words.slice(0, unit === 'characters' ? 700 : 5000).join(' '));
      expect(sign(bytes)).toEqual((twins[`${lsh} ${variant}`] as ReferenceRows)(bytes, own));
      expect(kernel.exports.documentShingles()).toBe(countOf(bytes, own));
    }
  });

  test('an empty document is signed like one of blanks only', async () => {
    if (lsh === 'bits') return;
    const own: Asked = { lsh, variant, hashes: 20, shingle: { unit: 'words', length: 5 }, ...reading, seed: 0n };
    const { sign } = await signer(own, 'release');
    expect(sign(new Uint8Array(0))).toEqual(sign(encoder.encode(' \n \u00a0\u200b ')));
    expect(sign(new Uint8Array(0))).not.toEqual(sign(encoder.encode('a')));
  });
});

test.each(
  kernelNames.flatMap(
    (name) =>
      [
        [name, undefined],
        [name, new Uint8Array(16).fill(9)],
      ] as const,
  ),
)('bands are hashed as their twin does: %s kernel, secret %s', async (kernelName, secret) => {
  for (const [lsh, variant, bands, rowsPerBand] of [
    ['minhash', 'permutations', 9, 13],
    ['minhash', 'one-permutation', 128, 1],
    ['simhash', 'hyperplanes', 4, 31],
    ['bits', 'sampling', 25, 5],
  ] as const) {
    const own: Asked = {
      lsh,
      variant,
      hashes: 128,
      shingle: { unit: 'words', length: 2 },
      ...reading,
      seed: 77n,
      secret,
    };
    const { kernel, sign, regions, lsh: family } = await signer(own, kernelName);
    const rows = sign(encoder.encode('the quick brown fox jumps over the lazy dog'));
    kernel.exports.bandsConfigure(bands, rowsPerBand * family.rowBytes);
    kernel.exports.bandElements(regions.signature, kernel.fingerprints.byteOffset);
    const layout = { bands, rowsPerBand, rowBytes: family.rowBytes };
    const expected = referenceBandElements(rows, layout, rootOf(own), secret);
    expect([...kernel.fingerprints.subarray(0, bands)]).toEqual(expected);
    expect(new Set(expected).size).toBe(bands);
  }
});

describe.each(variantsOfAll)('%s %s', (lsh, variant) => {
  const forms = [
    { quotes: false, ids: false },
    { quotes: true, ids: false },
    { quotes: true, ids: true },
  ];
  test.each(kernelNames.flatMap((name) => forms.map((form) => ({ name, ...form }))))(
    'signs a batch of keys as it signs each document: %j',
    async ({ name, quotes, ids }) => {
      const [bands, rowsPerBand, hashes] = [5, 4, 20];
      const shingle = { unit: 'words', length: 2 } as const;
      const own: Asked = { lsh, variant, hashes, shingle, ...reading, seed: 5n };
      const { kernel, sign, regions, lsh: family } = await signer(own, name);
      const { exports, bytes, spans } = kernel;
      const texts = [
        'one two three four',
        '',
        'one two four seven',
        '"one" two six nine',
        'x'.repeat(19),
        'a b c d e f g h i',
      ];
      const documents = texts.map((text) => encoder.encode(text));
      const [least, most] = lsh === 'bits' ? [18, 18] : [0, 18];
      const signed = documents.map(({ length }) => length >= least && length <= most);
      // The rows of one document alone, for the same length of documents.
      sign(documents[0] as Uint8Array);
      exports.bandsConfigure(bands, rowsPerBand * family.rowBytes);
      exports.documentsConfigure(quotes ? 1 : 0, ids ? 1 : 0, least, most, documents.length);
      const twinOf = twins[`${lsh} ${variant}`] as ReferenceRows;
      let at = regions.text;
      const place = (part: Uint8Array) => {
        bytes.set(part, at);
        at += part.length;
      };
      const lengthOf = (length: number) => new Uint8Array(BigUint64Array.of(BigInt(length)).buffer);
      for (const [i, document] of documents.entries()) {
        const key = quotes ? encoder.encode(`"${texts[i]}"`) : document;
        spans[2 * i] = at;
        for (const part of ids ? [lengthOf(key.length), key, lengthOf(2), encoder.encode('id')] : [key]) place(part);
        spans[2 * i + 1] = at;
        at += 16;
      }
      const stride = 4 * signatureBytes({ lsh: family, hashes, ...noSketches });
      const [signatures, elements] = [regions.text + 4096, regions.text + 65_536];
      bytes.fill(0xee, signatures, elements + 4096);
      const bytesOfDocument = signedElementsBytes(bands);
      const { signBatch } = signatureExports[family.name](exports);
      // Of a longer batch, the documents at the end are left.
      signBatch(spans.byteOffset, documents.length + 1, signatures, stride, elements);
      const Rows = family.rowBytes === 4 ? Uint32Array : Uint8Array;
      expect(signed.filter(Boolean).length).toBeGreaterThan(1);
      expect(signed).toContain(false);
      for (const [i, document] of documents.entries()) {
        const rows = [...new Rows(bytes.buffer, signatures + i * stride, hashes)];
        const found = [...new BigUint64Array(bytes.buffer, elements + bytesOfDocument * i, bands)];
        const untouched = found.every((element) => element === 0xeeeeeeeeeeeeeeeen);
        expect(untouched).toBe(!signed[i]);
        if (!signed[i]) continue;
        expect(rows).toEqual(twinOf(document, own));
        const countAt = elements + bytesOfDocument * i + 8 * bands;
        expect(new Uint32Array(bytes.buffer, countAt, 1)[0]).toBe(countOf(document, own));
        expect(found).toEqual(
          referenceBandElements(rows, { bands, rowsPerBand, rowBytes: family.rowBytes }, rootOf(own)),
        );
      }
      const spansAfter = spans.slice(0, 2 * documents.length);
      const [first] = signed.map((isSigned, i) => (isSigned ? i : -1)).filter((i) => i >= 0) as [number];
      exports.placeElements(elements + bytesOfDocument * first);
      expect([...kernel.fingerprints.subarray(0, bands)]).toEqual([
        ...new BigUint64Array(bytes.buffer, elements + bytesOfDocument * first, bands),
      ]);
      // With a stride of 0 only the elements remain.
      spans.set(spansAfter);
      const before = bytes.slice(elements, elements + 4096);
      bytes.fill(0xee, elements, elements + 4096);
      signBatch(spans.byteOffset, documents.length, signatures, 0, elements);
      expect(bytes.slice(elements, elements + 4096)).toEqual(before);
    },
  );
});

test('equal rows are counted, and the bytes after them have no effect', async () => {
  for (const lsh of ['minhash', 'bits'] as const) {
    const variant = lsh === 'minhash' ? 'permutations' : 'sampling';
    const own: Asked = { lsh, variant, hashes: 1, shingle: { unit: 'words', length: 1 }, ...reading, seed: 0n };
    const { kernel, regions, lsh: family } = await signer(own, 'release');
    const [left, right] = [regions.text, regions.text + 4096];
    for (const rows of [1, 5, 16, 17, 100]) {
      for (let row = 0; row < 128; row++) {
        for (let byte = 0; byte < family.rowBytes; byte++) {
          const at = row * family.rowBytes + byte;
          kernel.bytes[left + at] = row;
          // Every third row differs, in its last byte only.
          kernel.bytes[right + at] = row % 3 === 0 && byte === family.rowBytes - 1 ? row + 1 : row;
        }
      }
      const agreeing = rows - Math.ceil(rows / 3);
      expect(kernel.exports.agreeingRows(left, right, rows, family.rowBytes)).toBe(agreeing);
    }
  }
});
