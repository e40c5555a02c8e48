import type { DetectorSettings } from '../../src/detectors/settings.js';
import { bufferParameterSets, collisionRate, ElementBuffer } from './buffers.js';
import type { Answer, Twin, TwinRow } from './twin.js';

/** deng-2006, section 2.2. */
class BufferTwin implements Twin {
  readonly #buffer: ElementBuffer;

  constructor(settings: DetectorSettings) {
    this.#buffer = new ElementBuffer(settings);
  }

  test(fingerprint: bigint): Answer {
    return this.#buffer.has(fingerprint) ? 1 : 0;
  }

  load(): number {
    return this.#buffer.load();
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    this.#buffer.take(fingerprint);
    return answer;
  }
}

export const buffer: TwinRow = {
  create: (settings) => new BufferTwin(settings),
  parameterSets: bufferParameterSets,
  falsePositiveBound: collisionRate,
};
