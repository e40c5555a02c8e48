// Dutta, Bhattacherjee and Narang 2012, tables 2 to 5 and figures 2 to 8 (section 6).

import {
  type ClaimForm,
  KB,
  MB,
  type PublishedClaim,
  type PublishedFigure,
  type PublishedRow,
  type PublishedStream,
  type PublishedTable,
} from './contract.js';

type Rates = readonly [sbfFnr: number, rsbfFnr: number, sbfFpr: number, rsbfFpr: number];

/** A line of a table, in the order of its columns; p* is 0.03 "in all the experiments" (section 6). */
function line(memoryBits: number, [sbfFnr, rsbfFnr, sbfFpr, rsbfFpr]: Rates): PublishedRow[] {
  const memoryBytes = memoryBits / 8;
  return [
    { algorithm: 'sbf', memoryBytes, fprPercent: sbfFpr, fnrPercent: sbfFnr },
    { algorithm: 'rsbf', memoryBytes, parameters: { 'p*': 0.03 }, fprPercent: rsbfFpr, fnrPercent: rsbfFnr },
  ];
}

function table(number: number, title: string, stream: PublishedStream, ...rows: PublishedRow[][]): PublishedTable {
  return {
    id: `dutta2012-${number}`,
    paper: 'dutta-2012',
    number: `Table ${number}`,
    title,
    stream,
    rounding: { fprPercent: 0.005, fnrPercent: 0.005 },
    rows: rows.flat(),
  };
}

function uniform(lengthElements: number, distinctShare: number): PublishedStream {
  return { kind: 'uniform', lengthElements, distinctShare };
}

const MILLIONS_695 = 694_984_445;
const BILLION = 1_000_000_000;

// biome-ignore format: a row of the paper is a line.
export const dutta2012Tables: readonly PublishedTable[] = [
  table(2, '100 thousand elements, 76 % distinct', uniform(100_000, 0.76),
    line(16384, [85.06, 84.49, 10.05, 11.22]),
    line(65536, [74.37, 74.85, 8.093, 8.384]),
    line(4194304, [5.51, 6.29, 0.00382, 0.00263]),
  ),
  table(3, '10 million elements, 49 % distinct', uniform(10_000_000, 0.49),
    line(16384, [88.83, 87.52, 11.08, 12.464]),
    line(262144, [88.11, 86.89, 10.86, 12.12]),
    line(4194304, [77.33, 77.73, 7.822, 7.914]),
  ),
  table(4, '695 million elements, 15 % distinct', uniform(MILLIONS_695, 0.15),
    line(262144, [88.86, 87.47, 12.51, 11.1]),
    line(67108864, [82.48, 58.2818, 8.3, 8.4]),
    line(1073741824, [37.79, 23.12, 0.742, 0.89]),
    line(4294967296, [12.94, 7.37, 0.069, 0.072]),
  ),
  table(5, '1 billion elements, 10 % distinct', uniform(BILLION, 0.1),
    line(67108864, [82.58, 67.66, 8.262, 10.262]),
    line(1073741824, [38.17, 23.47, 0.7, 0.83]),
    line(4294967296, [13.163, 7.53, 0.0634, 0.0664]),
  ),
];

/** "Clickstream data having around 3M records" (section 6); the data set R1 of dutta-2013. */
const clickstream: PublishedStream = { kind: 'clickstream', lengthElements: 3_367_020, dataSet: 'R1' };

const sbf = (memoryBytes: number) => ({ algorithm: 'sbf', memoryBytes });
const rsbf = (memoryBytes: number) => ({ algorithm: 'rsbf', memoryBytes });

function about(rate: 'fpr' | 'fnr', percent: number, roundingPercent: number): ClaimForm {
  return { kind: 'range', rate, lowPercent: percent, highPercent: percent, roundingPercent };
}

function claim(id: string, quotation: string, subject: PublishedClaim['subject'], form: ClaimForm): PublishedClaim {
  return { id, quotation, section: 'section 6.1', subject, form };
}

function figure(
  number: number,
  title: string,
  rate: 'fpr' | 'fnr' | 'load',
  memories: readonly number[],
  extra: Pick<PublishedFigure, 'stream' | 'unstated' | 'claims'>,
): PublishedFigure {
  const subjects = memories.flatMap((memoryBytes) => [sbf(memoryBytes), rsbf(memoryBytes)]);
  const curves = { rates: [rate], subjects };
  return { id: `dutta2012-figure-${number}`, paper: 'dutta-2012', number: `Figure ${number}`, title, curves, ...extra };
}

