// Deng and Rafiei 2006, table 2 and figures 3 and 4 (sections 5.3 and 5.4). Figures 1 and 2 plot only formulas.

import type {
  ClaimForm,
  ClaimSubject,
  PublishedClaim,
  PublishedFigure,
  PublishedRow,
  PublishedStream,
  PublishedTable,
} from './contract.js';

type Line = readonly [fpbufferFnr: number, sbfFnr: number, commonFpr: number, bufferFnr: number, bloomFpr: number];

/** "FPS to 10%, and Max, K, P to 1, 2, 4 respectively" (section 5.4). */
const SBF_PARAMETERS = { Max: 1, K: 2, P: 4 };
/** "Each element occupies 64 bits for the real data" (section 5.2). */
const BUFFER_PARAMETERS = { replacement: 'lru', counting: 'entries64' };

/** A line of the table, in the order of its columns. SBF and FPBuffering share one column of false positives. */
function line(memoryBits: number, [fpbufferFnr, sbfFnr, commonFpr, bufferFnr, bloomFpr]: Line): PublishedRow[] {
  const memoryBytes = memoryBits / 8;
  return [
    { algorithm: 'sbf', memoryBytes, parameters: SBF_PARAMETERS, fprPercent: commonFpr, fnrPercent: sbfFnr },
    {
      algorithm: 'fpbuffer',
      memoryBytes,
      parameters: { ...BUFFER_PARAMETERS, q: commonFpr / 100 },
      fprPercent: commonFpr,
      fnrPercent: fpbufferFnr,
    },
    { algorithm: 'buffer', memoryBytes, parameters: BUFFER_PARAMETERS, fnrPercent: bufferFnr },
    { algorithm: 'bloom', memoryBytes, fprPercent: bloomFpr },
  ];
}

function crawl(lengthElements: number, distinctShare: number): PublishedStream {
  return { kind: 'crawl', lengthElements, distinctShare, dataSet: 'a crawl of the Internet Archive' };
}

function table(part: string, title: string, stream: PublishedStream, ...rows: PublishedRow[][]): PublishedTable {
  return {
    id: `deng-2${part}`,
    paper: 'deng-2006',
    number: 'Table 2',
    title,
    stream,
    rounding: { fprPercent: 0.05, fnrPercent: 0.5 },
    rows: rows.flat(),
  };
}

const MILLIONS_695 = 694_984_445;

export const deng2006Tables: readonly PublishedTable[] = [
  table(
    'a',
    '100 thousand elements, 76 % distinct',
    crawl(100_000, 0.7566),
    line(16384, [46, 35, 8.4, 50, 83.8]),
    line(65536, [35, 23, 6.7, 37, 43.4]),
    line(262144, [24, 11, 3.0, 25, 7.2]),
    line(1048576, [9, 4, 0.4, 9, 0.6]),
    line(4194304, [0.1, 1, 0.1, 0.1, 0.1]),
  ),
  table(
    'b',
    '10 million elements, 49 % distinct',
    crawl(10_000_000, 0.4851),
    line(16384, [60, 54, 8.1, 65.7, 99.7]),
    line(262144, [48, 40, 6.6, 51.5, 95.9]),
    line(4194304, [30, 23, 4.5, 31.7, 43.5]),
    line(67108864, [11, 5, 0.5, 11.0, 0.7]),
    line(1073741824, [0, 0.4, 0.1, 0, 0.1]),
  ),
  table(
    'c',
    '695 million elements, 15 % distinct',
    crawl(MILLIONS_695, 0.1475),
    line(16384, [71, 68, 8.2, 78, 99.99]),
    line(262144, [65, 60, 7.0, 70, 99.81]),
    line(4194304, [55, 50, 5.7, 58, 96.93]),
    line(67108864, [43, 36, 3.5, 45, 54.08]),
    line(1073741824, [17, 13, 1.6, 17, 2.56]),
    line(4294967296, [2, 5, 1.6, 2, 1.87]),
  ),
];

/** The text does not state figure 3's memory sizes. These are those of table 2 that fit the stream's length. */
const SPACES_BITS = [262144, 4194304, 67108864] as const;

function sbf(memoryBits: number): ClaimSubject {
  return { algorithm: 'sbf', memoryBytes: memoryBits / 8 };
}

function claim(id: string, quotation: string, subject: ClaimSubject, form: ClaimForm): PublishedClaim {
  return { id, quotation, section: 'section 5.3', subject, form };
}

export const deng2006Figures: readonly PublishedFigure[] = [
  {
    id: 'deng-figure-3',
    paper: 'deng-2006',
    number: 'Figure 3',
    title: 'Load of SBF with Max 1, K 2, P 4 (the figure shows 1 - load)',
    stream: crawl(MILLIONS_695, 0.1475),
    curves: { rates: ['load'], subjects: SPACES_BITS.map(sbf) },
    claims: [
      claim('small', 'the fraction of zeros in the SBF decreases until it becomes stable', sbf(262144), {
        kind: 'stable',
        rate: 'load',
        byElements: MILLIONS_695 / 10,
      }),
      claim('middle', 'the fraction of zeros in the SBF decreases until it becomes stable', sbf(4194304), {
        kind: 'stable',
        rate: 'load',
        byElements: MILLIONS_695 / 4,
      }),
      claim('faster', 'When the allocated space is small, the convergence rate is higher', sbf(4194304), {
        kind: 'stableBefore',
        rate: 'load',
        than: sbf(67108864),
      }),
      claim(
        'bound',
        'When the space is relatively small, the real FP rate is close to the bound [of 11.1 %, eq. 8]',
        sbf(262144),
        { kind: 'range', rate: 'fpr', lowPercent: 10, highPercent: 11.12, roundingPercent: 0.05 },
      ),
    ],
  },
];
