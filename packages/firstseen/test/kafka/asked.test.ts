// What a group keeps of the options with which it began.

import { expect, it } from 'vitest';
import { type KafkaValues, readKafkaSettings, workerSettings } from '../../src/cli/kafka/settings.js';
import { FakeCluster } from './support/fakecluster.js';
import { makeTopics, runToEnd, settingsFor } from './support/workers.js';

const needed = { brokers: 'b:1', input: 'in', output: 'out', group: 'g', state: 's' };

/** What a worker with these flags is asked. */
function askedBy(flags: Readonly<Record<string, unknown>>) {
  const { values } = readKafkaSettings({ ...needed, ...flags }, {});
  return workerSettings(values as unknown as KafkaValues, 2).asked;
}

it.each([
  ['seed', '5', { seed: '5' }],
  ['seed', '18446744073709551615', { seed: '18446744073709551615' }],
  ['window', '1h', { window: '1h' }],
  ['keyed', true, { keyed: 'random' }],
] as const)('keeps --%s %s in JSON', async (flag, given, kept) => {
  const asked = askedBy({ [flag]: given });
  expect(asked).toMatchObject(kept);
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = settingsFor({ partitions: 1, asked });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
});
