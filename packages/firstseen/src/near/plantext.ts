// A plan of near-duplicates as text, and as data.

import { formatCount, formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { formatBytes } from '../base/memory.js';
import { percent, table } from '../plan/text.js';
import type { NearPlan, SketchPlan } from './plan.js';

function sketchRows({ sketches, recommended }: NearPlan): string[] {
  const [{ dropped }] = sketches as [SketchPlan];
  const header = [
    '  sketch bytes',
    'document bytes',
    'remembered',
    'standard error',
    ...dropped.map(({ similarity: at }) => `at ${at}`),
    'precision',
    'recall',
  ];
  const rows = sketches.map((sketch) => [
    `${sketch === recommended ? '*' : ' '} ${sketch.sketchBytes}`,
    formatCount(sketch.documentBytes),
    formatCount(sketch.rememberedDocuments),
    sketch.standardError === 0 ? '0' : sketch.standardError.toPrecision(2),
    ...sketch.dropped.map(({ chance }) => percent(chance)),
    percent(sketch.precision),
    percent(sketch.recall),
  ]);
  return table([header, ...rows], 1);
}

/** The memory that would remember all documents that are expected; nothing if the recommended sketch does. */
function memoryRows({ recommended, distinctDocuments: expected = 0 }: NearPlan): string[] {
  if (!recommended || recommended.rememberedDocuments >= expected) return [];
  const needed = formatBytes(expected * recommended.documentBytes);
  const documents = `${formatCounted(expected, 'document')} with sketches of ${recommended.sketchBytes} bytes`;
  return ['', `to remember ${documents}, the table needs a memory of ${needed}`];
}

/** A plan as `firstseen plan near` prints it. */
export function nearPlanText(plan: NearPlan): string {
  const { memoryBytes, similarity: threshold, bands: b, rowsPerBand, found, shingles, distinctDocuments } = plan;
  const expected = distinctDocuments === undefined ? '' : `${formatCount(distinctDocuments)} different ones, `;
  const about = table(
    [
      ['memory', formatBytes(memoryBytes)],
      ['similarity', `${threshold}; bands ${b}x${rowsPerBand} find ${percent(found)} % of the documents at it`],
      ['documents', `${expected}each of ${formatCounted(shingles, 'different shingle')}`],
      [
        'rates',
        'predicted, in percent: what is dropped at a similarity, and precision and recall if all are equally common',
      ],
    ],
    2,
  );
  return `${[...about, '', ...sketchRows(plan), ...memoryRows(plan)].join('\n')}\n`;
}

function sketchData({
  sketchBytes: bytes,
  documentBytes,
  rememberedDocuments,
  standardError,
  dropped,
  ...rates
}: SketchPlan) {
  return {
    sketch_bytes: bytes,
    document_bytes: documentBytes,
    remembered_documents: rememberedDocuments,
    standard_error: standardError,
    dropped,
    ...rates,
  };
}

/** A plan as JSON. */
export function nearPlanData({
  rowsPerBand,
  memoryBytes,
  distinctDocuments: expected,
  sketches,
  recommended,
  ...plan
}: NearPlan) {
  return {
    ...plan,
    rows_per_band: rowsPerBand,
    memory_bytes: memoryBytes,
    ...defined({ distinct_documents: expected }),
    sketches: sketches.map(sketchData),
    ...(recommended ? { recommended: sketchData(recommended) } : {}),
  };
}
