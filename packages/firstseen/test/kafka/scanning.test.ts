// Keys that the kernel finds in JSON are those that the library finds one by one, and do not depend on the other records.

import { expect, it } from 'vitest';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import { type KeyOptions, keyFinder } from '../../src/kafka/messages/keys.js';
import { SingleReader } from '../../src/kafka/messages/reader.js';
import { KeyScanner } from '../../src/kafka/messages/scanning.js';
import { Observing } from '../../src/kafka/observing/observing.js';
import { WindowClock } from '../../src/kafka/observing/windowclock.js';
import { create } from '../../src/plan/keys.js';
import { inLongForm } from '../support/form.js';

const texts = [
  '{"id":"a"}',
  '{"id":"\\u0061","x":[1,{"id":"b"}]}',
  '{"id":"a"} {"id":"b"}',
  '{"id":"a"}{"id":"b"}',
  '{\n"id": "line"\n}',
  '\n',
  '',
  '  ',
  '{"id":""}',
  '{"id":null}',
  '{"other":1}',
  '{"id":1}',
  '{"id":1.0}',
  '[{"id":1}]',
  '"id"',
  '{"id":"unfinished',
  '{"id":{"nested":true}}',
  '{"id":"a"} ',
  ' {"id":"a"}',
  `{"id":"${'l'.repeat(2 ** 16)}"}`,
  '{"id":"a","id":"b"}',
  '{"id":"\u00e9\u{1f600}"}',
  '{"id":"a"}\r',
  '{"id":"a"},{"id":"b"}',
  '{"id":"a","x":"torn{"id":"b"}',
  '{"id":"a","x":{"id":"b"}',
  '{"id":"a"} more }',
  '{"id":"a"]',
  '{"id":"a",\\"x":1}',
];

function recordOf(value: string | null, offset: number): KafkaRecord {
  return {
    partition: 0,
    offset,
    timestamp: offset,
    key: null,
    value: value === null ? null : Buffer.from(value),
    headers: undefined,
  };
}

const keys: KeyOptions = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'pass', missingKey: 'distinct' };

it.each([{}, { keys: ['id', 'x[0]'] }, { emptyKey: 'key', nullKey: 'value' }] as const)(
  'finds the keys of the library: %j',
  async (changes) => {
    const options: KeyOptions = { ...keys, ...changes };
    const detector = await create({ secret: 'random', memory: '64KiB' });
    const scanner = await KeyScanner.open(options);
    const find = keyFinder(options);
    const { isFound, fingerprints } = scanner.scan(
      texts.map((text) => Buffer.from(text)),
      detector.settings,
    );
    for (const [i, text] of texts.entries()) {
      const key = find(recordOf(text, i));
      if (isFound[i]) expect([text, fingerprints[i]]).toEqual([text, detector.fingerprint(key as Uint8Array)]);
      const alone = scanner.scan([Buffer.from(text)], detector.settings);
      expect([text, alone.isFound[0], alone.fingerprints[0]]).toEqual([text, isFound[i], fingerprints[i]]);
    }
    expect(isFound[0]).toBe('keys' in changes ? 0 : 1);
  },
);

it('gives the same answers with and without the scanner, and in any batches', async () => {
  const short = texts.filter(({ length }) => length < 100);
  const values = Array.from(
    { length: inLongForm(20_000, 4000) },
    (_, i) => short[(i * i + 3 * i) % short.length] as string,
  );
  const records = values.map((text, i) =>
    i % 50 === 0 ? recordOf(null, i) : recordOf(`${text.slice(0, 6)}${i % 97}${text.slice(6)}`, i),
  );
  const outcomes = await Promise.all(
    [undefined, await KeyScanner.open(keys), await KeyScanner.open(keys)].map(async (scanner, run) => {
      const detector = await create({ window: 500, memory: '64KiB' });
      const observing = new Observing({
        detector,
        times: new WindowClock({ detector, notes: {}, from: 0 }),
        topic: 'in',
        reader: new SingleReader({ keys, scanner }),
      });
      if (run < 2) return observing.take(records).outcomes;
      return Array.from(
        { length: records.length / 100 },
        (_, i) => observing.take(records.slice(i * 100, i * 100 + 100)).outcomes,
      ).flat();
    }),
  );
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[2]).toEqual(outcomes[0]);
});
