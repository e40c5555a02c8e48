import type { DetectorSettings } from '../../src/detectors/settings.js';
import { CACHE_LINE_BYTES, fromTopBits, Generator } from './random.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

const PART_BITS = 32;
const WORD_BITS = 64;

/** Hash of a slice in the classic layout: the hash's number, and how many slices share each word. */
interface Share {
  hash: number;
  slices: number;
}

/**
 * The hash of each slice. The ring is cut into 1, 2, 4 or 8 stretches, as many as leave at least k slices in each.
 * Slices with the same index in their stretches share a hash. Where some stretches are longer by one, the last slice of
 * each has a separate hash.
 */
function sharesOf(k: number, count: number): Share[] {
  const stretches = [8, 4, 2, 1].find((most) => count >= most * k) as number;
  const common = Math.floor(count / stretches);
  const shares: Share[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    for (let offset = 0; offset < common; offset++) shares.push({ hash: offset, slices: stretches });
    if (stretch < count % stretches) shares.push({ hash: common + stretch, slices: 1 });
  }
  return shares;
}

/** A slice is the set of its one bits. The youngest slice comes first in the list. */
interface Slice {
  /** Its index in memory, which determines the hash that selects an element's bit in it. */
  number: number;
  ones: Set<number>;
}

/**
 * arXiv 2001.03147, section "Age-Partitioned Bloom Filters". The ring turns before an add that would exceed the
 * generation.
 */
export class ApbfTwin implements Twin {
  readonly #settings: DetectorSettings;
  readonly #generator: Generator;
  readonly #k: number;
  readonly #refreshes: boolean;
  readonly #slices: Slice[];
  readonly #shares: Share[];
  /** Whether nothing has been added yet. */
  #isFresh = true;
  #adds = 0;
  #clockMilliseconds = 0;
  #shortened = 0;

  constructor(settings: DetectorSettings) {
    this.#settings = settings;
    this.#generator = new Generator(settings.seed);
    this.#k = numberOf(settings, 'k');
    this.#refreshes = settings.parameters.values.refresh === 'yes';
    const count = this.#k + numberOf(settings, 'l');
    this.#shares = sharesOf(this.#k, count);
    this.#slices = Array.from({ length: count }, (_, number) => ({ number, ones: new Set() }));
  }

  #bitIn({ number }: Slice, fingerprint: bigint): number {
    const { layout, memoryBytes } = this.#settings;
    if (layout === 'blocked') {
      const cacheLine = this.#generator.cacheLine(fingerprint, Math.floor(memoryBytes / CACHE_LINE_BYTES));
      // Two slices share a piece of 16 bits, with one byte each.
      const piece = Number(this.#generator.cacheLineHash(fingerprint, Math.floor(number / 2)));
      return cacheLine * PART_BITS + ((number % 2 === 0 ? piece : piece >> 8) % PART_BITS);
    }
    const words = Math.floor(Math.floor(memoryBytes / 8) / this.#slices.length);
    const { hash: hashNumber, slices } = this.#shares[number] as Share;
    const bits = WORD_BITS / slices;
    const hash = this.#generator.hash(fingerprint, hashNumber);
    return fromTopBits(hash, words * slices) * bits + Number(hash % BigInt(bits));
  }

  #turn(): void {
    const oldest = this.#slices.pop() as Slice;
    this.#slices.unshift({ number: oldest.number, ones: new Set() });
    this.#adds = 0;
  }

  /** Turns once for each end of a generation that the time passes. More turns than slices clear the ring. */
  advance(timeMilliseconds: number): void {
    const t = numberOf(this.#settings, 't');
    const before = this.#clockMilliseconds;
    if (timeMilliseconds <= before) return;
    this.#clockMilliseconds = timeMilliseconds;
    // Turning an empty ring changes no answer, but it changes which slice is the youngest and so the bits that are set.
    // An empty ring does not turn.
    if (this.#isFresh) return;
    const turns = Math.floor(timeMilliseconds / t) - Math.floor(before / t);
    for (let i = 0; i < Math.min(turns, this.#slices.length); i++) this.#turn();
  }

  /** Turns before their time, because a generation was full. */
  get shortened(): number {
    return this.#shortened;
  }

  test(fingerprint: bigint): Answer {
    let run = 0;
    for (const slice of this.#slices) {
      run = slice.ones.has(this.#bitIn(slice, fingerprint)) ? run + 1 : 0;
      if (run === this.#k) return 1;
    }
    return 0;
  }

  load(): number {
    const ones = this.#slices.reduce((sum, slice) => sum + slice.ones.size, 0);
    return ones / (numberOf(this.#settings, 'm') * this.#slices.length);
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    if (answer === 1 && !this.#refreshes) return answer;
    if (this.#adds >= numberOf(this.#settings, 'g')) {
      this.#turn();
      if (numberOf(this.#settings, 't') > 0) this.#shortened++;
    }
    this.#isFresh = false;
    this.#adds++;
    for (const slice of this.#slices.slice(0, this.#k)) slice.ones.add(this.#bitIn(slice, fingerprint));
    return answer;
  }
}

export const apbf: TwinRow = {
  create: (settings) => new ApbfTwin(settings),
  parameterSets: [
    {},
    { refresh: 'yes' },
    { k: 1, l: 1, g: 1 },
    { k: 4, l: 3, g: 50 },
    { k: 7, l: 5, g: 9, refresh: 'yes' },
    { k: 10, l: 5, g: 20 },
    { k: 3, l: 2, g: 40, t: 1000 },
    // Bundles of two with one slice left over, and bundles of four.
    { k: 3, l: 4, g: 60 },
    { k: 3, l: 10, g: 30 },
  ],
  layoutParameterSets: {
    classic: [
      // Bundles of eight with three slices left over, and the maximum number of slices.
      { k: 2, l: 17, g: 40, refresh: 'yes' },
      { k: 1, l: 63, g: 5 },
      { k: 63, l: 1, g: 5 },
    ],
  },
  falsePositiveBound: (settings) => numberOf(settings, 'FPR'),
};
