// Ways to detect repeated keys in a JavaScript program: this library and its peers, each used in its usual way. A
// package is loaded only by the contender that needs it, so that it does not count in the memory of the others.

/**
 * @typedef {object} Scale
 * @property {number} distinctElements number in the stream, which users of a Bloom filter have to know
 * @property {number} fpr
 * @property {number} memoryBytes the size of a Bloom filter for these
 *
 * @typedef {(keys: readonly string[], verdicts: Uint8Array) => void} Judge writes 1 for each key seen before, 0 for the others
 */

/** Heap bytes that lru-cache takes for an entry with a key of 48 characters, measured with 100,000 entries. */
const LRU_ENTRY_BYTES = 136;

/** @param {(key: string) => boolean} isRepeat test-and-add */
function oneByOne(isRepeat) {
  return (keys, verdicts) => {
    for (let i = 0; i < keys.length; i++) verdicts[i] = isRepeat(keys[i]) ? 1 : 0;
  };
}

/** The same structure as the package's filter, with the same memory and target. */
async function createOurs({ memoryBytes, fpr }) {
  const { create } = await import('../../packages/firstseen/dist/index.js');
  return create({ algorithm: 'bloom', memory: memoryBytes, fpr });
}

export const lruEntries = ({ memoryBytes }) => Math.floor(memoryBytes / LRU_ENTRY_BYTES);

/** @type {Record<string, (scale: Scale) => Promise<Judge>>} */
export const contenders = {
  nothing: async () => oneByOne(() => false),

  observe: async (scale) => {
    const detector = await createOurs(scale);
    return oneByOne((key) => detector.observe(key) === 'duplicate');
  },

  observeBatch: async (scale) => {
    const detector = await createOurs(scale);
    return (keys, verdicts) => {
      const fingerprints = BigUint64Array.from(keys, (key) => detector.fingerprint(key));
      detector.observeBatch(fingerprints, verdicts);
    };
  },

  set: async () => {
    const seen = new Set();
    return oneByOne((key) => {
      if (seen.has(key)) return true;
      seen.add(key);
      return false;
    });
  },

  lru: async (scale) => {
    const { LRUCache } = await import('lru-cache');
    const seen = new LRUCache({ max: lruEntries(scale) });
    return oneByOne((key) => {
      if (seen.get(key)) return true;
      seen.set(key, true);
      return false;
    });
  },

  bloomFilters: async ({ distinctElements, fpr }) => {
    const { default: filters } = await import('bloom-filters');
    const filter = filters.BloomFilter.create(distinctElements, fpr);
    return oneByOne((key) => {
      if (filter.has(key)) return true;
      filter.add(key);
      return false;
    });
  },
};
