// What near-duplicate detection reports about a document in addition to its verdict.

import type { NearAnswer } from '../../near/answer.js';
import type { SignatureSettings } from '../../near/settings.js';
import type { Annotation } from '../../run/job.js';

/** The answers for the keyed records of the current batch; undefined for a record that was passed on unchecked. */
type Answers = () => readonly (NearAnswer | undefined)[];

/** Digits of a similarity after its point. */
const SHOWN_DIGITS = 4;

/** The estimated similarity and its standard error, as they are written. */
interface Estimated {
  estimate: string;
  error: string;
}

function estimatedOf({ similarity, standardError }: Partial<NearAnswer> = {}): Estimated | undefined {
  if (similarity === undefined || standardError === undefined) return undefined;
  return { estimate: similarityText(similarity), error: errorText(standardError) };
}

/** A similarity as it is written. */
export function similarityText(similarity: number): string {
  return similarity.toFixed(SHOWN_DIGITS);
}

/** A standard error as it is written. Only an exact estimate has the error 0. */
function errorText(standardError: number): string {
  return (Math.ceil(standardError * 10 ** SHOWN_DIGITS) / 10 ** SHOWN_DIGITS).toFixed(SHOWN_DIGITS);
}

function numberOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

/** The number of bands seen; the estimated similarity, if there are sketches; the set, if there are sets; the nearest kept document, if some are kept by name. */
export function nearAnnotation(
  { sets, explain, verify }: Pick<SignatureSettings, 'sets' | 'explain' | 'verify'>,
  answers: Answers,
): Annotation {
  const tellsSet = sets > 0;
  const tellsNearest = explain > 0;
  const answerOf = (keyed: number | undefined) => (keyed === undefined ? undefined : answers()[keyed]);
  return {
    columns: (field) =>
      [
        ...['verdict', 'bands', ...(verify ? ['estimate', 'error'] : []), ...(tellsSet ? ['set'] : [])],
        ...(tellsNearest ? ['id', 'similarity'] : []),
      ].map((name) => `${field}_${name}`),
    values(verdict, keyed) {
      const answer = answerOf(keyed);
      const estimate = estimatedOf(answer);
      const nearest = answer?.nearest;
      return [
        verdict,
        String(answer?.bands ?? ''),
        ...(verify ? [estimate?.estimate ?? '', estimate?.error ?? ''] : []),
        ...(tellsSet ? [String(answer?.set ?? '')] : []),
        ...(tellsNearest ? [nearest?.id ?? '', nearest ? similarityText(nearest.similarity) : ''] : []),
      ];
    },
    json(verdict, keyed) {
      const answer = answerOf(keyed);
      const estimate = estimatedOf(answer);
      const nearest = answer?.nearest ?? null;
      return {
        verdict,
        bands: answer?.bands ?? null,
        ...(verify ? { estimate: numberOf(estimate?.estimate), error: numberOf(estimate?.error) } : {}),
        ...(tellsSet ? { set: answer?.set ?? null } : {}),
        ...(tellsNearest
          ? { nearest: nearest && { id: nearest.id, similarity: Number(similarityText(nearest.similarity)) } }
          : {}),
      };
    },
  };
}
