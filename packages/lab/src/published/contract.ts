// What the papers print, as data: tables of error rates row by row. Figures have no numbers, so they are represented by
// the sentences of the text about them.

import type { ParameterValue } from 'firstseen';

export type PaperName = 'bera-2012' | 'deng-2006' | 'dutta-2012' | 'dutta-2013';

/** A stream as a paper describes it. */
export interface PublishedStream {
  /** `crawl` and `clickstream` are real; `uniform` and `zipf` were generated. */
  kind: 'uniform' | 'zipf' | 'crawl' | 'clickstream';
  lengthElements: number;
  /** Share of the elements that are distinct; absent if the paper does not state it. */
  distinctShare?: number;
  /** The paper's name of a real data set. */
  dataSet?: string;
}

export interface PublishedRow {
  algorithm: string;
  memoryBytes: number;
  /** The parameters by the paper's letters, as it states them. */
  parameters?: Readonly<Record<string, ParameterValue>>;
  /** The rate in percent, as printed. */
  fprPercent?: number;
  fnrPercent?: number;
  /** Time for an element, if the table has it. */
  queryMicroseconds?: number;
}

export interface PublishedTable {
  id: string;
  paper: PaperName;
  /** The number in the paper, such as `Table 4`. */
  number: string;
  title: string;
  stream: PublishedStream;
  /** Half a unit of the last printed digit, in percent. A measured rate this close agrees with the printed one. */
  rounding: { fprPercent: number; fnrPercent: number };
  rows: readonly PublishedRow[];
}

/** An algorithm and its memory, whose rate or load a sentence is about. */
export interface ClaimSubject {
  algorithm: string;
  memoryBytes: number;
  parameters?: Readonly<Record<string, ParameterValue>>;
  /** The stream, if it is not the figure's. */
  stream?: PublishedStream;
}

/**
 * The claim of a sentence, in a form that a program can compare with a measurement; `src/reproduce/claims.ts` has the
 * rules. Rates are in percent, as printed.
 */
export type ClaimForm =
  /** The rate over the whole stream is between two numbers, or about one number if both are the same. */
  | { kind: 'range'; rate: 'fpr' | 'fnr'; lowPercent: number; highPercent: number; roundingPercent: number }
  /** The subject's memory is enough for a rate of at most `percent`, is not enough, or is about the least that is enough. */
  | { kind: 'threshold'; rate: 'fpr' | 'fnr'; percent: number; memory: 'enough' | 'too little' | 'just enough' }
  /** The rate is `times` times the rate of `than`. */
  | { kind: 'times'; rate: 'fpr' | 'fnr'; than: ClaimSubject; times: number }
  /** It exceeds the rate of `than` by `points` percentage points. */
  | { kind: 'exceeds'; rate: 'fpr' | 'fnr'; than: ClaimSubject; points: number; roundingPercent: number }
  /** It rises, or falls, over the second half of the stream. */
  | { kind: 'trend'; rate: 'fpr' | 'fnr'; direction: 'rises' | 'falls' }
  /** It is stable from a position on. `fromElements` is the least position, if the sentence gives one, `byElements` the greatest. */
  | { kind: 'stable'; rate: CurveQuantity; fromElements?: number; byElements: number }
  /** It is not yet stable at a position. */
  | { kind: 'unstable'; rate: CurveQuantity; atElements: number }
  /** It is lower than the rate of `than`. */
  | { kind: 'below'; rate: 'fpr' | 'fnr'; than: ClaimSubject }
  /** It differs from the rate of `than` by at most `points` percentage points. */
  | { kind: 'near'; rate: 'fpr' | 'fnr'; than: ClaimSubject; points: number }
  /** From the memory `fromBytes` to the subject's, it falls by a larger factor than that of another algorithm. */
  | { kind: 'gains'; rate: 'fnr'; fromBytes: number; thanAlgorithm: string }
  /** It is stable at an earlier position than the rate of `than`. */
  | { kind: 'stableBefore'; rate: 'load'; than: ClaimSubject };

export type CurveQuantity = 'fpr' | 'fnr' | 'load';

export interface PublishedClaim {
  /** Unique in its figure, and short: a part of the row's name. */
  id: string;
  /** Word for word, except for the text in brackets. */
  quotation: string;
  section: string;
  subject: ClaimSubject;
  form: ClaimForm;
}

/** A figure whose curves run over one stream. */
export interface PublishedFigure {
  id: string;
  paper: PaperName;
  number: string;
  title: string;
  stream: PublishedStream;
  /** The details that the paper does not state and the figure requires. */
  unstated?: string;
  /** The rates and subjects that its curves show. */
  curves: { rates: readonly ('fpr' | 'fnr' | 'load')[]; subjects: readonly ClaimSubject[] };
  claims: readonly PublishedClaim[];
}

export const MB = 2 ** 20;
export const KB = 2 ** 10;
