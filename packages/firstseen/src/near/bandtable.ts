// Decides about a document: looks its bands up in the table, without a set and in each open set, and adds them.

import { type Detector, kernelOf } from '../detectors/detector.js';
import { DUPLICATE } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import type { SignatureSettings } from './settings.js';

/** The similarity to an earlier document, estimated from its sketch (docs/NEAR.md derives it). */
export interface Estimate {
  /** The Jaccard similarity. */
  similarity: number;
  /** Its standard error. */
  standardError: number;
}

export interface BandDecision {
  isDuplicate: boolean;
  /** Bands that were seen in the set that takes the document, otherwise the most in any set or without a set. */
  bands: number;
  /** The set that takes the document, or that would open for it. */
  set: number | undefined;
  /** The similarity to the nearest document that has a band in common, if documents have sketches. */
  estimate?: Estimate | undefined;
}

/**
 * The table that decides about documents. The elements of a document are at the front of the batch, and its signature
 * is at an address.
 */
export interface DocumentTable {
  /** The number of open sets. */
  opened: number;
  /** Decides about the document. The table does not change. */
  test(signature: number): BandDecision;
  /** Decides about the document and adds it. */
  observe(signature: number): BandDecision;
}

type DecisionSettings = Pick<SignatureSettings, 'bands' | 'agreeing' | 'sets' | 'add'>;

export class BandTable implements DocumentTable {
  opened = 0;
  readonly #table: Detector;
  readonly #kernel: Kernel;
  readonly #settings: DecisionSettings;

  constructor(table: Detector, settings: DecisionSettings) {
    this.#table = table;
    this.#kernel = kernelOf(table);
    this.#settings = settings;
  }

  test(): BandDecision {
    const { bands, sets } = this.#settings;
    const { byteOffset: elements } = this.#kernel.fingerprints;
    if (sets > 0) this.#kernel.exports.setElements(elements, bands, this.opened);
    this.#table.testPlaced(bands * (this.opened + 1));
    return this.#decide();
  }

  /**
   * A duplicate adds only its bands that were seen, which renews them in a table that
   * forgets. If it added its other bands, a chain of documents, each near the previous one, would all be duplicates of the
   * first.
   */
  observe(): BandDecision {
    const decision = this.test();
    const { isDuplicate, set } = decision;
    if (set === this.opened) this.#open();
    const group = set === undefined ? 0 : set + 1;
    this.#table.observePlaced(this.#gather(group, isDuplicate && this.#settings.add === 'kept'));
    return decision;
  }

  #decide(): BandDecision {
    const { agreeing, sets } = this.#settings;
    const seen = this.#countSeen(0);
    const set = this.#winningSet();
    const votes = set === undefined ? 0 : this.#countSeen(set + 1);
    if (votes >= agreeing) return { isDuplicate: true, bands: votes, set };
    const bands = Math.max(seen, votes);
    if (seen >= agreeing) return { isDuplicate: true, bands, set: undefined };
    return { isDuplicate: false, bands, set: this.opened < sets ? this.opened : undefined };
  }

  /** The set with the most bands of the document; the oldest of several. */
  #winningSet(): number | undefined {
    if (this.opened === 0) return undefined;
    const { bands } = this.#settings;
    const { byteOffset: verdicts } = this.#kernel.verdicts;
    return this.#kernel.exports.winningGroup(verdicts + bands, bands, this.opened) >>> 0;
  }

  #countSeen(group: number): number {
    const { bands } = this.#settings;
    const { verdicts } = this.#kernel;
    let seen = 0;
    for (let i = group * bands; i < (group + 1) * bands; i++) seen += verdicts[i] as number;
    return seen;
  }

  /** Opens the next set, whose elements were not computed yet. */
  #open(): void {
    this.opened++;
    const { byteOffset: elements } = this.#kernel.fingerprints;
    this.#kernel.exports.setElements(elements, this.#settings.bands, this.opened);
  }

  /** Moves the elements of a group, or only those that were seen, to the front. Returns their number. */
  #gather(group: number, onlySeen: boolean): number {
    const { bands } = this.#settings;
    const { verdicts, fingerprints } = this.#kernel;
    const [first, end] = [group * bands, (group + 1) * bands];
    if (!onlySeen) {
      if (first > 0) fingerprints.copyWithin(0, first, end);
      return bands;
    }
    let count = 0;
    for (let i = first; i < end; i++) {
      if (verdicts[i] === DUPLICATE) fingerprints[count++] = fingerprints[i] as bigint;
    }
    return count;
  }
}
