// The client of Kafka over a package that answers as librdkafka does: errors that pass, transactions that are aborted, and headers.

import { expect, it, onTestFinished, vi } from 'vitest';
import { boundsOf } from '../../../src/io/kafka/bounds.js';
import { NameTaken, TransactionAborted, TransactionUnknown } from '../../../src/io/kafka/contract.js';
import { isPassing, isUnanswered, notMade, patiently, recordRefusal } from '../../../src/io/kafka/errors.js';
import { type DescribesGroup, presentInstances } from '../../../src/io/kafka/groups.js';
import {
  loadRdKafka,
  type RdConsumer,
  type RdError,
  type RdMessage,
  type TopicPartition,
} from '../../../src/io/kafka/rdkafka.js';
import { endTransactionsOfGone } from '../../../src/io/kafka/takeover.js';
import { ProgramKilled } from '../../../src/io/system/program.js';
import { changesOf, memberWith, place, rdError } from './membersupport.js';

const needsAbort = { isTxnRequiresAbort: true };
const offsets = new Map([[0, 5]]);
/** The state of a producer is not valid any more. */
const invalid = rdError(48, { isFatal: true });

it('commits offsets and the transaction, and repeats what passes', async () => {
  const { member, calls } = memberWith({ offsets: [rdError(16)], commit: [rdError(1, { isRetriable: true })] });
  await member.commit(offsets);
  expect(calls).toEqual(['flush', 'offsets', 'offsets', 'commit', 'commit']);
});

it('commits the id of its transactions with the offsets', async () => {
  const { member, offsetsSent } = memberWith({});
  await member.commit(offsets);
  expect(offsetsSent).toEqual([{ topic: 'in', partition: 0, offset: 5, metadata: 'group/one' }]);
});

it('ends the transactions of members that are gone before it reads the offsets, and while an open transaction has them', async () => {
  const { member, calls } = memberWith({ committed: [rdError(16), rdError(88), rdError(-185)] });
  expect(await member.committed([3, 4])).toEqual(new Map([3, 4].map((partition) => [partition, -1])));
  expect(calls).toEqual(['end 3,4', 'committed', 'committed', 'end 3,4', 'committed', 'end 3,4', 'committed']);
});

it('asks for the offsets once more when the transactions have been ended, however long that took', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const takeover = () => vi.setSystemTime(Date.now() + 61_000);
    const late = memberWith({ committed: [rdError(88), rdError(88)] }, undefined, {}, takeover);
    await expect(late.member.committed([3])).rejects.toThrow('the offsets of the group cannot be read: error 88');
    expect(late.calls).toEqual(['end 3', 'committed', 'end 3', 'committed']);
    const ended = memberWith({ committed: [rdError(88)] }, undefined, {}, takeover);
    expect(await ended.member.committed([3])).toEqual(new Map([[3, -1]]));
  } finally {
    vi.useRealTimers();
  }
});

/** The ids whose transactions are ended when members have committed offsets with these texts, and the group has these members. */
async function endedBy(
  metadata: readonly (string | undefined)[],
  members: readonly (string | undefined)[],
  failures: { committed?: RdError[]; describe?: Error[] } = {},
) {
  const ended: string[] = [];
  const places = metadata.map((_, partition) => ({ topic: 'in', partition }));
  const finder: Pick<RdConsumer, 'committed'> = {
    committed: (asked, _time, callback) =>
      callback(
        failures.committed?.shift() ?? null,
        asked.map((place, i) => ({ ...place, offset: 7, ...(metadata[i] && { metadata: metadata[i] }) })),
      ),
  };
  const describe: DescribesGroup = async () => {
    const failure = failures.describe?.shift();
    if (failure) throw failure;
    return {
      members: members.map((groupInstanceId) => (groupInstanceId === undefined ? {} : { groupInstanceId })),
    };
  };
  const endTransaction = async (id: string) => {
    ended.push(id);
  };
  const options = { describe, properties: {}, group: 'g', instance: 'me', finder, endTransaction };
  await endTransactionsOfGone({ ...options, timeoutMilliseconds: 1000 }, places);
  return ended;
}

it('ends the transactions of members that the group does not have, each once', async () => {
  expect(await endedBy(['g/gone', 'g/there', 'g/gone', 'g/me'], ['me', 'there'])).toEqual(['g/gone']);
});

it('ends the transactions of members that are gone also when brokers do not answer at first', async () => {
  const failures = { committed: [rdError(16), rdError(14)], describe: [rdError(15), new ProgramKilled('it crashed')] };
  expect(await endedBy(['g/gone'], ['me'], failures)).toEqual(['g/gone']);
});

