import { DSQF_BUCKETS_PARAMETER, DSQF_LINK_BYTES, DSQF_ROW_BYTES, DSQF_ROWS_PARAMETER } from '../kernel/abi.js';
import { DEFAULT_FPR_OF_PAPERS } from '../options/detector.js';
import { type DetectorFamily, type FamilyDescription, type ParameterRequest, wholeParameter } from './contract.js';
import {
  MAX_BITS,
  resolveSignatures,
  type Signatures,
  signatureKernel,
  signatureParameters,
  signatureValues,
} from './signatures.js';

/**
 * The number of rows is a power of two, so in a memory that is a power of two this gives 3.3 buckets per row, near the 4 of SQF
 * (dutta-2013, section 6.1). A minimum of four would give 8.7, and a new element would follow chains of twice the length.
 */
const DEFAULT_BUCKETS = 3;
const MAX_BUCKETS = 1024;

function bucketBytesOf({ signatureBits }: Signatures): number {
  return DSQF_LINK_BYTES + Math.ceil(signatureBits / 8);
}

function cellsBytes(request: ParameterRequest): number {
  return Math.floor(request.memoryBytes / 8) * 8;
}

/** The largest q for which 2^q rows leave k buckets for each row. */
function maxQuotientBits(request: ParameterRequest, signatures: Signatures, k: number): number {
  const rows = cellsBytes(request) / (DSQF_ROW_BYTES + k * bucketBytesOf(signatures));
  return Math.floor(Math.log2(rows));
}

/** Returns the number of buckets that fit in the memory together with 2^q rows. */
function bucketsBehind(request: ParameterRequest, signatures: Signatures, q: number): number {
  return Math.floor((cellsBytes(request) - DSQF_ROW_BYTES * 2 ** q) / bucketBytesOf(signatures));
}

/** The mean number of buckets in a row when all are in use, each matched with at most the probability of the likeliest signature. */
function boundOf(signatures: Signatures, buckets: number, q: number): number {
  return Math.min(1, (buckets / 2 ** q) * signatures.likeliest);
}

export const dsqfDescription: FamilyDescription = {
  title: 'Dynamic Streaming Quotient Filter',
  source: 'dutta-2013, section 5.1',
  rule: 'The quotient of the fingerprint selects a row. A signature not found in its buckets takes a new bucket from the pool, or else a random bucket of the least recently accessed row.',
  falsePositives: {
    kind: 'bounded',
    bound: "(B / 2^q) C(r - r', floor((r - r') / 2)) / 2^r for hashed keys",
    source: 'B / 2^q buckets per row on average, each matched with at most the probability of the likeliest signature',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'the least recently accessed rows lose their buckets first, so the rate grows with the distinct elements between',
  },
};

export const dsqf: DetectorFamily = {
  name: 'dsqf',
  id: 11,
  layouts: ['classic'],
  layout: 'classic',
  parameters: [
    ...signatureParameters,
    {
      letter: 'k',
      name: 'minBucketsPerRow',
      description: 'minimum number of buckets in the pool per row (1 to 1024)',
    },
    { letter: 'B', name: 'bucketCount', description: 'buckets in the pool', derived: true },
    { letter: 'FPR', name: 'boundOfRate', description: 'the bound on the rate of false positives', derived: true },
  ],
  resolve(request) {
    // The smallest memory has room for two rows of this many buckets of any size.
    const most = Math.min(MAX_BUCKETS, Math.floor(cellsBytes(request) / 2 / 8) - 2);
    const k = wholeParameter(request, 'k', { least: 1, most }, () => DEFAULT_BUCKETS);
    const signatures = resolveSignatures(request, { fpr: DEFAULT_FPR_OF_PAPERS }, (candidate) => {
      const q = maxQuotientBits(request, candidate, k);
      return boundOf(candidate, bucketsBehind(request, candidate, q), q);
    });
    const { r } = signatures;
    const maxBits = Math.min(MAX_BITS, r + maxQuotientBits(request, signatures, k));
    const p = wholeParameter(request, 'p', { least: r + 1, most: maxBits }, () => maxBits);
    const q = p - r;
    const B = bucketsBehind(request, signatures, q);
    return {
      values: { ...signatureValues(signatures, p), k, B, FPR: boundOf(signatures, B, q) },
      kernel: [...signatureKernel(signatures, p), [DSQF_ROWS_PARAMETER, 2 ** q], [DSQF_BUCKETS_PARAMETER, B]],
    };
  },
};
