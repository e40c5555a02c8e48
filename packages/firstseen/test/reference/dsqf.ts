import type { DetectorSettings } from '../../src/detectors/settings.js';
import { fromTopBits, Generator } from './random.js';
import { partsOf } from './signatures.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

/** dutta-2013, section 5.1. A map keeps its keys in insertion order, which is the order of access here. */
class DsqfTwin implements Twin {
  readonly #settings: DetectorSettings;
  /** The signatures of each row that has any, newest first. The first row is the least recently accessed. */
  readonly #rows = new Map<bigint, number[]>();
  #held = 0;
  #index = 0;

  constructor(settings: DetectorSettings) {
    this.#settings = settings;
  }

  test(fingerprint: bigint): Answer {
    const { quotient, signature } = partsOf(this.#settings, fingerprint);
    return this.#rows.get(quotient)?.includes(signature) ? 1 : 0;
  }

  load(): number {
    return this.#held / numberOf(this.#settings, 'B');
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    const { quotient, signature } = partsOf(this.#settings, fingerprint);
    this.#access(quotient);
    if (!answer) {
      if (this.#held === numberOf(this.#settings, 'B')) this.#evict();
      this.#rows.set(quotient, [signature, ...(this.#rows.get(quotient) ?? [])]);
      this.#held++;
    }
    this.#index++;
    return answer;
  }

  #access(quotient: bigint): void {
    const row = this.#rows.get(quotient);
    if (!row) return;
    this.#rows.delete(quotient);
    this.#rows.set(quotient, row);
  }

  #evict(): void {
    const [[quotient, row]] = this.#rows as unknown as [[bigint, number[]]];
    row.splice(fromTopBits(new Generator(this.#settings.seed).draw(this.#index, 0), row.length), 1);
    if (row.length === 0) this.#rows.delete(quotient);
    this.#held--;
  }
}

export const dsqf: TwinRow = {
  create: (settings) => new DsqfTwin(settings),
  parameterSets: [
    {},
    { k: 1 },
    { k: 62 },
    { r: 2, "r'": 1, k: 1 },
    { r: 7, "r'": 3, k: 2, p: 10 },
    { r: 4, "r'": 3, k: 30 },
    { r: 16, "r'": 15, k: 3 },
    { r: 32, "r'": 27, k: 1, address: 'plain' },
  ],
  falsePositiveBound: (settings) => (settings.parameters.values.address === 'plain' ? 1 : numberOf(settings, 'FPR')),
};
