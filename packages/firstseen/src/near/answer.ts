// What a detector of near-duplicates says of a document.

/** The answer for a document. */
export interface NearAnswer {
  /** `duplicate` if a document like this one was seen before. */
  verdict: 'distinct' | 'duplicate';
  /** Number of bands that the table had seen. */
  bands: number;
  /** With sets, the set that took the document: a number from 0 in the order in which the sets were opened. */
  set?: number;
  /** With `verify`, the estimated similarity to the nearest document that has a band in common with it, if there is one. */
  similarity?: number;
  /** The standard error of `similarity`. */
  standardError?: number;
  /** With `explain`, the nearest of the recently kept documents. */
  nearest?: { id: string; similarity: number };
}

/** The addresses of the signature of a document and of the elements of its bands, and the number of its shingles. */
export interface SignedDocument {
  signature: number;
  elements: number;
  shingles: number;
}
