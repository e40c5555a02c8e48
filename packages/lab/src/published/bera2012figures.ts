// Bera, Dutta, Narang and Bhattacherjee 2012, figures 2 to 11 (section 6.2): what the text says of the curves. k = 2.

import {
  type ClaimForm,
  type ClaimSubject,
  MB,
  type PublishedClaim,
  type PublishedFigure,
  type PublishedStream,
} from './contract.js';

const ALGORITHMS = ['sbf', 'rsbf', 'bsbf', 'bsbfsd', 'rlbsbf'] as const;
type Algorithm = (typeof ALGORITHMS)[number];
type Claim = Omit<PublishedClaim, 'subject' | 'section'> & { algorithm: Algorithm; memoryBytes?: number };

const BILLION = 1_000_000_000;
const MILLIONS_695 = 694_984_445;

function uniform(lengthElements: number, distinctShare: number): PublishedStream {
  return { kind: 'uniform', lengthElements, distinctShare };
}

function subjectsIn(memoryMB: number): ClaimSubject[] {
  return ALGORITHMS.map((algorithm) => ({ algorithm, memoryBytes: memoryMB * MB }));
}

interface Setting {
  number: number;
  title: string;
  stream: PublishedStream;
  /** The memory of claims that name no other. */
  memoryMB: number;
  rates?: readonly ('fpr' | 'fnr' | 'load')[];
  subjects?: readonly ClaimSubject[];
}

function figure({ number, title, stream, memoryMB, rates, subjects }: Setting, claims: Claim[]): PublishedFigure {
  return {
    id: `bera-figure-${number}`,
    paper: 'bera-2012',
    number: `Figure ${number}`,
    title,
    stream,
    curves: { rates: rates ?? ['fpr', 'fnr'], subjects: subjects ?? subjectsIn(memoryMB) },
    claims: claims.map(({ algorithm, memoryBytes = memoryMB * MB, ...claim }) => ({
      ...claim,
      section: 'section 6.2',
      subject: { algorithm, memoryBytes },
    })),
  };
}

function range(
  rate: 'fpr' | 'fnr',
  [lowPercent, highPercent]: readonly [number, number],
  roundingPercent: number,
): ClaimForm {
  return { kind: 'range', rate, lowPercent, highPercent, roundingPercent };
}

function about(rate: 'fpr' | 'fnr', percent: number, roundingPercent: number): ClaimForm {
  return range(rate, [percent, percent], roundingPercent);
}

/** A sentence about several algorithms is one claim for each. */
function each(algorithms: readonly Algorithm[], id: string, quotation: string, form: ClaimForm): Claim[] {
  return algorithms.map((algorithm) => ({ id: `${id}-${algorithm}`, quotation, algorithm, form }));
}

function timesBetter(memoryMB: number, quotation: string, times: readonly [Algorithm, number][]): Claim[] {
  return times.map(([algorithm, factor]) => ({
    id: `times-${algorithm}`,
    quotation,
    algorithm: 'sbf',
    form: { kind: 'times', rate: 'fnr', than: { algorithm, memoryBytes: memoryMB * MB }, times: factor },
  }));
}

const stableLoad = 'all the algorithms nearly attain stability when 300M-400M data points have been processed';

