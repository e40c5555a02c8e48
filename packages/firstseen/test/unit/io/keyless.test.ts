// A record without a key, which shows that a topic is not compacted, over a package that answers as librdkafka does.

import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { isUnanswered } from '../../../src/io/kafka/errors.js';
import { takesKeyless } from '../../../src/io/kafka/keyless.js';
import type { RdError, RdKafka } from '../../../src/io/kafka/rdkafka.js';
import { type Callback, rdError } from './membersupport.js';

/** The answer to a record without a key. @param reports what the brokers say of each time that it is written */
async function keylessAnswer(reports: (RdError | null)[], stop = new AbortController()): Promise<unknown> {
  class Producer extends EventEmitter {
    setPollInterval() {}
    produce() {
      const report = reports.shift();
      if (reports.length === 0) stop.abort();
      this.emit('delivery-report', report);
    }
    disconnect(callback: Callback) {
      callback(null);
    }
  }
  const rdKafka = { Producer } as unknown as RdKafka;
  const options = { rdKafka, properties: {}, connect: async () => undefined, timeoutMilliseconds: 1000 };
  return takesKeyless({ ...options, signal: stop.signal }, 'pointers').catch((error: unknown) => error);
}

it('writes a record without a key until brokers answer, or until it is asked to stop', async () => {
  expect(await keylessAnswer([null])).toBe(true);
  for (const code of [87, 2]) expect(await keylessAnswer([rdError(code)])).toBe(false);
  expect(await keylessAnswer([rdError(-192), rdError(-195), null])).toBe(true);
  expect(isUnanswered(await keylessAnswer([rdError(-192)]))).toBe(true);
  expect(isUnanswered(await keylessAnswer([rdError(29)]))).toBe(false);
});
