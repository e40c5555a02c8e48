import {
  SQF_BITMAP_PARAMETER,
  SQF_BUCKET_BITS_PARAMETER,
  SQF_BUCKETS_PARAMETER,
  SQF_MODULO_PARAMETER,
  SQF_ROWS_PARAMETER,
} from '../kernel/abi.js';
import {
  type DetectorFamily,
  type FamilyDescription,
  type ParameterRequest,
  wholeParameter,
  wordParameter,
} from './contract.js';
import {
  MAX_BITS,
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
const MAX_BUCKETS = 64;
/** A row that is a bitmap lies within one word of the kernel, wherever it begins. */
const MAX_BITMAP_BITS = 32;

export interface RowShape {
  /** Bits of a bucket. */
  bucketBits: number;
  /** The row has a bit for each signature, and no buckets. */
  isBitmap: boolean;
}

/**
 * Returns the shape in which a row fits into the k (r' + log r) bits that the paper counts (dutta-2013, eq. 1),
 * although the paper counts none for an empty bucket: see docs/ALGORITHMS.md, section sqf.
 */
function rowShape({ r, reducedBits, signatureBits }: Signatures, k: number): RowShape {
  const codes = 2 ** signatureBits;
  const isBitmap = codes <= Math.min(MAX_BITMAP_BITS, k * signatureBits);
  const isEveryCodeUsed = reducedBits === 1 && Number.isInteger(Math.log2(r));
  return { bucketBits: signatureBits + (isEveryCodeUsed && !isBitmap ? 1 : 0), isBitmap };
}

/** Returns the bits of the cells: whole words. */
function cellsBits(request: ParameterRequest): number {
  return Math.floor(request.memoryBytes / 8) * 64;
}

/** Returns p and the number of rows. */
function resolveRows(request: ParameterRequest, quotient: string, r: number, rowBits: number) {
  const maxRows = Math.floor(cellsBits(request) / rowBits);
  if (quotient === 'modulo') {
    return { p: wholeParameter(request, 'p', { least: r + 1, most: MAX_BITS }, () => MAX_BITS), rows: maxRows };
  }
  const most = Math.min(MAX_BITS, r + Math.floor(Math.log2(maxRows)));
  const p = wholeParameter(request, 'p', { least: r + 1, most }, () => most);
  return { p, rows: 2 ** (p - r) };
}

export const sqfDescription: FamilyDescription = {
  title: 'Streaming Quotient Filter',
  source: 'dutta-2013, algorithm 1',
  rule: 'The quotient of the fingerprint selects a row of k buckets. A signature not found in the row takes an empty bucket, or else a random one.',
  falsePositives: {
    kind: 'bounded',
    bound: "k C(r - r', floor((r - r') / 2)) / 2^r for hashed keys; 1 or more for r = 2, k = 4",
    source: 'a row of k signatures, each matched with at most the probability of the likeliest signature',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'a new signature replaces one of a full row, so the rate grows with the distinct elements between; none if k buckets hold every signature',
  },
};

export const sqf: DetectorFamily = {
  name: 'sqf',
  id: 10,
  layouts: ['classic'],
  layout: 'classic',
  parameters: [
    ...signatureParameters,
    { letter: 'k', name: 'bucketCount', description: 'buckets of a row (1 to 64)' },
    {
      letter: 'quotient',
      name: 'quotient',
      description:
        'bits: the quotient is the number of the row, and the number of rows is a power of two; modulo: the quotient modulo the rows that fit in the memory',
      words: quotientChoices,
    },
    { letter: 'R_T', name: 'rowCount', description: 'rows', derived: true },
    { letter: 'FPR', name: 'boundOfRate', description: 'the bound on the rate of false positives', derived: true },
  ],
  resolve(request) {
    const k = wholeParameter(request, 'k', { least: 1, most: MAX_BUCKETS }, () => PUBLISHED_BUCKETS);
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
