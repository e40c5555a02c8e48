// Dutta, Narang and Bera 2013, figures 3 to 5 (sections 6.1 and 6.2): the text's claims on the curves. Uniform streams.

import {
  type ClaimForm,
  type ClaimSubject,
  MB,
  type PublishedClaim,
  type PublishedFigure,
  type PublishedStream,
} from './contract.js';
import { SQF_PARAMETERS } from './dutta2013.js';

const BILLION = 1_000_000_000;
const MILLIONS_695 = 694_984_445;
/** Fingerprints of this many bits distinguish 150 million identifiers. */
const ENOUGH_BITS = 28;

function uniform(lengthElements: number, distinctShare: number): PublishedStream {
  return { kind: 'uniform', lengthElements, distinctShare };
}

/** 'section 6.1' is on parameters, 6.2 on comparisons. */
function claim(section: string, id: string, quotation: string, subject: ClaimSubject, form: ClaimForm): PublishedClaim {
  return { id, quotation, section: `section ${section}`, subject, form };
}

const none = (rate: 'fpr' | 'fnr'): ClaimForm => ({
  kind: 'range',
  rate,
  lowPercent: 0,
  highPercent: 0,
  roundingPercent: 0.05,
});
const below = (rate: 'fpr' | 'fnr', than: ClaimSubject): ClaimForm => ({ kind: 'below', rate, than });

/** Figure 3(a): r = 2 and k varies; r' is r/2 as elsewhere, and p is enough for every identifier. */
function withBuckets(k: number): ClaimSubject {
  return { algorithm: 'sqf', memoryBytes: 64 * MB, parameters: { r: 2, "r'": 1, k, p: ENOUGH_BITS } };
}

/** Figure 3(b): r varies "with sufficient memory"; r' is r/2 and k is 4 as elsewhere. */
function withRemainder(r: number): ClaimSubject {
  return { algorithm: 'sqf', memoryBytes: 512 * MB, parameters: { r, "r'": r / 2, k: 4, p: ENOUGH_BITS } };
}

/** Figure 3(c): 64 MB and r = 7; k is what the memory has room for in 2^21 rows of 256 bits, r' + 3 bits a bucket. */
function withReduced(reduced: number): ClaimSubject {
  const k = Math.floor(256 / (reduced + 3));
  return { algorithm: 'sqf', memoryBytes: 64 * MB, parameters: { r: 7, "r'": reduced, k, p: ENOUGH_BITS } };
}

const parameterFigure: PublishedFigure = {
  id: 'sqf-figure-3',
  paper: 'dutta-2013',
  number: 'Figure 3',
  title: "FPR and FNR of SQF by k, r and r'",
  stream: uniform(BILLION, 0.15),
  curves: { rates: [], subjects: [] },
  claims: [
    ...[1, 2, 3].map((k) =>
      claim(
        '6.1',
        `a-fnr-k${k}`,
        'FNR decreases sharply with increase in k',
        withBuckets(k + 1),
        below('fnr', withBuckets(k)),
      ),
    ),
    claim('6.1', 'a-zero', 'and approaches 0 for k = 4', withBuckets(4), none('fnr')),
    claim('6.1', 'a-fpr', 'FPR is observed to be nearly independent of k', withBuckets(4), {
      kind: 'near',
      rate: 'fpr',
      than: withBuckets(1),
      points: 0.5,
    }),
    claim('6.1', 'b-fnr', 'FNR is seen to remain nearly constant with change in r', withRemainder(6), {
      kind: 'near',
      rate: 'fnr',
      than: withRemainder(2),
      points: 0.5,
    }),
    ...[2, 4].map((r) =>
      claim(
        '6.1',
        `b-fpr-r${r}`,
        'FPR increases as r is increased',
        withRemainder(r),
        below('fpr', withRemainder(r + 2)),
      ),
    ),
    ...[1, 3, 5].map((reduced) =>
      claim(
        '6.1',
        `c-fpr-${reduced}`,
        "as r' increases the FPR decreases",
        withReduced(reduced + 1),
        below('fpr', withReduced(reduced)),
      ),
    ),
    ...[1, 3, 5].map((reduced) =>
      claim(
        '6.1',
        `c-fnr-${reduced}`,
        "with increase in r', FNR increases",
        withReduced(reduced),
        below('fnr', withReduced(reduced + 1)),
      ),
    ),
  ],
};

/** Assumed lengths of figure 4; the text states none. */
const LENGTHS = [BILLION / 4, BILLION / 2, BILLION] as const;

function ofLength(algorithm: string, lengthElements: number): ClaimSubject {
  const stream = uniform(lengthElements, 0.6);
  const parameters = algorithm === 'sqf' ? { parameters: SQF_PARAMETERS } : {};
  return { algorithm, memoryBytes: 256 * MB, stream, ...parameters };
}

