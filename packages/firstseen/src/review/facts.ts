// The notes that a run takes of its records for a report: counts by input, the largest clusters, and sampled pairs. All are plain data.

/** The beginning of a text. */
export interface Excerpt {
  /** As much of the text as is held. */
  text: string;
  /** Bytes of the whole text. */
  bytes: number;
  /** True if `text` ends before the text does. */
  isCut: boolean;
}

/** A record of a run. */
export interface ReviewedRecord {
  /** The name of its input; undefined if the record is from before this run. */
  input?: string | undefined;
  /** Its number among the records of that input that were compared, from 1; undefined if it is no longer known. */
  number?: number | undefined;
  /** The name that it has by its key or its path, if it has one that is still known. */
  name?: string | undefined;
  /** Its text; undefined if it is no longer held. */
  excerpt?: Excerpt | undefined;
  /**
   * True if this run is known to have kept no such record: the first record of the key was dropped by mistake, or an earlier run has seen
   * it.
   */
  isAbsent?: true | undefined;
}

/** A dropped record, and the kept one because of which it was dropped. */
export interface ReviewedPair {
  /** The record that was kept. */
  kept: ReviewedRecord;
  /** The record that was dropped. */
  dropped: ReviewedRecord;
  /** Records that were dropped because of the kept one, those before it was in the sample not among them. */
  droppedCount?: number | undefined;
  /** The estimated similarity, where documents are compared. */
  similarity?: number | undefined;
  /** The standard error of the similarity. */
  standardError?: number | undefined;
}

/** Pairs that were drawn at random. */
export interface PairsReview {
  /** At most twenty. */
  pairs: readonly ReviewedPair[];
  /** The share of all kept records from which pairs were drawn; 1 if all kept records were held. */
  keptShare: number;
  /** Pairs without the text of the kept record, which were drawn from all others to fill up the list. */
  withoutKept: number;
}

/** A kept record, and how many were dropped because of it. */
export interface ReviewedCluster {
  /** Dropped records at least. */
  leastDropped: number;
  /** The record that was kept. */
  first: ReviewedRecord;
  /** One of the dropped records. */
  member: ReviewedRecord;
}

/** The largest clusters, counted in a table of fixed size (Misra and Gries 1982). */
export interface ClustersReview {
  /** The largest twenty at most, from the largest on. */
  clusters: readonly ReviewedCluster[];
  /** The most that the count of a cluster can be too low; 0 if all are exact. No cluster outside the table is larger. */
  errorRecords: number;
  /** Clusters that the table counts at most. */
  capacity: number;
}

/** The records of an input, by what became of them. */
export interface InputReview {
  /** The name of the input; the folder of documents that are files. */
  name: string;
  /** Records that were read; of documents and texts, those that were compared. */
  records: number;
  /** Records that were dropped. */
  dropped: number;
  /** Dropped records that are near a record of another input, where that is known. */
  droppedAcross?: number | undefined;
  /** Characters of its texts, where passages are compared. */
  characters?: number | undefined;
  /** Characters of the passages that were seen. */
  seenCharacters?: number | undefined;
}

/** The number of records with a similarity in an interval. */
export interface SimilarityBin {
  /** The least similarity. */
  from: number;
  /** The end of the interval, which belongs to the last one only. */
  to: number;
  /** Records that were kept. */
  kept: number;
  /** Records that were dropped. */
  dropped: number;
}

/** A number of records that is expected from the errors of estimates, with an interval of 95 % confidence. */
export interface ExpectedRecords {
  /** The expected number. */
  expected: number;
  /** The lower bound. */
  low: number;
  /** The upper bound. */
  high: number;
  /** The records of which it is a part. */
  of: number;
}

/** The similarities of documents to the nearest kept document that has a band in common with them. */
export interface SimilarityReview {
  /** The similarity from which on documents are near. */
  threshold: number;
  /** Intervals of 0.05 from 0 to 1. */
  bins: readonly SimilarityBin[];
  /** Documents that have no band in common with a kept one. */
  withoutCandidate: number;
  /** Dropped documents whose true similarity is below the threshold. */
  wronglyDropped: ExpectedRecords;
  /** Kept documents with a band in common whose true similarity reaches the threshold. */
  wronglyKept: ExpectedRecords;
  /** The chance that a document whose similarity is the threshold has a band in common with the kept one. */
  foundAtThreshold: number;
}

/** A part of a text. */
export interface ReviewedPart {
  text: string;
  /** True if it was seen before. */
  isSeen: boolean;
}

/** A text of which passages were seen before. */
export interface ReviewedText {
  /** The record. `excerpt` is undefined if `parts` has the text. */
  record: ReviewedRecord;
  /** The beginning of the text in its parts; undefined where it is not known which parts were seen. */
  parts?: readonly ReviewedPart[] | undefined;
  /** Characters of the text. */
  characters: number;
  /** Characters of the passages that were seen. */
  seenCharacters: number;
  /** Passages that were seen. */
  seenPassages: number;
  /** True if the record was dropped. */
  isDropped: boolean;
}

/** Texts by the share of their characters that was seen, and some that were drawn at random from those with a seen passage. */
export interface TextsReview {
  /** Intervals of 0.05 from 0 to 1 of the share, among texts with a seen passage. */
  bins: readonly SimilarityBin[];
  /** Texts without a seen passage. */
  withoutSeen: number;
  /** Characters of all texts. */
  characters: number;
  /** Characters of the passages that were seen. */
  seenCharacters: number;
  /** At most twenty. */
  texts: readonly ReviewedText[];
}

/** The records that a table of fixed memory has forgotten. */
export interface ForgottenReview {
  /** Records that were added to it, over all runs. */
  added: number;
  /** Records that it remembers. */
  remembered: number;
  /** Records that it has forgotten. */
  forgotten: number;
  /** The memory of the table. */
  memoryBytes: number;
  /** A memory that would remember all; undefined if nothing was forgotten, or a window says how many are to be remembered. */
  sufficientBytes?: number | undefined;
}

/** The notes of a run about its records. The counts are those of this run. */
export interface RunReview {
  /** The name of a record, in the singular. */
  recordName: 'record' | 'document' | 'text';
  /** The inputs in the order in which they were read. */
  inputs: readonly InputReview[];
  /** The similarities, of runs that compare documents by their sketches. */
  similarities?: SimilarityReview | undefined;
  /** The clusters; undefined where it is not known which record a duplicate repeats. */
  clusters?: ClustersReview | undefined;
  /** Pairs of a kept and a dropped record; undefined for passages of texts. */
  pairs?: PairsReview | undefined;
  /** The texts, of runs that compare passages. */
  texts?: TextsReview | undefined;
  /** The forgotten records, of jobs that know them apart from the witness. */
  forgotten?: ForgottenReview | undefined;
}
