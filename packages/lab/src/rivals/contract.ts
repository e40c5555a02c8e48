// The rivals: structures that others have published for the same question. Each has a file with the slow and obvious form. None is a
// family: the laboratory compares them with ours, and neither the library nor the command has them.

/** A sliding window: its length in the unit, and the most elements that are in it at any time. */
export interface RivalWindow {
  unit: 'elements' | 'milliseconds';
  length: number;
  mostElements: number;
}

/** The memory, which is equal for all rivals and holds everything that they store, and the window. */
export interface RivalRequest {
  memoryBits: number;
  window: RivalWindow;
}

/** Parameters by the paper's letters. */
export type RivalParameters = Readonly<Record<string, number>>;

export interface RivalPaper {
  authors: string;
  title: string;
  venue: string;
  year: number;
  /** The sources that were read: the text, the authors' code, or what others write about both. */
  source: string;
}

export interface Rival {
  /**
   * Tells if an element is reported duplicate, for the state before it, and adds it. Elements are numbers below 2^32.
   * @param now the number of the element, or its time in milliseconds, by the unit of the window; it never decreases
   */
  observe(element: number, now: number): boolean;
  /** Bits of everything that is stored; the most so far, if they vary. */
  readonly memoryBits: number;
}

export interface RivalRow {
  name: string;
  paper: RivalPaper;
  /** Units of windows in which it misses no repeat. A repeat at a distance of exactly the length is still in the window. */
  wholeWindows: readonly RivalWindow['unit'][];
  create(parameters: RivalParameters, request: RivalRequest, seed: number): Rival;
  /** Parameters as the paper chooses them; undefined if the memory is too small for the window. */
  published(request: RivalRequest): RivalParameters | undefined;
  /** Parameters for a search over all that the paper leaves open. */
  candidates(request: RivalRequest): RivalParameters[];
  /** The rate of false positives by the paper's formula, when the window is full of different elements. */
  falsePositiveRate(parameters: RivalParameters, request: RivalRequest): number;
}

/** A parameter that the paper requires. */
export function parameterOf(parameters: RivalParameters, letter: string): number {
  const value = parameters[letter];
  if (value === undefined) throw new Error(`the rival has no parameter ${letter}`);
  return value;
}
