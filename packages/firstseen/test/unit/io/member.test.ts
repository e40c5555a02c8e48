// What a member of a group reads and writes, over a package that answers as librdkafka does.

import { expect, it, vi } from 'vitest';
import { RecordRefused, TransactionAborted, TransactionUnknown } from '../../../src/io/kafka/contract.js';
import type { RdError, RdProducer } from '../../../src/io/kafka/rdkafka.js';
import { memberWith, rdError } from './membersupport.js';

const needsAbort = { isTxnRequiresAbort: true };
const offsets = new Map([[0, 5]]);

it('waits for room in the queue, and fails for other errors', async () => {
  const record = { key: null, value: Buffer.from('v'), timestamp: -1, headers: undefined };
  const { member, sent } = memberWith({ produce: [rdError(-184), rdError(-184)] });
  await member.send('out', 1, record);
  expect(sent).toEqual([['out', 1, record.value, null, undefined, undefined, undefined]]);
  const large = memberWith({ produce: [rdError(10)] });
  await expect(large.member.send('out', 1, record)).rejects.toMatchObject({ code: 'E_KAFKA' });
  const aborted = memberWith({ produce: [rdError(-172)] });
  await expect(aborted.member.send('out', 1, record)).rejects.toBeInstanceOf(TransactionAborted);
  expect(aborted.calls).toEqual(['begin', 'abort']);
});

it('ends when the user may not write, also where the client says only that the transaction has failed', async () => {
  const { member, calls } = memberWith({
    offsets: [rdError(-172, needsAbort)],
    begin: [rdError(29, needsAbort)],
  });
  for (const topic of ['out', 'pointers', 'out']) {
    void member.send(topic, 0, { key: null, value: null, timestamp: 1, headers: undefined });
  }
  const error = await member.commit(offsets).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'E_KAFKA', remedy: expect.stringMatching(/allow the user .*WRITE/) });
  expect(String(error)).toMatch(/the group group cannot write to out and pointers/);
  expect(calls).toEqual(['flush', 'offsets', 'begin', 'abort']);
});

it('ends when the user may not write and the brokers refuse the abort, because the transaction has nothing for them', async () => {
  const refused = rdError(29, needsAbort);
  const { member, calls } = memberWith({ offsets: [refused], abort: [rdError(48, { isFatal: true })] });
  await member.begin();
  void member.send('out', 0, { key: null, value: null, timestamp: 1, headers: undefined });
  const error = await member.commit(offsets).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'E_KAFKA', cause: refused });
  expect(String(error)).toMatch(/the group group cannot write to out/);
  expect(calls).toEqual(['begin', 'flush', 'offsets', 'abort', 'disconnect', 'new']);
});

it('tells if a topic refuses what was sent, and aborts it', async () => {
  // The client gives errors of `beginTransaction` no flags.
  const refused = memberWith({ begin: [rdError(10)] });
  expect(await refused.member.isRefused()).toBe(true);
  expect(refused.calls).toEqual(['flush', 'begin', 'abort']);
  const accepted = memberWith({ begin: [rdError(-172)] });
  expect(await accepted.member.isRefused()).toBe(false);
  expect(accepted.calls).toEqual(['flush', 'begin', 'abort']);
  const aborted = memberWith({ begin: [rdError(45)] });
  await expect(aborted.member.isRefused()).rejects.toBeInstanceOf(TransactionAborted);
  expect(aborted.calls).toEqual(['flush', 'begin', 'abort']);
  const fenced = memberWith({ begin: [rdError(-144)], abort: [rdError(-144, { isFatal: true })] });
  await expect(fenced.member.isRefused()).rejects.toBeInstanceOf(TransactionUnknown);
});

it('asks whether a topic refuses what was sent while the rest cannot be flushed', async () => {
  const timedOut = () => rdError(-185);
  const refused = memberWith({ flush: [timedOut(), timedOut()], begin: [rdError(-172), rdError(10)] });
  expect(await refused.member.isRefused()).toBe(true);
  expect(refused.calls).toEqual(['flush', 'begin', 'flush', 'begin', 'abort']);
  const failed = memberWith({ flush: [rdError(-1)], begin: [rdError(-172)] });
  await expect(failed.member.isRefused()).rejects.toMatchObject({ code: 'E_KAFKA' });
});

it('notices a record that is refused before it commits, and does not wait for what is behind it', async () => {
  const timedOut = () => rdError(-185);
  const { member, calls } = memberWith({ flush: [timedOut(), timedOut()], begin: [rdError(10)] });
  await expect(member.commit(offsets)).rejects.toBeInstanceOf(RecordRefused);
  expect(calls).toEqual(['flush', 'flush', 'begin', 'abort']);
  const slow = memberWith({ flush: [timedOut()], begin: [rdError(-172)] });
  await slow.member.commit(offsets);
  expect(slow.calls).toEqual(['flush', 'flush', 'begin', 'offsets', 'commit']);
});

/** The client makes null of bytes without memory. For a topic that is compacted, such a value removes its key. */
function isEmptyForTheClient(bytes: Uint8Array | null): boolean {
  return bytes !== null && bytes.length === 0 && bytes.buffer.byteLength > 0;
}

