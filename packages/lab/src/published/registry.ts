// The figures of all papers that show rates along a stream, in the order of the papers.

import { bera2012Figures } from './bera2012figures.js';
import type { ClaimSubject, PublishedFigure, PublishedStream } from './contract.js';
import { deng2006Figures } from './deng2006.js';
import { dutta2012Figures } from './dutta2012.js';
import { dutta2013Figures } from './dutta2013figures.js';

export const publishedFigures: readonly PublishedFigure[] = [
  ...bera2012Figures,
  ...dutta2012Figures,
  ...deng2006Figures,
  ...dutta2013Figures,
];

/** The fields that distinguish a stream from others. */
type StreamLook = Pick<PublishedStream, 'lengthElements' | 'distinctShare'> & { kind: string };

function isSameStream(a: StreamLook, b: StreamLook): boolean {
  return a.kind === b.kind && a.lengthElements === b.lengthElements && a.distinctShare === b.distinctShare;
}

/** Tells if a figure shows the algorithm's rates along the stream, in addition to the totals in a table. */
export function hasCurve(
  stream: StreamLook,
  { algorithm, memoryBytes }: Pick<ClaimSubject, 'algorithm' | 'memoryBytes'>,
): boolean {
  return publishedFigures.some(
    (figure) =>
      isSameStream(figure.stream, stream) &&
      figure.curves.subjects.some((shown) => shown.algorithm === algorithm && shown.memoryBytes === memoryBytes),
  );
}
