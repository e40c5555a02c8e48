// A trial: three structures of the same memory over one stream, beside the truth.

import { create, type Detector } from 'firstseen';
import { ExactSet } from './exactset.js';
import {
  type Contender,
  contenders,
  type ErrorCounts,
  type Progress,
  type TrialDescription,
  type TrialSettings,
} from './messages.js';

export const MAX_BATCH = 2 ** 14;

/** A structure, its answers for a batch, and its errors so far. */
interface Entrant extends ErrorCounts {
  detector: Detector;
  verdicts: Uint8Array;
}

/** The options of the structures of a trial. The cache is the family `buffer`: whole fingerprints, the least recently used one goes first. */
export function optionsOf({ algorithm, memoryBytes: memory, fpr, seed }: TrialSettings) {
  return {
    detector: { algorithm, memory, fpr, seed, witness: true },
    bloom: { algorithm: 'bloom', layout: 'classic', memory, fpr, seed },
    cache: { algorithm: 'buffer', memory, seed, parameters: { replacement: 'lru' } },
  } as const;
}

export class Trial {
  /** The fingerprints of the next batch, as numbers and as words. */
  readonly fingerprints = new BigUint64Array(MAX_BATCH);
  readonly words = new Uint32Array(this.fingerprints.buffer);
  readonly #exact = new ExactSet();
  readonly #entrants: Readonly<Record<Contender, Entrant>>;
  #records = 0;

  private constructor(entrants: Readonly<Record<Contender, Entrant>>) {
    this.#entrants = entrants;
  }

  /** @throws FirstseenError E_PARAMETER or E_MEMORY when the family cannot have the memory or the target rate. */
  static async create(settings: TrialSettings): Promise<Trial> {
    const options = optionsOf(settings);
    const entrant = async (name: Contender): Promise<Entrant> => ({
      detector: await create(options[name]),
      verdicts: new Uint8Array(MAX_BATCH),
      falsePositives: 0,
      falseNegatives: 0,
    });
    return new Trial({
      detector: await entrant('detector'),
      bloom: await entrant('bloom'),
      cache: await entrant('cache'),
    });
  }

  get records(): number {
    return this.#records;
  }

  /** Keys in the exact set. */
  get keys(): number {
    return this.#exact.keys;
  }

  fingerprint(key: Uint8Array): bigint {
    return this.#entrants.detector.detector.fingerprint(key);
  }

  /** Observes the first fingerprints of the batch, and compares the answers with the truth. */
  observe(count: number): void {
    const batch = this.fingerprints.subarray(0, count);
    const { detector, bloom, cache } = this.#entrants;
    for (const name of contenders) {
      const entrant = this.#entrants[name];
      entrant.detector.observeBatch(batch, entrant.verdicts);
    }
    for (let i = 0; i < count; i++) {
      const isRepeat = this.#exact.add(this.words[2 * i] as number, this.words[2 * i + 1] as number);
      note(detector, i, isRepeat);
      note(bloom, i, isRepeat);
      note(cache, i, isRepeat);
    }
    this.#records += count;
  }

  progress(): Progress {
    const errorsOf = ({ falsePositives, falseNegatives }: ErrorCounts) => ({ falsePositives, falseNegatives });
    const { detector, bloom, cache } = this.#entrants;
    return {
      records: this.#records,
      distinct: this.#exact.keys,
      exactBytes: this.#exact.bytes,
      errors: { detector: errorsOf(detector), bloom: errorsOf(bloom), cache: errorsOf(cache) },
      witness: witnessOf(detector.detector),
    };
  }

  describe(): TrialDescription {
    const { detector, bloom, cache } = this.#entrants;
    const { algorithm, parameters } = detector.detector.stats();
    const text = Object.entries(parameters).map(([name, value]) => `${name} = ${value}`);
    return {
      algorithm,
      parameters: text.join(', '),
      bloomHashes: Number(bloom.detector.stats().parameters.k),
      cacheEntries: Number(cache.detector.stats().parameters.C),
    };
  }
}

function note(entrant: Entrant, index: number, isRepeat: boolean): void {
  const isReported = entrant.verdicts[index] === 1;
  if (isReported === isRepeat) return;
  if (isReported) entrant.falsePositives++;
  else entrant.falseNegatives++;
}

function witnessOf(detector: Detector): Progress['witness'] {
  const { witness } = detector.stats();
  if (witness === undefined) throw new Error('the detector has no witness');
  const { falsePositiveRate, falseNegativeRate, elements: keys, fraction: share } = witness;
  return { falsePositiveRate, falseNegativeRate, keys, share };
}
