import { DSQF_BUCKETS_PARAMETER, DSQF_ROWS_PARAMETER } from '../kernel/abi.js';
import { type Family, type ParameterRequest, wholeParameter } from './contract.js';
import {
  MOST_BITS,
  resolveSignatures,
  type Signatures,
  signatureKernel,
  signatureParameters,
  signatureValues,
} from './signatures.js';

/** A row's first bucket, and its neighbours in the order of access: three links of 32 bits. */
const ROW_BYTES = 12;
const LINK_BYTES = 4;
/**
 * Rows are a power of two, so this is 3.3 in a memory of a power of two, near the 4 of SQF (dutta-2013, section 6.1). At least
 * four would be 8.7, and a new element would wait for chains of twice the length.
 */
const DEFAULT_BUCKETS = 3;
const MOST_BUCKETS = 1024;
/** Target rate when none is given. */
const DEFAULT_FPR = 0.01;

function bucketBytesOf({ signatureBits }: Signatures): number {
  return LINK_BYTES + Math.ceil(signatureBits / 8);
}

function cellsBytes(request: ParameterRequest): number {
  return Math.floor(request.memoryBytes / 8) * 8;
}

/** The most quotient bits q whose 2^q rows leave k buckets for each. */
function mostQuotientBits(request: ParameterRequest, signatures: Signatures, k: number): number {
  const rows = cellsBytes(request) / (ROW_BYTES + k * bucketBytesOf(signatures));
  return Math.floor(Math.log2(rows));
}

/** Buckets that the memory behind 2^q rows has room for. */
function bucketsBehind(request: ParameterRequest, signatures: Signatures, q: number): number {
  return Math.floor((cellsBytes(request) - ROW_BYTES * 2 ** q) / bucketBytesOf(signatures));
}

/** The mean of a row's buckets when all are in use, each met with at most the probability of the likeliest signature. */
function boundOf(signatures: Signatures, buckets: number, q: number): number {
  return Math.min(1, (buckets / 2 ** q) * signatures.likeliest);
}

export const dsqf: Family = {
  name: 'dsqf',
  id: 11,
  title: 'Dynamic Streaming Quotient Filter',
  source: 'dutta-2013, section 5.1',
  rule: 'The quotient of the fingerprint chooses a row; a signature not found among its buckets takes a new one from the pool, or else a random one of the row accessed longest ago.',
  layouts: ['classic'],
  layout: 'classic',
  falsePositives: {
    kind: 'bounded',
    bound: "(B / 2^q) C(r - r', floor((r - r') / 2)) / 2^r for keys that are hashed",
    source: 'B / 2^q buckets in a row on average, each met with at most the probability of the likeliest signature',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'rows that are not accessed lose their buckets first, the sooner the more distinct elements come between',
  },
  parameters: [
    ...signatureParameters,
    { letter: 'k', name: 'leastBucketsPerRow', description: 'buckets in the pool for each row, at least (1 to 1024)' },
    { letter: 'B', name: 'bucketCount', description: 'buckets in the pool', derived: true },
    { letter: 'FPR', name: 'boundOfRate', description: 'the bound on the rate of false positives', derived: true },
  ],
  resolve(request) {
    // The least memory has room for two rows of this many buckets of any size.
    const most = Math.min(MOST_BUCKETS, Math.floor(cellsBytes(request) / 2 / 8) - 2);
    const k = wholeParameter(request, 'k', { least: 1, most }, () => DEFAULT_BUCKETS);
    const signatures = resolveSignatures(request, { fpr: DEFAULT_FPR }, (candidate) => {
      const q = mostQuotientBits(request, candidate, k);
      return boundOf(candidate, bucketsBehind(request, candidate, q), q);
    });
    const { r } = signatures;
    const mostBits = Math.min(MOST_BITS, r + mostQuotientBits(request, signatures, k));
    const p = wholeParameter(request, 'p', { least: r + 1, most: mostBits }, () => mostBits);
    const q = p - r;
    const B = bucketsBehind(request, signatures, q);
    return {
      values: { ...signatureValues(signatures, p), k, B, FPR: boundOf(signatures, B, q) },
      kernel: [...signatureKernel(signatures, p), [DSQF_ROWS_PARAMETER, 2 ** q], [DSQF_BUCKETS_PARAMETER, B]],
    };
  },
};
