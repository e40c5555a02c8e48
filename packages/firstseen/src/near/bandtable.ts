// The decision: the bands of a document are asked of the table, for themselves and for each set that is open, and are added to it.

import type { Detector } from '../detectors/detector.js';
import { DUPLICATE } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import type { SignatureSettings } from './settings.js';

export interface Decision {
  isDuplicate: boolean;
  /** Bands that were seen: in the set that takes the document, otherwise the most in any set or in none. */
  bands: number;
  /** The set that takes the document, or would open for it. */
  set: number | undefined;
}

type DecisionSettings = Pick<SignatureSettings, 'bands' | 'agreeing' | 'sets' | 'add'>;

export class BandTable {
  /** Sets that are open, of which each document asks. */
  opened = 0;
  readonly #table: Detector;
  readonly #kernel: Kernel;
  readonly #settings: DecisionSettings;

  constructor(table: Detector, settings: DecisionSettings) {
    this.#table = table;
    this.#kernel = table.kernel;
    this.#settings = settings;
  }

  /** Decides for the document whose signature stands at an address; the table stays as it is. */
  test(signature: number): Decision {
    const { bands, sets } = this.#settings;
    const { byteOffset: elements } = this.#kernel.fingerprints;
    this.#kernel.exports.bandElements(signature, elements);
    if (sets > 0) this.#kernel.exports.setElements(elements, bands, this.opened);
    this.#table.testPlaced(bands * (this.opened + 1));
    return this.#decide();
  }

  /**
   * Decides for the document and adds it. A duplicate only renews those of its bands that were seen, where the table forgets what is
   * not asked for again: if it brought bands of its own, a chain of documents, each near the one before, would all be dropped
   * for the first.
   */
  observe(signature: number): Decision {
    const decision = this.test(signature);
    const { isDuplicate, set } = decision;
    if (set === this.opened) this.#open();
    const group = set === undefined ? 0 : set + 1;
    this.#table.observePlaced(this.#gather(group, isDuplicate && this.#settings.add === 'kept'));
    return decision;
  }

  #decide(): Decision {
    const { agreeing, sets } = this.#settings;
    const seen = this.#countSeen(0);
    const set = this.#winningSet();
    const votes = set === undefined ? 0 : this.#countSeen(set + 1);
    if (votes >= agreeing) return { isDuplicate: true, bands: votes, set };
    const bands = Math.max(seen, votes);
    if (seen >= agreeing) return { isDuplicate: true, bands, set: undefined };
    return { isDuplicate: false, bands, set: this.opened < sets ? this.opened : undefined };
  }

  /** The set that has most bands of the document, the oldest of several. */
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
    for (let place = group * bands; place < (group + 1) * bands; place++) seen += verdicts[place] as number;
    return seen;
  }

  /** Opens the next set, whose elements nobody has asked for yet. */
  #open(): void {
    this.opened++;
    const { byteOffset: elements } = this.#kernel.fingerprints;
    this.#kernel.exports.setElements(elements, this.#settings.bands, this.opened);
  }

  /** Moves the elements of a group, or only those that were seen, to the front; returns how many there are. */
  #gather(group: number, areSeenAlone: boolean): number {
    const { bands } = this.#settings;
    const { verdicts, fingerprints } = this.#kernel;
    let count = 0;
    for (let place = group * bands; place < (group + 1) * bands; place++) {
      if (!areSeenAlone || verdicts[place] === DUPLICATE) fingerprints[count++] = fingerprints[place] as bigint;
    }
    return count;
  }
}