function in64MB(algorithm: string): ClaimSubject {
  return { algorithm, memoryBytes: 64 * MB, ...(algorithm === 'sqf' ? { parameters: SQF_PARAMETERS } : {}) };
}

const lengthFigure: PublishedFigure = {
  id: 'sqf-figure-4',
  paper: 'dutta-2013',
  number: 'Figure 4',
  title: 'Rates by the length of the stream: FPR at 60 % distinct in 256 MB, FNR at 15 % in 64 MB',
  stream: uniform(BILLION, 0.15),
  curves: { rates: ['fnr'], subjects: ['sbf', 'rsbf', 'sqf'].map(in64MB) },
  claims: [
    ...['sbf', 'rsbf'].flatMap((algorithm) =>
      [0, 1].map((i) =>
        claim(
          '6.2.2',
          `a-${algorithm}-${i + 1}`,
          'the FPR of SBF and RSBF increases with stream length',
          ofLength(algorithm, LENGTHS[i] as number),
          below('fpr', ofLength(algorithm, LENGTHS[i + 1] as number)),
        ),
      ),
    ),
    ...LENGTHS.map((length) =>
      claim(
        '6.2.2',
        `a-sqf-${length / 1e6}M`,
        'the performance of SQF remains stable producing near zero FPR',
        ofLength('sqf', length),
        none('fpr'),
      ),
    ),
    ...['sbf', 'rsbf'].map((algorithm) =>
      claim('6.2.2', `b-${algorithm}`, 'The FNR obtained in SBF and RSBF is much higher (> 40%)', in64MB(algorithm), {
        kind: 'range',
        rate: 'fnr',
        lowPercent: 40,
        highPercent: 100,
        roundingPercent: 0,
      }),
    ),
    claim('6.2.2', 'b-sqf', 'SQF ... providing nearly zero FNR', in64MB('sqf'), none('fnr')),
  ],
};

function inMemory(algorithm: string, memoryMB: number, distinctShare: number): ClaimSubject {
  const stream = uniform(MILLIONS_695, distinctShare);
  const parameters = algorithm === 'sqf' ? { parameters: SQF_PARAMETERS } : {};
  return { algorithm, memoryBytes: memoryMB * MB, stream, ...parameters };
}

type Memory = Extract<ClaimForm, { kind: 'threshold' }>['memory'];

/** "Threshold FPR and FNR of 2% and 10% respectively". */
const THRESHOLDS = { fpr: 2, fnr: 10 } as const;

function threshold(rate: 'fpr' | 'fnr', memory: Memory): ClaimForm {
  return { kind: 'threshold', rate, percent: THRESHOLDS[rate], memory };
}

/** "An application with threshold FPR and FNR of 2% and 10%": which memory sizes are enough, and which are not. */
const memoryFigure: PublishedFigure = {
  id: 'sqf-figure-5',
  paper: 'dutta-2013',
  number: 'Figure 5',
  title: 'Memory for an FPR of 2 % and an FNR of 10 %, 695 million elements',
  stream: uniform(MILLIONS_695, 0.3),
  curves: { rates: [], subjects: [] },
  claims: [
    claim(
      '6.2.2',
      'fpr-sqf-30',
      'for 30% distinct elements, SQF uses 50 MB memory for obtaining the threshold FPR',
      inMemory('sqf', 50, 0.3),
      threshold('fpr', 'enough'),
    ),
    ...['sbf', 'rsbf'].map((algorithm) =>
      claim(
        '6.2.2',
        `fpr-${algorithm}-30`,
        'while SBF and RSBF require more than 100 MB space',
        inMemory(algorithm, 100, 0.3),
        threshold('fpr', 'too little'),
      ),
    ),
    claim(
      '6.2.2',
      'fnr-sqf-30',
      'for attaining the threshold FNR, SQF requires 75 MB',
      inMemory('sqf', 75, 0.3),
      threshold('fnr', 'enough'),
    ),
    ...['sbf', 'rsbf'].map((algorithm) =>
      claim(
        '6.2.2',
        `fnr-${algorithm}-30`,
        'while SBF and RSBF both use more than 400 MB memory space',
        inMemory(algorithm, 400, 0.3),
        threshold('fnr', 'too little'),
      ),
    ),
    ...['sbf', 'rsbf'].map((algorithm) =>
      claim(
        '6.2.2',
        `fpr-${algorithm}-90`,
        'For 90% distinctness, we find that SBF and RSBF require around 450 MB to obtain the threshold FPR',
        inMemory(algorithm, 450, 0.9),
        threshold('fpr', 'just enough'),
      ),
    ),
    claim(
      '6.2.2',
      'fpr-sqf-90',
      'while SQF requires only 250 MB',
      inMemory('sqf', 250, 0.9),
      threshold('fpr', 'enough'),
    ),
  ],
};

export const dutta2013Figures: readonly PublishedFigure[] = [parameterFigure, lengthFigure, memoryFigure];
