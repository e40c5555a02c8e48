// A report as the reproduction makes one: of every kind of row and plot, from made-up measurements that are the same each time.

import type { CurvePoint, Measurement, Plot, Report, ReportRow, VerdictKind } from '../../src/lab/contract.js';
import {
  errorAgainstMemory,
  errorAlongStream,
  errorPlane,
  loadAlongStream,
  publishedAgainstMeasured,
} from '../../src/lab/report/plots.js';

const MIB = 2 ** 20;

export const FAMILIES = [
  'exact',
  'bloom',
  'sbf',
  'rsbf',
  'bsbf',
  'bsbfsd',
  'rlbsbf',
  'buffer',
  'fpbuffer',
  'sqf',
  'dsqf',
  'qht',
  'apbf',
] as const;

interface Made {
  algorithm: string;
  memoryBytes?: number;
  /** What the rates come near to along the stream. */
  fpr: number;
  fnr: number;
  lengthElements?: number;
  curvePoints?: number;
}

/** A measurement whose rates and load rise to their last values. */
export function measurement({ algorithm, fpr, fnr, ...rest }: Made): Measurement {
  const { memoryBytes = MIB, lengthElements = 10_000_000, curvePoints = 20 } = rest;
  const curve = Array.from({ length: curvePoints }, (_, p): CurvePoint => {
    const part = lengthElements / curvePoints / 2;
    const grown = 1 - Math.exp((-5 * (p + 1)) / curvePoints);
    return {
      positionElements: ((p + 1) * lengthElements) / curvePoints,
      load: 0.5 * grown,
      distinct: part,
      duplicates: part,
      falsePositives: Math.round(part * fpr * grown),
      falseNegatives: Math.round(part * fnr * grown),
    };
  });
  const sum = (count: 'falsePositives' | 'falseNegatives') => curve.reduce((total, point) => total + point[count], 0);
  return {
    spec: {
      stream: { kind: 'uniform', lengthElements, seed: 1, settings: { distinctShare: 0.5 } },
      identity: 'hashed',
      detector: { algorithm, layout: 'classic', memoryBytes, parameters: { k: 2 }, seed: 1 },
      curvePoints,
      byGap: false,
    },
    key: `${algorithm}/${memoryBytes}`,
    elements: lengthElements,
    distinct: lengthElements / 2,
    duplicates: lengthElements / 2,
    falsePositives: sum('falsePositives'),
    falseNegatives: sum('falseNegatives'),
    curve,
    byGap: [],
    load: 0.5,
    stateBytes: memoryBytes,
    truthBytes: 8 * lengthElements,
    elementsPerSecond: 20e6,
  };
}

/** All families in the same memory; the first remembers all and errs in nothing. */
function measuredFamilies(): Measurement[] {
  return FAMILIES.map((algorithm, f) =>
    measurement({ algorithm, fpr: f * 0.013, fnr: 0.8 / (1 + 3 * ((f * 7) % 13)) }),
  );
}

function row(id: string, options: { rate: number; kind: VerdictKind; text: string; memory: string }): ReportRow {
  const { rate, kind, text, memory } = options;
  return {
    id,
    labels: [id.split('/')[1] as string, memory],
    published: { fpr: rate, fnr: rate * 2 },
    measured: {
      fpr: { estimate: rate * 1.01, low: rate * 1.009, high: rate * 1.011 },
      fnr: { estimate: rate * 2.1, low: rate * 2.05, high: rate * 2.15 },
    },
    predicted: { fpr: rate * 1.02, fnr: rate * 2.05 },
    limit: { fnr: rate / 3 },
    verdict: { kind, text },
    parameters: 'k=2 (not stated in the paper), s=1024',
    command: `firstseen reproduce --row ${id}`,
    elementsPerSecond: 21_345_678,
  };
}