export const bera2012Figures: readonly PublishedFigure[] = [
  figure(
    { number: 2, title: '1 billion elements, 15 % distinct, 128 MB', stream: uniform(BILLION, 0.15), memoryMB: 128 },
    [
      ...each(
        ALGORITHMS,
        'fpr',
        'all the algorithms achieve quite low FPR in the range of 1%-2%',
        range('fpr', [1, 2], 0.5),
      ),
      ...each(
        ALGORITHMS,
        'stable',
        'the FPR becomes stable at around 300M-350M data points for almost all the variations',
        {
          kind: 'stable',
          rate: 'fpr',
          fromElements: 300e6,
          byElements: 350e6,
        },
      ),
      { id: 'fnr-sbf', quotation: 'SBF exhibits nearly 45% FNR', algorithm: 'sbf', form: about('fnr', 45, 0.5) },
      {
        id: 'fnr-rlbsbf',
        quotation: 'RLBSBF exhibits less than 1% FNR',
        algorithm: 'rlbsbf',
        form: range('fnr', [0, 1], 0),
      },
      ...timesBetter(128, 'which is almost 70x times improvement', [['rlbsbf', 70]]),
      ...each(
        ['bsbf', 'bsbfsd', 'rlbsbf'],
        'falls',
        'for BSBF, BSBFSD and RLBSBF the FNR level keeps on decreasing as the stream length increases',
        { kind: 'trend', rate: 'fnr', direction: 'falls' },
      ),
    ],
  ),
  figure(
    { number: 3, title: '1 billion elements, 15 % distinct, 256 MB', stream: uniform(BILLION, 0.15), memoryMB: 256 },
    [
      ...each(
        ALGORITHMS,
        'fpr',
        'FPR for all the algorithms falls within a small range of 0.4%-0.6%',
        range('fpr', [0.4, 0.6], 0.05),
      ),
      { id: 'fnr-sbf', quotation: 'FNR varies from 30% for SBF', algorithm: 'sbf', form: about('fnr', 30, 0.5) },
      { id: 'fnr-rlbsbf', quotation: 'to 0.2% for RLBSBF', algorithm: 'rlbsbf', form: about('fnr', 0.2, 0.05) },
      ...each(
        ['bsbf', 'bsbfsd', 'rlbsbf'],
        'falls',
        'our theoretical results that FNR tends to zero as we increase the stream length',
        { kind: 'trend', rate: 'fnr', direction: 'falls' },
      ),
      {
        id: 'rises-sbf',
        quotation: 'SBF does not exhibit this property and its FNR increases as the stream length increases',
        algorithm: 'sbf',
        form: { kind: 'trend', rate: 'fnr', direction: 'rises' },
      },
    ],
  ),
  figure(
    { number: 4, title: '1 billion elements, 15 % distinct, 512 MB', stream: uniform(BILLION, 0.15), memoryMB: 512 },
    [
      ...each(
        ['bsbf', 'bsbfsd', 'rlbsbf'],
        'fnr',
        'FNR further drops to a very low limit (less than 1%) for BSBF, BSBFSD, RLBSBF',
        range('fnr', [0, 1], 0),
      ),
      ...timesBetter(512, 'RSBF also achieves an improvement of 2x in terms of FNR over SBF', [['rsbf', 2]]),
    ],
  ),
  figure(
    { number: 5, title: '1 billion elements, 60 % distinct, 128 MB', stream: uniform(BILLION, 0.6), memoryMB: 128 },
    [
      { id: 'fnr-sbf', quotation: 'it has a very poor FNR (70%)', algorithm: 'sbf', form: about('fnr', 70, 0.5) },
      {
        id: 'fnr-rlbsbf',
        quotation: 'RLBSBF curbs down the FNR to almost 10%',
        algorithm: 'rlbsbf',
        form: about('fnr', 10, 0.5),
      },
      {
        id: 'loses-rlbsbf',
        quotation: 'while losing merely 3% on FPR',
        algorithm: 'rlbsbf',
        form: {
          kind: 'exceeds',
          rate: 'fpr',
          than: { algorithm: 'sbf', memoryBytes: 128 * MB },
          points: 3,
          roundingPercent: 0.5,
        },
      },
      ...each(
        ['bsbf', 'bsbfsd'],
        'stable',
        'BSBF and BSBFSD attain stability in FNR ratio from around 500M data points',
        {
          kind: 'stable',
          rate: 'fnr',
          fromElements: 500e6,
          byElements: 500e6,
        },
      ),
    ],
  ),
  figure(
    { number: 6, title: '1 billion elements, 60 % distinct, 256 MB', stream: uniform(BILLION, 0.6), memoryMB: 256 },
    [
      ...each(ALGORITHMS, 'fpr', 'The range of FPR for the algorithms lies between 4%-7%', range('fpr', [4, 7], 0.5)),
      ...timesBetter(
        256,
        'RSBF, BSBF, BSBFSD and RLBSBF provides an improvement of 2x, 2.5x, 5x and 10x respectively',
        [
          ['rsbf', 2],
          ['bsbf', 2.5],
          ['bsbfsd', 5],
          ['rlbsbf', 10],
        ],
      ),
    ],
  ),
  figure(
    { number: 7, title: '1 billion elements, 60 % distinct, 512 MB', stream: uniform(BILLION, 0.6), memoryMB: 512 },
    [
      ...each(
        ['rsbf', 'bsbf', 'bsbfsd', 'rlbsbf'],
        'gains',
        'As we increase the memory space, RSBF, BSBF, BSBFSD and RLBSBF improves in performance much faster than SBF',
        { kind: 'gains', rate: 'fnr', fromBytes: 256 * MB, thanAlgorithm: 'sbf' },
      ),
    ],
  ),
  figure(
    {
      number: 8,
      title: '695 million elements, 15 % distinct, 512 MB',
      stream: uniform(MILLIONS_695, 0.15),
      memoryMB: 512,
    },
    [
      ...each(ALGORITHMS, 'stable', 'Fig. 8 shows FPR for all the algorithm is almost similar and stable', {
        kind: 'stable',
        rate: 'fpr',
        byElements: MILLIONS_695 / 2,
      }),
      ...each(['rsbf', 'bsbf', 'bsbfsd', 'rlbsbf'], 'fnr', 'For FNR, our algorithms completely outperform SBF', {
        kind: 'below',
        rate: 'fnr',
        than: { algorithm: 'sbf', memoryBytes: 512 * MB },
      }),
    ],
  ),
  figure(
    {
      number: 9,
      title: '695 million elements, 60 % distinct, 512 MB',
      stream: uniform(MILLIONS_695, 0.6),
      memoryMB: 512,
    },
    [
      ...each(
        ALGORITHMS,
        'unstable',
        'at 695M data point, none of the algorithms have achieved stability in terms of FPR',
        {
          kind: 'unstable',
          rate: 'fpr',
          atElements: MILLIONS_695,
        },
      ),
      {
        id: 'fnr-unstable-sbf',
        quotation: 'while SBF is far way off from stability',
        algorithm: 'sbf',
        form: { kind: 'unstable', rate: 'fnr', atElements: MILLIONS_695 },
      },
    ],
  ),
  figure(
    {
      number: 10,
      title: '695 million elements, 90 % distinct, 512 MB',
      stream: uniform(MILLIONS_695, 0.9),
      memoryMB: 512,
    },
    [
      ...each(ALGORITHMS, 'unstable', 'Fig. 10 shows the situation for 90% distinct element with similar trends', {
        kind: 'unstable',
        rate: 'fpr',
        atElements: MILLIONS_695,
      }),
    ],
  ),
  figure(
    {
      number: 11,
      title: 'Load, 1 billion elements, 15 % distinct, 256 and 512 MB',
      stream: uniform(BILLION, 0.15),
      memoryMB: 256,
      rates: ['load'],
      subjects: [...subjectsIn(256), ...subjectsIn(512)],
    },
    [
      ...[256, 512].flatMap((memoryMB) =>
        each(ALGORITHMS, `stable-${memoryMB}MB`, stableLoad, {
          kind: 'stable',
          rate: 'load',
          fromElements: 300e6,
          byElements: 400e6,
        }).map((claim) => ({ ...claim, memoryBytes: memoryMB * MB })),
      ),
      ...ALGORITHMS.map(
        (algorithm): Claim => ({
          id: `faster-${algorithm}`,
          quotation: 'as we increase the memory space from 256MB to 512MB, the stability is reached faster',
          algorithm,
          memoryBytes: 512 * MB,
          form: { kind: 'stableBefore', rate: 'load', than: { algorithm, memoryBytes: 256 * MB } },
        }),
      ),
    ],
  ),
];
