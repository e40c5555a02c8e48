// The truth: all fingerprints so far, in a table with open addressing that doubles. A set of 64-bit fingerprints takes one key for another
// with a chance of n / 2^64 for n keys.

const FIRST_ENTRIES = 2 ** 12;
const ENTRY_BYTES = 8;

/** The keys at which the page stops, so that the set does not take more than 128 MiB. */
export const MAX_KEYS = 2 ** 23;

export class ExactSet {
  #words = new Uint32Array(2 * FIRST_ENTRIES);
  #count = 0;
  /** An entry of two zeros is free, so the fingerprint 0 is noted apart. */
  #hasZero = false;

  get keys(): number {
    return this.#count;
  }

  get bytes(): number {
    return (this.#words.length / 2) * ENTRY_BYTES;
  }

  /** Adds a fingerprint, and tells if it was there before. */
  add(low: number, high: number): boolean {
    if (low === 0 && high === 0) {
      const hadZero = this.#hasZero;
      this.#hasZero = true;
      if (!hadZero) this.#count++;
      return hadZero;
    }
    if (!place(this.#words, low, high)) return true;
    this.#count++;
    // Half of the entries stay free, so that a search looks at one and a half of them.
    if (4 * this.#count > this.#words.length) this.#grow();
    return false;
  }

  #grow(): void {
    const words = this.#words;
    const larger = new Uint32Array(2 * words.length);
    for (let i = 0; i < words.length; i += 2) {
      const [low, high] = [words[i] as number, words[i + 1] as number];
      if (low !== 0 || high !== 0) place(larger, low, high);
    }
    this.#words = larger;
  }
}

/** Writes a fingerprint into the first free entry from its place on. Returns false if it was there. */
function place(words: Uint32Array, low: number, high: number): boolean {
  const mask = words.length - 1;
  for (let i = (2 * (low ^ high)) & mask; ; i = (i + 2) & mask) {
    const entryLow = words[i];
    const entryHigh = words[i + 1];
    if (entryLow === 0 && entryHigh === 0) {
      words[i] = low;
      words[i + 1] = high;
      return true;
    }
    if (entryLow === low && entryHigh === high) return false;
  }
}
