// What the papers print, as data: tables of error rates row by row, and for figures, which carry no numbers of their own, what
// the text says of them, sentence by sentence.

import type { ParameterValue } from 'firstseen';

export type PaperName = 'bera-2012' | 'deng-2006' | 'dutta-2012' | 'dutta-2013';

/** A stream as a paper describes it. */
export interface PublishedStream {
  /** `crawl` and `clickstream` are real; `uniform` and `zipf` were drawn. */
  kind: 'uniform' | 'zipf' | 'crawl' | 'clickstream';
  lengthElements: number;
  /** Share of the elements that are distinct; absent where the paper does not say. */
  distinctShare?: number;
  /** The paper's name of a real data set. */
  dataSet?: string;
}

export interface PublishedRow {
  algorithm: string;
  memoryBytes: number;
  /** As the paper states them, by its letters. */
  parameters?: Readonly<Record<string, ParameterValue>>;
  /** In percent, as printed. */
  fprPercent?: number;
  fnrPercent?: number;
  /** Time of an element, where the table has it. */
  queryMicroseconds?: number;
}

export interface PublishedTable {
  id: string;
  paper: PaperName;
  /** In the paper, such as `Table 4`. */
  number: string;
  title: string;
  stream: PublishedStream;
  /** Half a unit of the last digit printed, in percent; no row can be held to more. */
  rounding: { fprPercent: number; fnrPercent: number };
  rows: readonly PublishedRow[];
}

/** A rate, or the load, of one algorithm in one memory. */
export interface ClaimSubject {
  algorithm: string;
  memoryBytes: number;
  parameters?: Readonly<Record<string, ParameterValue>>;
  /** Another stream than the figure's. */
  stream?: PublishedStream;
}

/** What a sentence says, so that a program can hold it against what was measured. Percent, as printed. */
export type ClaimForm =
  /** The rate over the whole stream lies between two numbers. */
  | { kind: 'range'; rate: 'fpr' | 'fnr'; lowPercent: number; highPercent: number; roundingPercent: number }
  /** It is so many times the second's. */
  | { kind: 'times'; rate: 'fpr' | 'fnr'; than: ClaimSubject; times: number; isAtLeast?: boolean }
  /** It exceeds the second's by so many percentage points. */
  | { kind: 'exceeds'; rate: 'fpr' | 'fnr'; than: ClaimSubject; points: number; roundingPercent: number }
  /** It rises, or falls, over the second half of the stream. */
  | { kind: 'trend'; rate: 'fpr' | 'fnr' | 'load'; direction: 'rises' | 'falls' }
  /** From a position on it stays as it is; or at no position before the end, where `isDenied`. */
  | { kind: 'stable'; rate: 'fpr' | 'fnr' | 'load'; fromElements: number; isDenied?: boolean }
  /** It is not more than the second's. */
  | { kind: 'atMost'; rate: 'fpr' | 'fnr'; than: ClaimSubject }
  /** It is the second's but for so many percentage points. */
  | { kind: 'near'; rate: 'fpr' | 'fnr'; than: ClaimSubject; points: number }
  /** From one memory to the subject's, it falls by a larger factor than another algorithm's. */
  | { kind: 'gains'; rate: 'fnr'; fromBytes: number; thanAlgorithm: string }
  /** It is stable at an earlier position than the second. */
  | { kind: 'stableBefore'; rate: 'load'; than: ClaimSubject };

export interface PublishedClaim {
  /** Unique in its figure, and short: a part of the row's name. */
  id: string;
  /** Word for word, but for what stands in brackets. */
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
  /** What the paper would have to say for the figure to be repeated. */
  unstated?: string;
  /** What its curves show. */
  curves: { rates: readonly ('fpr' | 'fnr' | 'load')[]; subjects: readonly ClaimSubject[] };
  claims: readonly PublishedClaim[];
}

export const MB = 2 ** 20;
export const KB = 2 ** 10;