it('keeps headers, and an empty one as empty', () => {
  const { member, sent } = memberWith({});
  const headers = [{ a: Buffer.from('1') }, { a: Buffer.alloc(0) }];
  expect(member.send('out', 0, { key: null, value: null, timestamp: 7, headers })).toBe(undefined);
  expect(sent).toEqual([['out', 0, null, null, 7, undefined, headers]]);
});

it('keeps a key, a value and a header that are empty', () => {
  const { member, sent } = memberWith({});
  const nothing = new Uint8Array(0);
  void member.send('out', 2, { key: nothing, value: nothing, timestamp: 5, headers: [{ trace: nothing }] });
  const [[topic, partition, value, key, time, , headers]] = sent as [Parameters<RdProducer['produce']>];
  expect({ topic, partition, time }).toEqual({ topic: 'out', partition: 2, time: 5 });
  for (const bytes of [value, key, ...Object.values(headers?.[0] ?? {})]) expect(isEmptyForTheClient(bytes)).toBe(true);
});

it('sends no key and no value where there are none', () => {
  const { member, sent } = memberWith({});
  void member.send('out', 0, { key: null, value: null, timestamp: -1, headers: undefined });
  expect(sent).toEqual([['out', 0, null, null, undefined, undefined, undefined]]);
});

it('keeps a header whose value the client has as a prototype', async () => {
  const { member, sent } = memberWith({});
  const header = Object.setPrototypeOf({}, Buffer.from('p'));
  await member.send('out', 0, { key: null, value: null, timestamp: 7, headers: [{ a: Buffer.from('1') }, header] });
  const [[, , , , , , headers]] = sent as [Parameters<RdProducer['produce']>];
  expect(headers?.map((one) => Object.getOwnPropertyNames(one))).toEqual([['a'], ['__proto__']]);
  expect(Object.getOwnPropertyDescriptor(headers?.[1], '__proto__')?.value).toEqual(Buffer.from('p'));
});

it('ends when the client does not take a record, which it would not take again', async () => {
  const produce = [new TypeError('a header is wrong') as unknown as RdError];
  const { member, calls } = memberWith({ produce });
  const record = { key: null, value: null, timestamp: 1, headers: undefined };
  await expect(member.send('out', 1, record)).rejects.toMatchObject({
    code: 'E_KAFKA',
    message: expect.stringMatching(/^a record cannot/),
  });
  expect(calls).toEqual([]);
});

it.each([
  [32, /^compare the clock of this machine with those of the brokers/],
  [43, /change the settings of the topic/],
  [44, /change the settings of the topic/],
  [87, /change the settings of the topic/],
])('ends when the settings of a topic refuse what is written, with the code %i', async (code, remedy) => {
  const { member, calls } = memberWith({ offsets: [rdError(-172, needsAbort)], begin: [rdError(code)] });
  const error = await member.commit(offsets).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'E_KAFKA', remedy: expect.stringMatching(remedy) });
  expect(calls).toEqual(['flush', 'offsets', 'begin', 'abort']);
});

it('ends when the topic stays unknown, and goes on if it comes back', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const back = memberWith({ consume: [rdError(3)] });
    const gone = memberWith({ consume: [rdError(3)], topic: 'never' });
    for (const { member } of [back, gone]) {
      expect((await member.fetch(10)).records).toEqual([]);
      vi.advanceTimersByTime(31_000);
    }
    expect((await back.member.fetch(10)).records).toEqual([]);
    await expect(gone.member.fetch(10)).rejects.toThrow('the topic in cannot be read: it does not exist any more');
  } finally {
    vi.useRealTimers();
  }
});

it('says what it means that a position is not in the topic', async () => {
  const { member } = memberWith({ consume: [rdError(-140)] });
  await expect(member.fetch(10)).rejects.toMatchObject({ remedy: expect.stringMatching(/^the topic was re-created/) });
});

it('pauses partitions, and ends the pause of those that it goes on with, gives up or reads from elsewhere', async () => {
  const calls: [string, ...number[]][] = [];
  const noting = (name: string) => (places: readonly { partition: number }[]) => {
    calls.push([name, ...places.map(({ partition }) => partition)]);
  };
  const { member } = memberWith({}, undefined, {
    ...{ pause: noting('pause'), resume: noting('resume'), incrementalUnassign: noting('unassign') },
    seek: ({ partition }, _milliseconds, callback) => {
      calls.push(['seek', partition]);
      callback(null, undefined);
    },
  });
  for (const partitions of [[], [0, 1, 2, 3], [0, 1, 2, 3], [1, 2, 3]]) member.pause(new Set(partitions));
  member.stop([1, 5]);
  await member.seek(new Map([[2, 7]]));
  member.pause(new Set([2, 3]));
  expect(calls).toEqual([
    ['pause', 0, 1, 2, 3],
    ['resume', 0],
    ['resume', 1],
    ['unassign', 1, 5],
    ['resume', 2],
    ['seek', 2],
    ['pause', 2],
  ]);
});
