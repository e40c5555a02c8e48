import type { DetectorSettings } from '../../src/detectors/settings.js';
import { fromLowBits, Generator } from './random.js';
import { partsOf } from './signatures.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

/** The row of a fingerprint. */
export function rowOf(settings: DetectorSettings, fingerprint: bigint): bigint {
  return partsOf(settings, fingerprint).quotient % BigInt(numberOf(settings, 'R_T'));
}

/** Which of the k signatures of a full row, in ascending order, element number `index` replaces. */
export function victimOf(settings: DetectorSettings, index: number): number {
  return fromLowBits(new Generator(settings.seed).draw(index, 0), numberOf(settings, 'k'));
}

/** dutta-2013, algorithm 1. A row is a sorted list of at most k signatures; the victim is selected by its index. */
class SqfTwin implements Twin {
  readonly #settings: DetectorSettings;
  readonly #rows = new Map<bigint, number[]>();
  #index = 0;

  constructor(settings: DetectorSettings) {
    this.#settings = settings;
  }

  #find(fingerprint: bigint): { row: number[]; signature: number } {
    const { signature } = partsOf(this.#settings, fingerprint);
    const number = rowOf(this.#settings, fingerprint);
    const row = this.#rows.get(number) ?? [];
    this.#rows.set(number, row);
    return { row, signature };
  }

  test(fingerprint: bigint): Answer {
    const { row, signature } = this.#find(fingerprint);
    return row.includes(signature) ? 1 : 0;
  }

  load(): number {
    let held = 0;
    for (const row of this.#rows.values()) held += row.length;
    return held / (numberOf(this.#settings, 'R_T') * numberOf(this.#settings, 'k'));
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    if (!answer) this.#insert(fingerprint);
    this.#index++;
    return answer;
  }

  #insert(fingerprint: bigint): void {
    const { row, signature } = this.#find(fingerprint);
    if (row.length === numberOf(this.#settings, 'k')) row.splice(victimOf(this.#settings, this.#index), 1);
    row.push(signature);
    row.sort((a, b) => a - b);
  }
}

export const sqf: TwinRow = {
  create: (settings) => new SqfTwin(settings),
  parameterSets: [
    {},
    { k: 1 },
    { k: 2 },
    { k: 64 },
    { k: 3, quotient: 'modulo' },
    { k: 4, address: 'plain' },
    { r: 3, k: 4, address: 'plain', quotient: 'modulo', p: 40 },
    { r: 4, "r'": 1, k: 5 },
    { r: 4, "r'": 2, k: 1, p: 8 },
    { r: 7, "r'": 3, quotient: 'modulo' },
    { r: 8, "r'": 1, k: 3 },
    { r: 8, Omega: '1,4,6', k: 7 },
    { r: 16, k: 8, p: 20 },
    { r: 32, "r'": 27, k: 64 },
  ],
  falsePositiveBound: (settings) => (settings.parameters.values.address === 'plain' ? 1 : numberOf(settings, 'FPR')),
};
