import type { DetectorSettings } from '../../src/detectors/settings.js';
import { bufferParameterSets, collisionRate, ElementBuffer } from './buffers.js';
import { chance, mix64 } from './random.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

/** deng-2006, section 5.2. */
class FpbufferTwin implements Twin {
  readonly #buffer: ElementBuffer;
  readonly #q: number;
  /** Number of elements observed before the current one. */
  #index = 0;

  constructor(settings: DetectorSettings) {
    this.#buffer = new ElementBuffer(settings);
    this.#q = numberOf(settings, 'q');
  }

  #guess(fingerprint: bigint): Answer {
    const { generator } = this.#buffer;
    const drawn = mix64(generator.draw(this.#index, 0) ^ generator.hash(fingerprint, 0));
    return chance(drawn, this.#q, 1) ? 1 : 0;
  }

  test(fingerprint: bigint): Answer {
    return this.#buffer.has(fingerprint) ? 1 : this.#guess(fingerprint);
  }

  load(): number {
    return this.#buffer.load();
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    this.#buffer.take(fingerprint);
    this.#index++;
    return answer;
  }
}

export const fpbuffer: TwinRow = {
  create: (settings) => new FpbufferTwin(settings),
  parameterSets: [...bufferParameterSets.map((parameters) => ({ ...parameters, q: 0.3 })), {}, { q: 0.95 }],
  guessesMisses: true,
  falsePositiveBound: (settings) => numberOf(settings, 'q') + collisionRate(settings),
};
