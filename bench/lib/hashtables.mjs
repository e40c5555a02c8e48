// MinHash LSH in hash tables, like datasketch: one table per band, from its rows to the documents that contain them.
// This is the usual way to find near-duplicates today; its memory grows with the documents.

import { generator } from '../../tools/support/random.mjs';

/** 32-bit FNV-1a with mixed bits. */
function hashText(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

export class HashTables {
  #tables;
  #rowsPerBand;
  #multipliers;
  #increments;

  /** @param {{bands: number, rowsPerBand: number, hashes: number, seed: number}} options */
  constructor({ bands, rowsPerBand, hashes, seed }) {
    const next = generator(seed);
    this.#tables = Array.from({ length: bands }, () => new Map());
    this.#rowsPerBand = rowsPerBand;
    this.#multipliers = Int32Array.from({ length: hashes }, () => next() | 1);
    this.#increments = Int32Array.from({ length: hashes }, () => next());
  }

  #signature(words, length) {
    const rows = new Uint32Array(this.#multipliers.length).fill(0xffffffff);
    for (let i = 0; i + length <= Math.max(words.length, length); i++) {
      const hash = hashText(words.slice(i, i + length).join(' '));
      for (let row = 0; row < rows.length; row++) {
        const value = (Math.imul(hash, this.#multipliers[row]) + this.#increments[row]) >>> 0;
        if (value < rows[row]) rows[row] = value;
      }
    }
    return rows;
  }

  /** Whether a band of the document was seen; if none was, adds its bands. */
  observe(id, words, length) {
    const rows = this.#signature(words, length);
    const keys = this.#tables.map((_, band) =>
      rows.subarray(band * this.#rowsPerBand, (band + 1) * this.#rowsPerBand).join(),
    );
    if (keys.some((key, band) => this.#tables[band].has(key))) return 'duplicate';
    for (const [band, key] of keys.entries()) this.#tables[band].set(key, [id]);
    return 'distinct';
  }
}
