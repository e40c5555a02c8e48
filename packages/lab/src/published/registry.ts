// The figures of all papers, in their order: what is shown along a stream.

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

/** A stream by what tells it from others. */
type StreamLook = Pick<PublishedStream, 'lengthElements' | 'distinctShare'> & { kind: string };

function isSameStream(a: StreamLook, b: StreamLook): boolean {
  return a.kind === b.kind && a.lengthElements === b.lengthElements && a.distinctShare === b.distinctShare;
}

/** Whether a figure shows how an algorithm fares along a stream, and not only a table how it did over all of it. */
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
