// A report in the form that the reproduction generates: every kind of row and plot, from made-up measurements that
// never change.

import { familyNames } from 'firstseen/internal';
import type { CurvePoint, Plot, Report, ReportRow, VerdictKind } from '../../src/contract.js';
import {
  againstMemory,
  alongStream,
  convergence,
  errorPlane,
  type NamedCurve,
  type NamedRates,
  publishedAgainstMeasured,
} from '../../src/report/plots.js';

const MIB = 2 ** 20;
const POINTS = 20;
const STRETCH_ELEMENTS = 500_000;

/** Half of the elements are new; rates and load rise towards their last values, in each family a little sooner. */
function madeCurve(name: string, f: number): NamedCurve {
  const half = STRETCH_ELEMENTS / 2;
  const curve = Array.from({ length: POINTS }, (_, p): CurvePoint => {
    const grown = 1 - Math.exp((-(4 + f) * (p + 1)) / POINTS);
    return {
      positionElements: (p + 1) * STRETCH_ELEMENTS,
      load: (0.3 + 0.03 * f) * grown,
      distinct: half,
      duplicates: half,
      falsePositives: Math.round(half * 0.013 * f * grown),
      falseNegatives: Math.round((half * 0.2 * grown) / (f + 1)),
    };
  });
  return { name, curve };
}

/** All families in the same memory. The first never forgets and has no false positives. */
function madeFamilies(): NamedRates[] {
  return familyNames.map((name, f) => ({
    name,
    memoryBytes: MIB,
    fpr: f * 0.013,
    fnr: 0.8 / (1 + 3 * ((f * 7) % 13)),
  }));
}

function madeSizes(): NamedRates[] {
  const roles = [{ factor: 1 }, { role: 'published', factor: 1.3 }, { role: 'predicted', factor: 0.8 }] as const;
  return ['sbf', 'rlbsbf'].flatMap((name, f) =>
    [8, 32, 128, 512].flatMap((mib) =>
      roles.map(({ factor, ...role }) => ({
        name,
        memoryBytes: mib * MIB,
        fnr: (1.5 * factor) / mib / (f + 1),
        ...role,
      })),
    ),
  );
}

interface MadeRow {
  rate: number;
  kind: VerdictKind;
  text: string;
  memory: string;
}

function madeRow(id: string, { rate, kind, text, memory }: MadeRow): ReportRow {
  const algorithm = id.split('/')[1] as string;
  return {
    id,
    labels: [algorithm, memory],
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
  madeRow('table-4/sbf/64MB', {
    rate: 0.0512,
    kind: 'reproduced',
    text: 'within 1.1 % of the published',
    memory: '64 MiB',
  }),
  madeRow('table-4/sbf/512MB', { rate: 0.00123, kind: 'reproduced', text: 'within 0.9 %', memory: '512 MiB' }),
  madeRow('table-4/rsbf/64MB', {
    rate: 0.021,
    kind: 'differs',
    text: 'FNR is 2.1 times the published, as k is not stated & <guessed>',
    memory: '64 MiB',
  }),
  madeRow('table-4/rlbsbf/64MB', {
    rate: 0.000001,
    kind: 'not reproducible',
    text: 'the data are not public',
    memory: '64 MiB',
  }),
];

/** The theoretical limit: a lower error rate of one kind requires a higher rate of the other kind. */
const LIMIT = Array.from({ length: 40 }, (_, i) => {
  const fpr = 10 ** (-4 + i / 10);
  return { fpr, fnr: 0.02 / (1 + 60 * fpr) };
});

function plots(): Plot[] {
  const families = familyNames.map(madeCurve);
  const few = families.slice(1, 6);
  const nameOf = ({ labels }: ReportRow) => labels[0] as string;
  return [
    alongStream(few, 'fpr', { id: 'stream', title: 'FPR along the stream' }),
    alongStream(families, 'load', { id: 'load', title: 'Load of all families along the stream' }),
    convergence(few, 'fnr', { id: 'convergence', title: 'Convergence of the FNR', stableShare: 0.1 }),
    againstMemory(madeSizes(), 'fnr', { id: 'memory', title: 'FNR against memory' }),
    errorPlane(madeFamilies(), LIMIT, { id: 'plane', title: 'All families in 1 MiB' }),
    publishedAgainstMeasured(ROWS, 'fpr', { id: 'agreement', title: 'Published against measured FPR', nameOf }),
  ];
}

/** Texts that would break a page or a table if they were not escaped. */
export function exampleReport(): Report {
  const section = {
    paper: 'Bera et al. 2012, Advanced Bloom Filter Based Algorithms',
    columns: ['algorithm', 'memory'],
    command: 'firstseen reproduce --only table-4',
  };
  return {
    title: 'The published numbers, measured again',
    remarks: ['What <is> printed & what is not.'],
    conclusions: [
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
    reading: ['FPR is < what it is & no | more.'],
    machine: 'A machine of 2 cores; Node 20',
    command: 'firstseen reproduce --write docs/REPRODUCTION.md',
  };
}
