// Messages whose key is another one than the key that is compared are refused before they are emitted.

import { expect, it } from 'vitest';
import type { FirstseenError } from '../../src/base/errors.js';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import type { KeyOptions } from '../../src/kafka/messages/keys.js';
import { canDiffer, MessageKeys } from '../../src/kafka/messages/messagekeys.js';
import { SingleReader } from '../../src/kafka/messages/reader.js';
import { KeyScanner } from '../../src/kafka/messages/scanning.js';
import { Observing } from '../../src/kafka/observing/observing.js';
import { WindowClock } from '../../src/kafka/observing/windowclock.js';
import { create } from '../../src/plan/keys.js';
import { content, FakeCluster } from './support/fakecluster.js';
import { makeTopics, runToEnd, settingsFor, topics } from './support/workers.js';

const json: KeyOptions = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'pass', missingKey: 'distinct' };
const lines: KeyOptions = { place: 'value', format: 'lines', keys: [], onError: 'fail' };

function recordOf(key: string | null, value: string | null, offset = 0): KafkaRecord {
  return { partition: 0, offset, ...content(key, value) };
}

/** Why records are refused, and how many are emitted before; with and without the scanner. */
async function refusals(options: KeyOptions, records: readonly KafkaRecord[], secret?: 'random') {
  const found = [];
  for (const scanner of options.format === 'ndjson' ? [undefined, await KeyScanner.open(options)] : [undefined]) {
    const detector = await create({ memory: '16KiB', ...(secret ? { secret } : {}) });
    const messageKeys = new MessageKeys(options, scanner);
    const observing = new Observing({
      detector,
      times: new WindowClock({ detector, notes: {}, from: 0 }),
      topic: 'in',
      reader: new SingleReader({ keys: options, scanner, messageKeys }),
    });
    const { outcomes, failure } = observing.take(records);
    found.push({ given: outcomes.length, observed: detector.observed, failure: failure?.message });
  }
  for (const one of found) expect(one).toEqual(found[0]);
  return found[0] as (typeof found)[0];
}

it.each([
  ['user-1', '{"id":"user-1"}'],
  ['', '{"id":"","x":1}'],
  ['5', '{"id":5}'],
  ['5', '{"id":"5"}'],
  ['"5"', '{"id":"5"}'],
  ['\u00e9"\\', '{"id":"\\u00e9\\"\\\\"}'],
  ['"a\\"b\\n"', '{"id":"a\\"b\\n"}'],
  ['{"a":1}', '{"id":{"a":1}}'],
  ['k'.repeat(70_000), `{"id":"${'k'.repeat(70_000)}"}`],
  [null, '{"other":"has no key"}'],
  [null, 'is not JSON'],
  ['any', null],
] as const)('takes the key %j of %s', async (key, value) => {
  const expected = { given: 1, failure: undefined };
  expect(await refusals(json, [recordOf(key, value)])).toMatchObject(expected);
  expect(await refusals(json, [recordOf(key, value)], 'random')).toMatchObject(expected);
});

it.each([
  [null, '{"id":"user-1"}', /: missing, not "user-1";/],
  ['user-2', '{"id":"user-1"}', /: "user-2", not "user-1";/],
  ['', '{"id":"user-1"}', /"", not/],
  ['"user-1', '{"id":"user-1"}', /not/],
  ['5.0', '{"id":5}', /"5.0", not 5;/],
  ['"5"', '{"id":5}', /: "5", not 5;/],
  ['"\\u0061"', '{"id":"a"}', /: "\\u0061", not "a";/],
  ['x'.repeat(300), '{"id":"a"}', /"x{100}"\.\.\. of 300 characters/],
] as const)('refuses the key %j of %s', async (key, value, problem) => {
  const good = recordOf('user-1', '{"id":"user-1"}');
  const { given, observed, failure } = await refusals(json, [good, recordOf(key, value, 7), good]);
  expect([given, observed]).toEqual([1, 1]);
  expect(failure).toMatch(/^in, partition 0, offset 7: the record has a message key that differs from/);
  expect(failure).toMatch(problem);
});

it('refuses strings with quotes among those without, which may be in another partition', async () => {
  const [text, quoted] = [recordOf('a', '{"id":"a"}'), recordOf('"a"', '{"id":"a"}')];
  const number = recordOf('5', '{"id":5}');
  expect((await refusals(json, [number, text, number, quoted])).failure).toMatch(
    /with quotes, unlike the records before it/,
  );
  expect((await refusals(json, [quoted, number, text])).failure).toMatch(
    /without quotes, unlike the records before it/,
  );
  expect((await refusals(json, [quoted, number, quoted])).failure).toBe(undefined);
});

it('compares a header, a whole value, and several paths', async () => {
  const whole = recordOf('v', 'v');
  expect((await refusals(lines, [whole])).failure).toBe(undefined);
  expect((await refusals(lines, [recordOf('k', 'v')])).failure).toMatch(/"k", not "v"/);
  const header: KeyOptions = { ...lines, place: { header: 'id' } };
  const record = { ...recordOf('h', 'v'), headers: [{ id: Buffer.from('h') }] };
  expect((await refusals(header, [record])).failure).toBe(undefined);
  expect((await refusals(header, [{ ...record, key: Buffer.from('v') }])).failure).toMatch(/"v", not "h"/);
  const two = { ...json, keys: ['id', 'x'] };
  expect((await refusals(two, [recordOf('a', '{"id":"a","x":"a"}')])).failure).toMatch(/"a", not/);
});

it('is not needed where the key of the message is compared', () => {
  expect(canDiffer({ ...lines, place: 'key' })).toBe(false);
  expect(canDiffer({ ...json, place: 'key' })).toBe(true);
  expect([lines, json].map(canDiffer)).toEqual([true, true]);
});

it('stops a worker after the records before, and again when it starts again', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  const settings = settingsFor({ checksMessageKeys: true });
  for (const id of ['a', 'b', 'a']) cluster.append(topics.input, 1, content(id, JSON.stringify({ id })));
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  cluster.append(topics.input, 1, content('c', '{"id":"c"}'));
  cluster.append(topics.input, 1, content('other', '{"id":"d"}'));
  for (let start = 0; start < 2; start++) {
    const error = (await runToEnd(cluster, { settings })) as FirstseenError;
    expect(error.code).toBe('E_OTHER_KEY');
    expect(error.message).toContain('in, partition 1, offset 4');
    expect(cluster.committedFrom(topics.output, 1, 0).records).toHaveLength(3);
  }
  // The option lets the group go on where it stopped.
  expect(await runToEnd(cluster, { settings: { ...settings, checksMessageKeys: false } })).toBe(undefined);
  expect(cluster.committedFrom(topics.output, 1, 0).records).toHaveLength(4);
});
