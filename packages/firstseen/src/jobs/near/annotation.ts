// What near-duplicate detection reports about a document in addition to its verdict.

import type { NearAnswer } from '../../near/detector.js';
import type { SignatureSettings } from '../../near/settings.js';
import type { Annotation } from '../../run/job.js';

/** The answers for the keyed records of the current batch; undefined for a record that was passed on unchecked. */
type Answers = () => readonly (NearAnswer | undefined)[];

function similarityText(similarity: number): string {
  return similarity.toFixed(4);
}

/** The number of bands seen; the set, if there are sets; the nearest kept document, if some are kept by name. */
export function nearAnnotation(
  { sets, explain }: Pick<SignatureSettings, 'sets' | 'explain'>,
  answers: Answers,
): Annotation {
  const tellsSet = sets > 0;
  const tellsNearest = explain > 0;
  const answerOf = (keyed: number | undefined) => (keyed === undefined ? undefined : answers()[keyed]);
  return {
    columns: (field) =>
      ['verdict', 'bands', ...(tellsSet ? ['set'] : []), ...(tellsNearest ? ['id', 'similarity'] : [])].map(
        (name) => `${field}_${name}`,
      ),
    values(verdict, keyed) {
      const answer = answerOf(keyed);
      const nearest = answer?.nearest;
      return [
        verdict,
        String(answer?.bands ?? ''),
        ...(tellsSet ? [String(answer?.set ?? '')] : []),
        ...(tellsNearest ? [nearest?.id ?? '', nearest ? similarityText(nearest.similarity) : ''] : []),
      ];
    },
    json(verdict, keyed) {
      const answer = answerOf(keyed);
      const nearest = answer?.nearest ?? null;
      return {
        verdict,
        bands: answer?.bands ?? null,
        ...(tellsSet ? { set: answer?.set ?? null } : {}),
        ...(tellsNearest
          ? { nearest: nearest && { id: nearest.id, similarity: Number(similarityText(nearest.similarity)) } }
          : {}),
      };
    },
  };
}