it('ends no transaction of others than members of the group', async () => {
  expect(await endedBy([undefined, 'other/gone', 'a text', 'gone'], ['me', undefined])).toEqual([]);
});

it('ends nothing when the group does not show the member itself', async () => {
  expect(await endedBy(['g/gone'], [])).toEqual([]);
});

it('aborts a transaction that cannot be committed', async () => {
  const { member, calls } = memberWith({ offsets: [rdError(22, needsAbort)] });
  await expect(member.commit(offsets)).rejects.toBeInstanceOf(TransactionAborted);
  expect(calls).toEqual(['flush', 'offsets', 'abort']);
});

it('does not repeat a transaction with messages that are too large for a topic', async () => {
  const { member, calls } = memberWith({ offsets: [rdError(10, needsAbort)] });
  const failed = await member.commit(offsets).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'E_KAFKA' });
  expect(String(failed)).toMatch(/raise max\.message\.bytes of the topic/);
  expect(calls).toEqual(['flush', 'offsets', 'abort']);
});

it('commits nothing of partitions that it has lost', async () => {
  const { member, calls } = memberWith({}, changesOf([-174, true]));
  await expect(member.commit(offsets)).rejects.toBeInstanceOf(TransactionAborted);
  expect(calls).toEqual(['abort']);
});

it('takes a new producer when the end of a transaction is not known', async () => {
  const { member, calls } = memberWith({
    commit: [rdError(15, needsAbort), invalid],
    abort: [invalid],
  });
  await expect(member.commit(offsets)).rejects.toBeInstanceOf(TransactionUnknown);
  expect(calls).toEqual(['flush', 'offsets', 'commit', 'commit', 'disconnect', 'new']);
  const aborting = memberWith({ offsets: [rdError(22, needsAbort)], abort: [invalid] });
  await expect(aborting.member.commit(offsets)).rejects.toBeInstanceOf(TransactionUnknown);
  expect(aborting.calls).toEqual(['flush', 'offsets', 'abort', 'disconnect', 'new']);
});

it('takes a new producer in place of one that was fenced', async () => {
  const { member, calls } = memberWith({ commit: [rdError(-144, { isFatal: true })] });
  await expect(member.commit(offsets)).rejects.toBeInstanceOf(TransactionUnknown);
  expect(calls).toEqual(['flush', 'offsets', 'commit', 'disconnect', 'new']);
});

/** What comes of waiting when a minute is over. */
async function afterMinute<Value>(begin: () => Promise<Value>): Promise<unknown> {
  vi.useFakeTimers();
  try {
    let hasEnded = false;
    const ended = begin()
      .catch((cause: unknown) => cause)
      .finally(() => {
        hasEnded = true;
      });
    await vi.advanceTimersByTimeAsync(59_000);
    expect(hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    return await ended;
  } finally {
    vi.useRealTimers();
  }
}

it.each([
  ['offsets are sent', { offsets: 'never' }, /the transaction cannot commit/, ['flush', 'offsets']],
  [
    'a transaction begins',
    { offsets: [rdError(-172, needsAbort)], begin: 'never' },
    /end/,
    ['flush', 'offsets', 'begin'],
  ],
  [
    'a producer closes',
    { commit: [invalid], disconnect: 'never' },
    /closed/,
    ['flush', 'offsets', 'commit', 'disconnect'],
  ],
] as const)(
  'ends when the client never returns while %s, and does not close that producer',
  async (_, failures, doing, called) => {
    const { member, calls } = memberWith(failures as Parameters<typeof memberWith>[0]);
    const error = await afterMinute(() => member.commit(offsets));
    expect(error).toMatchObject({
      code: 'E_KAFKA',
      message: expect.stringMatching(/: the client has not returned for 60 seconds/),
    });
    expect(String(error)).toMatch(doing);
    expect(member.isStuck).toBe(true);
    await member.close();
    expect(calls).toEqual([...called, 'leave']);
  },
);

it('does not wait for ever for a consumer or a producer that does not close', async () => {
  for (const name of ['leave', 'disconnect']) {
    const { member } = memberWith({ [name]: 'never' });
    await afterMinute(() => member.close());
    expect(member.isStuck).toBe(true);
  }
  const { member, calls } = memberWith({ leave: [rdError(-172)] });
  await member.close();
  expect(calls).toEqual(['leave', 'disconnect']);
  expect(member.isStuck).toBe(false);
});

it('notes that its name is taken when only the log of the client says so', async () => {
  const consume: RdConsumer['consume'] = (_most, callback) => callback(null, []);
  const { member, log } = memberWith({}, undefined, { consume });
  log('SESSTMOUT', 'no heartbeat');
  expect(await member.fetch(10)).toEqual({ records: [], ends: new Map() });
  log('FATAL', '[thrd:main]: Fatal error: Static consumer fenced');
  const error = await member.fetch(10).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(NameTaken);
  expect(String(error)).toMatch(/by the group group: Fatal error: Static consumer fenced; another worker/);
});

it('answers no change and begins no transaction after a fatal error', async () => {
  const changes = changesOf([-175, false]);
  const unassign = vi.fn();
  const { member, calls, log } = memberWith({}, changes, {
    incrementalAssign: unassign,
    incrementalUnassign: unassign,
  });
  log('FATAL', 'fenced');
  await expect(member.begin()).rejects.toBeInstanceOf(NameTaken);
  await member.close();
  const consumer = { incrementalAssign: unassign, incrementalUnassign: unassign, assignmentLost: () => false };
  for (const code of [-175, -174]) changes.note(consumer, rdError(code), [place]);
  expect(unassign).not.toHaveBeenCalled();
  expect(calls).toEqual(['leave', 'disconnect']);
});

it('ends when another worker has taken its name in the group', async () => {
  const { member } = memberWith({ consume: [rdError(-144, { isFatal: true })] });
  const error = await member.fetch(10).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'E_KAFKA' });
  expect(String(error)).toMatch(/another worker has the same instance name/);
});

