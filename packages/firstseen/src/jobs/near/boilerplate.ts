// Notices when most documents share text with earlier ones that are not similar to them, as pages with one menu or template do.

import { formatCount } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { betaQuantile } from '../../detectors/intervals.js';
import type { NearAnswer } from '../../near/answer.js';

/** The share of documents beyond which a corpus is mostly boilerplate. */
const MAX_SHARE = 0.5;
/** With fewer documents nothing is said. The share is looked at here, and whenever there are twice as many. */
const FIRST_LOOK_DOCUMENTS = 1000;
/** A corpus with exactly this share is warned about at a look with less than this probability. */
const SIGNIFICANCE = 1e-4;

/** Tells if the share of documents is above MAX_SHARE, by the exact lower bound of a binomial distribution. */
export function isMostly(count: number, documents: number): boolean {
  if (count <= MAX_SHARE * documents) return false;
  return betaQuantile(SIGNIFICANCE, count, documents - count + 1) > MAX_SHARE;
}

export function boilerplateWarning(shared: number, documents: number, similarity: number): FirstseenError {
  const found = `${formatCount(shared)} of ${formatCount(documents)} documents`;
  const problem = phrase`${found} share a band with a kept document, but are less similar to it than ${optionName('similarity')} ${similarity}, as pages with the same menu or template are: near-duplicates take longer to find, and some may be missed`;
  return new FirstseenError('E_PARAMETER', problem, {
    option: 'similarity',
    given: similarity,
    remedy: phrase`first remove the text that documents share, for example by firstseen passages with ${optionName('emit')} rewritten`,
  });
}

/** Counts documents that have a band in common with an earlier one, and are kept because the sketches are not similar enough. */
export class BoilerplateWatch {
  readonly #onFound: (shared: number, documents: number) => void;
  #documents = 0;
  #shared = 0;
  #nextLook = FIRST_LOOK_DOCUMENTS;

  constructor(onFound: (shared: number, documents: number) => void) {
    this.#onFound = onFound;
  }

  count({ verdict, bands }: NearAnswer): void {
    this.#documents++;
    if (verdict === 'distinct' && bands > 0) this.#shared++;
    if (this.#documents === this.#nextLook) this.#look();
  }

  /** Called when no more documents follow. */
  finish(): void {
    if (this.#documents >= FIRST_LOOK_DOCUMENTS && this.#nextLook < Number.POSITIVE_INFINITY) this.#look();
  }

  #look(): void {
    const isFound = isMostly(this.#shared, this.#documents);
    this.#nextLook = isFound ? Number.POSITIVE_INFINITY : 2 * this.#documents;
    if (isFound) this.#onFound(this.#shared, this.#documents);
  }
}