export const dutta2012Figures: readonly PublishedFigure[] = [
  figure(2, 'FPR on clickstream data', 'fpr', [2 * KB], {
    stream: clickstream,
    claims: [
      claim(
        'small',
        'even with a small memory of 2KB for around 3M elements, the FPR achieved is quite low, 0.0025',
        rsbf(2 * KB),
        about('fpr', 0.25, 0.005),
      ),
    ],
  }),
  figure(3, 'FPR, 1 billion elements, 10 % distinct', 'fpr', [128 * MB, 512 * MB], {
    stream: uniform(BILLION, 0.1),
    claims: [
      claim('rsbf-128MB', 'the FPR for RSBF stabilizes at 0.8%', rsbf(128 * MB), about('fpr', 0.8, 0.05)),
      claim('sbf-128MB', 'while that for SBF stabilizes around 0.7%', sbf(128 * MB), about('fpr', 0.7, 0.05)),
      claim(
        'rsbf-512MB',
        'the FPR for both RSBF and SBF stabilizes at around 0.06%',
        rsbf(512 * MB),
        about('fpr', 0.06, 0.005),
      ),
      claim(
        'sbf-512MB',
        'the FPR for both RSBF and SBF stabilizes at around 0.06%',
        sbf(512 * MB),
        about('fpr', 0.06, 0.005),
      ),
    ],
  }),
  figure(4, 'FNR on clickstream data', 'fnr', [2 * KB, 4 * KB], {
    stream: clickstream,
    claims: [
      claim('rsbf-2KB', 'For 2KB memory, RSBF has a stable FNR of 10%', rsbf(2 * KB), about('fnr', 10, 0.5)),
      claim('sbf-2KB', 'SBF which produces a stable FNR of 15%', sbf(2 * KB), about('fnr', 15, 0.5)),
      claim('rsbf-4KB', 'for 4KB memory, RSBF attains a stable FNR of nearly 12%', rsbf(4 * KB), about('fnr', 12, 0.5)),
      claim('sbf-4KB', 'SBF with a stable FNR of 22%', sbf(4 * KB), about('fnr', 22, 0.5)),
    ],
  }),
  figure(5, 'FNR, 1 billion elements, 10 % distinct', 'fnr', [128 * MB, 512 * MB], {
    stream: uniform(BILLION, 0.1),
    claims: [
      claim('rsbf-128MB', 'For 128MB memory, RSBF has a stable FNR of 22%', rsbf(128 * MB), about('fnr', 22, 0.5)),
      claim('sbf-128MB', 'SBF which has an FNR of 38%', sbf(128 * MB), about('fnr', 38, 0.5)),
      claim('times-128MB', 'around 1.73x better compared to SBF', sbf(128 * MB), {
        kind: 'times',
        rate: 'fnr',
        than: rsbf(128 * MB),
        times: 1.73,
      }),
      claim('rsbf-512MB', 'for RSBF we observe a stable FNR of 7%', rsbf(512 * MB), about('fnr', 7, 0.5)),
      claim('sbf-512MB', 'SBF with a stable FNR of 13%', sbf(512 * MB), about('fnr', 13, 0.5)),
      claim('times-512MB', 'around 1.86x better than SBF', sbf(512 * MB), {
        kind: 'times',
        rate: 'fnr',
        than: rsbf(512 * MB),
        times: 1.86,
      }),
    ],
  }),
  figure(6, 'Load on clickstream data', 'load', [2 * KB, 4 * KB], {
    stream: clickstream,
    claims: [
      claim(
        'rsbf-2KB',
        'RSBF stabilizes quickly as the difference in the number of 1s stabilizes to nearly 0 at only 500K records',
        rsbf(2 * KB),
        { kind: 'stable', rate: 'load', fromElements: 500_000, byElements: 500_000 },
      ),
      claim('sbf-2KB', 'SBF does not stabilize even at 3M records', sbf(2 * KB), {
        kind: 'unstable',
        rate: 'load',
        atElements: 3_000_000,
      }),
      claim('rsbf-4KB', 'RSBF observes stability at around 1.5M records', rsbf(4 * KB), {
        kind: 'stable',
        rate: 'load',
        fromElements: 1_500_000,
        byElements: 1_500_000,
      }),
    ],
  }),
  figure(7, 'Load in 512 KB; the stream is taken for that of figures 3 and 5', 'load', [512 * KB], {
    stream: uniform(BILLION, 0.1),
    claims: [
      claim(
        'rsbf',
        'the difference in the number of 1s stabilizes to zero faster for RSBF (shortly after 50 million records)',
        rsbf(512 * KB),
        { kind: 'stable', rate: 'load', fromElements: 50_000_000, byElements: 50_000_000 },
      ),
      claim('sbf', 'SBF, which has not yet stabilized even at 455 million records', sbf(512 * KB), {
        kind: 'unstable',
        rate: 'load',
        atElements: 455_000_000,
      }),
    ],
  }),
  figure(8, 'FNR over a stretch of a stream', 'fnr', [], {
    stream: clickstream,
    unstated: 'which stream, how much memory and which stretch of the stream',
    claims: [
      claim('rsbf', 'the increase of FNR in RSBF is around 0.1% over a stream length of 0.35M elements', rsbf(0), {
        kind: 'trend',
        rate: 'fnr',
        direction: 'rises',
      }),
      claim('sbf', 'SBF demonstrates an increase in FNR of around 0.3% over 0.3M element', sbf(0), {
        kind: 'trend',
        rate: 'fnr',
        direction: 'rises',
      }),
    ],
  }),
];