it('names the right that a user lacks', async () => {
  for (const [code, right] of [
    [29, /READ on topics/],
    [30, /READ on the group/],
    [53, /WRITE on the transactional ids/],
  ] as const) {
    const refused = patiently('it cannot be done', async () => {
      throw rdError(code);
    });
    await expect(refused).rejects.toMatchObject({ code: 'E_KAFKA', remedy: expect.stringMatching(right) });
  }
});

it('reads fewer records at once if they are large, and many if they are small', async () => {
  let [offset, bytes] = [0, 2 ** 20];
  const consume = (most: number, callback: (error: null, messages: RdMessage[]) => void) => {
    const value = Buffer.alloc(bytes);
    const rest = { timestamp: -1, key: null, headers: undefined };
    const one = () => ({ topic: 'in', partition: 0, offset: offset++, value, ...rest });
    setImmediate(() => callback(null, Array.from({ length: most }, one)));
  };
  const { member } = memberWith({}, undefined, { consume });
  // A fetch ends after some time, too.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const sizes: number[] = [];
  for (let i = 0; i < 3; i++) sizes.push((await member.fetch(10_000)).records.length);
  // The first ones are as large as is expected of records that were not read.
  expect(sizes).toEqual([500, 32, 32]);
  bytes = 10;
  expect((await member.fetch(1500)).records).toHaveLength(1500);
  expect((await member.fetch(1500)).records[0]?.offset).toBe(500 + 32 + 32 + 1500);
});

it('tells assigned, revoked and lost partitions apart', () => {
  const changes = changesOf([-175, false], [-174, false], [-174, true]);
  expect(changes.hasLost).toBe(true);
  const kinds = ['assigned', 'revoked', 'lost'].map((kind) => ({ kind, partitions: [0] }));
  expect(changes.take()).toEqual(kinds);
  expect(changes.hasLost).toBe(false);
});

it('gives up what is pending when it closes, and asks a closed consumer nothing that crashes', () => {
  const changes = changesOf([-175, false], [-174, false]);
  const calls: string[] = [];
  const closing = {
    incrementalAssign: (places: TopicPartition[]) => calls.push(`assign ${places.length}`),
    incrementalUnassign: (places: TopicPartition[]) => calls.push(`unassign ${places.length}`),
    assignmentLost: () => expect.unreachable(),
  };
  changes.close(closing, 'in');
  expect(calls.splice(0)).toEqual(['assign 0', 'unassign 1']);
  changes.note(closing, rdError(-174), [place]);
  expect(calls).toEqual(['unassign 1']);
  const refuse = () => {
    throw rdError(-172);
  };
  const closed = { ...closing, incrementalAssign: refuse, incrementalUnassign: refuse };
  for (const code of [-175, -174]) changes.note(closed, rdError(code), [place]);
  expect(changes.take()).toEqual([]);
  calls.splice(0);
  // What the client takes back then is answered: two answers would be one too many.
  changes.note({ ...closing, incrementalAssign: refuse }, rdError(-175), [place]);
  changes.note({ ...closing, incrementalAssign: refuse }, rdError(-174), [place]);
  expect(calls).toEqual(['unassign 1']);
});

