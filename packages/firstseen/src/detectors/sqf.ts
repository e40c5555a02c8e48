import {
  SQF_BITMAP_PARAMETER,
  SQF_BUCKET_BITS_PARAMETER,
  SQF_BUCKETS_PARAMETER,
  SQF_MODULO_PARAMETER,
  SQF_ROWS_PARAMETER,
} from '../kernel/abi.js';
import { type Family, type ParameterRequest, wholeParameter, wordParameter } from './contract.js';
import {
  MOST_BITS,
  resolveSignatures,
  type Signatures,
  signatureKernel,
  signatureParameters,
  signatureValues,
} from './signatures.js';

const quotientChoices = ['bits', 'modulo'] as const;

/** "SQF performs best when the parameters are set as r = 2, k = 4 and r' = 1" (dutta-2013, section 6.1). */
const PUBLISHED_BUCKETS = 4;
const PUBLISHED_REDUCED_BITS = 1;
const MOST_BUCKETS = 64;
/** A row that is kept as a bitmap is part of one word of the kernel, wherever it begins. */
const MOST_BITMAP_BITS = 32;

export interface RowShape {
  /** Bits of a bucket. */
  bucketBits: number;
  /** The row has one bit for each signature instead of buckets. */
  isBitmap: boolean;
}

/**
 * How a row fits the k (r' + log r) bits that the paper counts (dutta-2013, eq. 1), although it counts none for an empty
 * bucket: see docs/ALGORITHMS.md, section sqf.
 */
function rowShape({ r, reducedBits, signatureBits }: Signatures, k: number): RowShape {
  const codes = 2 ** signatureBits;
  const isBitmap = codes <= Math.min(MOST_BITMAP_BITS, k * signatureBits);
  const isEveryCodeUsed = reducedBits === 1 && Number.isInteger(Math.log2(r));
  return { bucketBits: signatureBits + (isEveryCodeUsed && !isBitmap ? 1 : 0), isBitmap };
}

/** Bits of the cells: whole words. */
function cellsBits(request: ParameterRequest): number {
  return Math.floor(request.memoryBytes / 8) * 64;
}

/** p and the number of rows. */
function resolveRows(request: ParameterRequest, quotient: string, r: number, rowBits: number) {
  const mostRows = Math.floor(cellsBits(request) / rowBits);
  if (quotient === 'modulo') {
    return { p: wholeParameter(request, 'p', { least: r + 1, most: MOST_BITS }, () => MOST_BITS), rows: mostRows };
  }
  const most = Math.min(MOST_BITS, r + Math.floor(Math.log2(mostRows)));
  const p = wholeParameter(request, 'p', { least: r + 1, most }, () => most);
  return { p, rows: 2 ** (p - r) };
}

export const sqf: Family = {
  name: 'sqf',
  id: 10,
  title: 'Streaming Quotient Filter',
  source: 'dutta-2013, algorithm 1',
  rule: 'The quotient of the fingerprint chooses a row of k buckets; a signature not found in it takes an empty bucket, or else a random one.',
  layouts: ['classic'],
  layout: 'classic',
  falsePositives: {
    kind: 'bounded',
    bound: "k C(r - r', floor((r - r') / 2)) / 2^r for keys that are hashed; not below 1 for r = 2, k = 4",
    source: 'a row of k signatures, each met with at most the probability of the likeliest one',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'a signature in a full row is replaced, the sooner the more distinct elements come between; never where k buckets hold every signature',
  },
  parameters: [
    ...signatureParameters,
    { letter: 'k', name: 'bucketCount', description: 'buckets of a row (1 to 64)' },
    {
      letter: 'quotient',
      name: 'quotient',
      description:
        'the quotient is the number of the row, and rows are a power of two; or it is taken modulo as many rows as the memory has',
      words: quotientChoices,
    },
    { letter: 'R_T', name: 'rowCount', description: 'rows', derived: true },
    { letter: 'FPR', name: 'boundOfRate', description: 'the bound on the rate of false positives', derived: true },
  ],
  resolve(request) {
    const k = wholeParameter(request, 'k', { least: 1, most: MOST_BUCKETS }, () => PUBLISHED_BUCKETS);
    const bound = ({ likeliest }: Signatures) => Math.min(1, k * likeliest);
    const signatures = resolveSignatures(request, { reducedBits: PUBLISHED_REDUCED_BITS }, bound);
    const quotient = wordParameter(request, 'quotient', quotientChoices);
    const { bucketBits, isBitmap } = rowShape(signatures, k);
    const { p, rows } = resolveRows(request, quotient, signatures.r, k * bucketBits);
    return {
      values: { ...signatureValues(signatures, p), k, quotient, R_T: rows, FPR: bound(signatures) },
      kernel: [
        ...signatureKernel(signatures, p),
        [SQF_BUCKETS_PARAMETER, k],
        [SQF_BUCKET_BITS_PARAMETER, bucketBits],
        [SQF_ROWS_PARAMETER, rows],
        [SQF_MODULO_PARAMETER, Number(quotient === 'modulo')],
        [SQF_BITMAP_PARAMETER, Number(isBitmap)],
      ],
    };
  },
};
