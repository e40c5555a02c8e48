// Moments of a stream, and the rates of errors at them.

/** The two rates of errors of a structure. */
export interface Limit {
  /** False positives / new elements. */
  fpr: number;
  /** False negatives / duplicates. */
  fnr: number;
}

/** The stream at one position: classes of elements that a structure can distinguish, such as those last seen equally long ago. */
export interface Moment {
  /** The elements of each class, */
  elements: Float64Array;
  /** and the share of the duplicates here that they are. */
  share: Float64Array;
  /** The shares of all new elements and of all duplicates that come about here. */
  weights: Limit;
}