it('looks a topic up again when the client does not know who leads a partition', async () => {
  let isKnown = false;
  const finder: Pick<RdConsumer, 'queryWatermarkOffsets' | 'getMetadata'> = {
    queryWatermarkOffsets: (_topic, _partition, _time, callback) => {
      if (isKnown) callback(null, { lowOffset: 3, highOffset: 9 });
      else callback(rdError(-190), undefined as never);
    },
    getMetadata: ({ topic }, callback) => {
      isKnown = topic === 'in';
      callback(null, { topics: [] });
    },
  };
  expect(await boundsOf(finder, { topic: 'in', partition: 2 }, { timeout: 1000 })).toEqual({ low: 3, high: 9 });
});

it('repeats what was asked of a broker that is gone, or is not ready', async () => {
  const failures = [rdError(-137), rdError(-195), rdError(78), rdError(-166)];
  const ask = async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return 'answer';
  };
  expect(await patiently('it fails', ask)).toBe('answer');
});

it('asks brokers for nothing more once it is asked to stop', async () => {
  const stop = new AbortController();
  const { signal } = stop;
  let asked = 0;
  const unanswered = async (work: Promise<unknown>) => isUnanswered(await work.catch((cause: unknown) => cause));
  const finder: Pick<RdConsumer, 'queryWatermarkOffsets' | 'getMetadata'> = {
    queryWatermarkOffsets: (_topic, _partition, _time, callback) => {
      asked++;
      stop.abort();
      callback(rdError(-185), undefined as never);
    },
    getMetadata: () => expect.unreachable(),
  };
  expect(await unanswered(boundsOf(finder, { topic: 'in', partition: 2 }, { timeout: 1000, signal }))).toBe(true);
  expect(asked).toBe(1);
  const { member, calls } = memberWith({}, undefined, {}, undefined, { signal });
  expect(await unanswered(member.committed([0]))).toBe(true);
  expect(await unanswered(member.seek(new Map([[0, 1]])))).toBe(true);
  const look = { describe: () => expect.unreachable(), group: 'group', signal };
  expect(await unanswered(presentInstances({ ...look, properties: {}, timeoutMilliseconds: 1000 }))).toBe(true);
  // What was read is still written.
  await member.begin();
  await member.commit(new Map([[0, 1]]));
  expect(calls).toEqual(['end 0', 'begin', 'flush', 'offsets', 'commit']);
});

it.each([
  ['committed', { offsets: [rdError(-185), rdError(-185)] }, ['flush', 'offsets', 'offsets']],
  [
    'aborted',
    { offsets: [rdError(22, needsAbort)], abort: [rdError(-185), rdError(-185)] },
    ['flush', 'offsets', 'abort', 'abort'],
  ],
])(
  'leaves to the next owner what cannot be %s within seconds when it is asked to stop',
  async (_, failures, called) => {
    let time = 0;
    // The time of a request.
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => (time += 4000));
    try {
      const { member, calls } = memberWith(failures, undefined, {}, undefined, { signal: AbortSignal.abort() });
      const error = await member.commit(offsets).catch((cause: unknown) => cause);
      expect(isUnanswered(error)).toBe(true);
      expect(calls).toEqual(called);
    } finally {
      clock.mockRestore();
    }
  },
);

it('does not repeat what does not pass', async () => {
  expect(isPassing(rdError(29))).toBe(false);
  expect(isPassing(rdError(-185, { isFatal: true }))).toBe(false);
  await expect(patiently('it fails', () => Promise.reject(rdError(87)))).rejects.toMatchObject({
    code: 'E_KAFKA',
    message: expect.stringMatching(/^it fails: error 87; check that the brokers run/),
  });
});

it('says how the package is had', async () => {
  const error = await loadRdKafka().catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'E_PACKAGE' });
  expect(String(error)).toContain(
    'apt-get update && apt-get install -y libssl-dev libsasl2-dev libzstd-dev libcurl4-openssl-dev zlib1g-dev && CKJS_LINKING=dynamic npm i @confluentinc/kafka-javascript ',
  );
  expect(String(error)).toContain('it has no binary for Node 25 and later, and crashes on Alpine');
});

it('names the option of a topic whose name collides with another', () => {
  expect(String(notMade('a_b-pointers', 2, rdError(17)))).toMatch(
    /the topic a_b-pointers cannot be made: .*; give another topic as pointers/,
  );
  expect(String(notMade('p', 2, rdError(29)))).toMatch(
    /make it, compacted and with 2 partitions, or allow the user CREATE/,
  );
});

it('names the clock of the machine where brokers refuse a time, and the settings of the topic where they refuse a record', () => {
  const remedyOf = (code: number) => `${recordRefusal(rdError(code))?.remedy}`;
  expect(remedyOf(32)).toContain('the clock of this machine');
  expect(remedyOf(32)).toContain('message.timestamp.after.max.ms');
  expect(remedyOf(87)).toContain('cleanup.policy');
  expect(remedyOf(87)).not.toContain('clock');
});
