// What a group keeps of the options with which it began.

import { expect, it } from 'vitest';
import { readKafkaSettings, workerSettings } from '../../src/cli/kafka/settings.js';
import { changedOptions } from '../../src/kafka/pointers/sameoptions.js';
import { FakeCluster } from './support/fakecluster.js';
import { makeTopics, runToEnd, settingsFor } from './support/workers.js';

const needed = { brokers: 'b:1', input: 'in', output: 'out', group: 'g', state: 's' };

/** What a worker with these options is asked. */
function askedBy(given: Readonly<Record<string, unknown>>, partitions = 2) {
  return workerSettings(readKafkaSettings({ ...needed, ...given }, {}), partitions).asked;
}

it.each([
  ['seed', '5', { seed: '5' }],
  ['seed', '18446744073709551615', { seed: '18446744073709551615' }],
  ['window', '1h', { window: '1h' }],
  ['secret', 'random', { keyed: 'random' }],
] as const)('keeps %s %s in JSON', async (option, given, kept) => {
  const asked = askedBy({ [option]: given });
  expect(asked).toMatchObject(kept);
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = settingsFor({ partitions: 1, asked });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
});

it('does not compare seeds beside a secret: they decide nothing, and are refused', () => {
  expect(changedOptions({ ...askedBy({ secret: 'random' }), seed: '5' }, askedBy({ secret: 'random' }))).toEqual([]);
});

/** Keys and a window, as the pointer of a group has them. */
const began = askedBy({ window: '1h', keys: ['user.id'] });

it.each([
  { window: '60m' },
  { window: '3600s' },
  { algorithm: 'auto' },
  { seed: '0' },
  { format: 'ndjson' },
  { keyFrom: 'value' },
  { nullKey: 'empty' },
  { emptyKey: 'distinct' },
  { memory: '64MiB' },
  { memory: '65536KiB' },
  { keys: ['["user"]["id"]'] },
])('takes %j for the same options', async (spelled) => {
  const asked = askedBy({ window: '1h', keys: ['user.id'], ...spelled });
  expect(changedOptions(JSON.parse(JSON.stringify(began)), asked)).toEqual([]);
  expect(changedOptions(JSON.parse(JSON.stringify(asked)), began)).toEqual([]);
});

it('takes other spellings of numbers, and parameters in another order', () => {
  const [saved, asked] = [
    { window: '1000', param: { K: '2', g: '3' } },
    { window: '1_000', param: { g: '3', K: '2' } },
  ];
  expect(changedOptions(saved, asked)).toEqual([]);
  expect(changedOptions(saved, { ...asked, param: { g: '3' } })).toHaveLength(1);
});

it.each([
  [{ window: '2h' }, 'window was "1h" and is "2h"'],
  [{ window: '3600' }, 'window was "1h" and is "3600"'],
  [{ seed: '1' }, 'seed was 0 and is "1"'],
  [{ algorithm: 'apbf' }, 'algorithm was "auto" and is "apbf"'],
  [{ memory: '32MiB' }, 'memory was 64MiB and is 32MiB'],
  [{ memory: 'auto' }, 'memory was 64MiB and is auto'],
  [{ keys: ['user'] }, 'key was ["user.id"] and is ["user"]'],
  [{ output: 'other' }, 'output was "out" and is "other"'],
])('names what differs with %o', (changed, difference) => {
  expect(changedOptions(began, askedBy({ window: '1h', keys: ['user.id'], ...changed }))).toEqual([difference]);
});

it('does not say that the memory is another one where the input was given partitions', () => {
  const of = (partitions: number, memory?: string) => askedBy({ memory }, partitions);
  expect(changedOptions(of(2), of(3))).toEqual(['partitions was 2 and is 3']);
  expect(changedOptions(of(3), of(7))).toEqual(['partitions was 3 and is 7']);
  expect(changedOptions(of(3, '10MiB'), of(7))).toEqual(['memory was 10MiB and is 64MiB', 'partitions was 3 and is 7']);
});
