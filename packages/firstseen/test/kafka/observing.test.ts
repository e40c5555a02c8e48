// What a partition says of records with times is what a program would say that sets the time of its detector before each record.

import { expect, it } from 'vitest';
import { isTime } from '../../src/detectors/refusals.js';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import type { KeyOptions } from '../../src/kafka/messages/keys.js';
import { SingleReader } from '../../src/kafka/messages/reader.js';
import { Observing } from '../../src/kafka/observing/observing.js';
import { WindowClock } from '../../src/kafka/observing/windowclock.js';
import { type CreateOptions, create } from '../../src/plan/keys.js';
import { choices } from './support/workers.js';

const keys: KeyOptions = { place: 'key', format: 'lines', keys: [], onError: 'fail' };

/** More records than the kernel takes at a time. Their times go on, repeat, go back, and are none. */
function recordsOf(count: number): KafkaRecord[] {
  const choose = choices(7);
  let time = 1_700_000_000_000;
  return Array.from({ length: count }, (_, offset) => {
    time += choose(3);
    const timestamp = [time, time, time - choose(2000), -1][choose(4)] as number;
    const key = Buffer.from(`${choose(3000)}`);
    return { partition: 0, offset, timestamp, key, value: Buffer.from('v'), headers: undefined };
  });
}

it.each(['pocketwindow', 'apbf', 'exactwindow'])('sets the time of %s before each record', async (algorithm) => {
  const options = { algorithm, window: '700ms', memory: '64KiB', clock: 'manual' } as CreateOptions;
  const [detector, single] = await Promise.all([create(options), create(options)]);
  const records = recordsOf(40_000);
  const expected = records.map(({ key, timestamp }) => {
    if (isTime(timestamp)) single.advance(timestamp);
    return single.observe(key as Uint8Array);
  });
  const observing = new Observing({
    detector,
    times: new WindowClock({ detector, notes: {}, from: 0 }),
    topic: 'in',
    reader: new SingleReader({ keys }),
  });
  const first = observing.take(records.slice(0, 39_000)).outcomes;
  expect([...first, ...observing.take(records.slice(39_000)).outcomes]).toEqual(expected);
  expect(expected.filter((answer) => answer === 'duplicate').length).toBeGreaterThan(1000);
});