const ROWS: ReportRow[] = [
  row('table-4/sbf/64MB', {
    rate: 0.0512,
    kind: 'reproduced',
    text: 'within 1.1 % of the published',
    memory: '64 MiB',
  }),
  row('table-4/sbf/512MB', { rate: 0.00123, kind: 'reproduced', text: 'within 0.9 %', memory: '512 MiB' }),
  row('table-4/rsbf/64MB', {
    rate: 0.021,
    kind: 'differs',
    text: 'FNR is 2.1 times the published, as k is not stated & <guessed>',
    memory: '64 MiB',
  }),
  row('table-4/rlbsbf/64MB', {
    rate: 0.000001,
    kind: 'not reproducible',
    text: 'the data are not public',
    memory: '64 MiB',
  }),
];

const algorithmOf = ({ spec }: Measurement) => spec.detector.algorithm;

/** The rate of any structure falls as it may be wrong more often the other way. */
const LIMIT = Array.from({ length: 40 }, (_, i) => {
  const fpr = 10 ** (-4 + i / 10);
  return { fpr, fnr: 0.02 / (1 + 60 * fpr) };
});

function plots(): Plot[] {
  const families = measuredFamilies();
  const few = families.filter((one) => ['bloom', 'sbf', 'rsbf', 'bsbf', 'rlbsbf'].includes(algorithmOf(one)));
  const sizes = ['sbf', 'rlbsbf'].flatMap((algorithm, f) =>
    [8, 32, 128, 512].map((mib) =>
      measurement({ algorithm, memoryBytes: mib * MIB, fpr: 0.4 / mib / (f + 1), fnr: 1.5 / mib / (f + 1) }),
    ),
  );
  const memory = errorAgainstMemory(sizes, {
    id: 'memory-fnr',
    title: 'FNR against memory',
    rate: 'fnr',
    nameOf: algorithmOf,
  });
  const published = memory.series.map(({ name, points }) => ({
    name,
    kind: 'points' as const,
    role: 'published' as const,
    points: points.map(({ x, y }) => ({ x, y: y * 1.3 })),
  }));
  const predicted = memory.series.map(({ name, points }) => ({
    name,
    kind: 'line' as const,
    role: 'predicted' as const,
    points: points.map(({ x, y }) => ({ x, y: y * 0.8 })),
  }));
  return [
    errorAlongStream(few, { id: 'stream-fpr', title: 'FPR along the stream', rate: 'fpr', nameOf: algorithmOf }),
    loadAlongStream(families, { id: 'load', title: 'Load along the stream', nameOf: algorithmOf }),
    { ...memory, series: [...memory.series, ...published, ...predicted] },
    errorPlane(families, LIMIT, { id: 'plane', title: 'All families in 1 MiB', nameOf: algorithmOf }),
    publishedAgainstMeasured(ROWS, {
      id: 'agreement',
      title: 'Published against measured FPR',
      rate: 'fpr',
      nameOf: ({ labels }) => labels[0] as string,
    }),
  ];
}

/** Of texts that would break a page or a table if they were not escaped. */
export function exampleReport(): Report {
  const section = {
    paper: 'Bera et al. 2012, Advanced Bloom Filter Based Algorithms',
    columns: ['algorithm', 'memory'],
    command: 'firstseen reproduce --only table-4',
  };
  return {
    title: 'The published numbers, measured again',
    findings: [
      'Of the detectors of <64 MiB, *rlbsbf* errs least: 1.2 % & 3.4 %.',
      'A table | with a bar, `ticks` and _marks_ is shown as it is written.',
    ],
    sections: [
      {
        ...section,
        id: 'table-4',
        title: 'Table 4: 1 billion records, 15 % distinct',
        notes: ['Run at a tenth of the paper\'s scale, memory scaled alike; <script>alert("x")</script>.'],
        rows: ROWS,
        plots: plots(),
      },
      {
        ...section,
        id: 'figure-3',
        paper: 'Deng & Rafiei 2006',
        title: 'Figure 3: the load converges',
        notes: [],
        rows: [],
        plots: [],
      },
    ],
    machine: 'A machine of 2 cores; Node 20',
    command: 'firstseen reproduce --write docs/REPRODUCTION.md',
  };
}
