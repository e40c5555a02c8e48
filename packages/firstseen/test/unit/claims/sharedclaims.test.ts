// A detector has one table of claims: streams and claims objects know the keys that each of them holds.

import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Claim } from '../../../src/claims/claim.js';
import type { Claims } from '../../../src/claims/claims.js';
import { createClaims } from '../../../src/claims/open.js';
import { Detector } from '../../../src/detectors/detector.js';
import { dedupTransform } from '../../../src/node.js';
import { type DedupOptions, dedup, dedupStream } from '../../../src/streams/stream.js';

const key = (record: string) => record.slice(0, 1);

function createDetector(): Promise<Detector> {
  return Detector.create({ algorithm: 'exact', memory: 65536 });
}

function held(claims: Claims, name: string): Claim {
  const answer = claims.claim(name);
  if (answer.verdict !== 'distinct') throw new Error(`${name} is ${answer.verdict}`);
  return answer;
}

type Host = (source: string[], options: DedupOptions<string>) => AsyncIterable<string>;

function webStreamOf(source: readonly string[]): ReadableStream<string> {
  return new ReadableStream({
    start(controller) {
      for (const record of source) controller.enqueue(record);
      controller.close();
    },
  });
}

const dedupHost: Host = (source, options) => dedup(source, options);

const hosts: Record<string, Host> = {
  dedup: dedupHost,
  dedupStream: (source, options) => webStreamOf(source).pipeThrough(dedupStream(options)),
  dedupTransform: (source, options) => Readable.from(source).pipe(dedupTransform(options)),
};

/** Runs a stream to its end and lists what it does. */
function start(host: Host, source: string[], options: DedupOptions<string>) {
  const events: string[] = [];
  const onDuplicate = (record: string) => void events.push(`dropped ${record}`);
  const ended = (async () => {
    for await (const record of host(source, { key, onDuplicate, ...options })) events.push(`passed ${record}`);
    events.push('end');
  })().catch((error) => void events.push(error.message));
  return { events, ended };
}

async function turns(count = 5): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each(Object.entries(hosts))('two streams of %s on one detector', (_name, host) => {
  test('deliver each key once', async () => {
    const detector = await createDetector();
    const delivered: string[] = [];
    const deliver = async (record: string) => {
      delivered.push(key(record));
      await nextTurn();
    };
    const source = Array.from({ length: 60 }, (_, i) => String.fromCharCode(97 + (i % 20)));
    const runs = [1, 7].map((concurrency) => start(host, source, { detector, deliver, concurrency }));
    await Promise.all(runs.map(({ ended }) => ended));
    expect(delivered.sort()).toEqual([...new Set(source)].sort());
    const passed = runs.flatMap(({ events }) => events.filter((event) => event.startsWith('passed')));
    expect(passed).toHaveLength(20);
  });

  test('the second delivers a key after the first has failed to', async () => {
    const detector = await createDetector();
    let refuse = (_error: Error): void => undefined;
    const failing = () => new Promise<void>((_resolve, reject) => (refuse = reject));
    const first = start(host, ['a1'], { detector, deliver: failing });
    await turns();
    const delivered: string[] = [];
    const second = start(host, ['a2', 'a3'], { detector, deliver: async (record) => delivered.push(record) });
    await turns();
    expect(delivered).toEqual([]);
    refuse(new Error('no a1'));
    await Promise.all([first.ended, second.ended]);
    // The reader of a Node stream gets an item later than its onDuplicate.
    const events = [first.events, second.events.sort()];
    expect([...events, delivered]).toEqual([['no a1'], ['dropped a3', 'end', 'passed a2'], ['a2']]);
  });
});

describe.each(Object.entries(hosts))('a key that a claim holds, in a stream of %s', (_name, host) => {
  describe.each([
    ['with a sink', async () => undefined],
    ['without a sink', undefined],
  ])('%s', (_sink, deliver) => {
    const options = deliver ? { deliver } : {};

    test('waits, and is dropped after the commit', async () => {
      const detector = await createDetector();
      const claim = held(createClaims(detector), 'a');
      const { events, ended } = start(host, ['a1', 'b1'], { detector, ...options });
      await turns();
      expect(events).toEqual([]);
      expect(claim.commit()).toBe('committed');
      await ended;
      expect(events).toEqual(['dropped a1', 'passed b1', 'end']);
    });

    test('passes after the abort', async () => {
      const detector = await createDetector();
      const claim = held(createClaims(detector), 'a');
      const { events, ended } = start(host, ['a1', 'a2'], { detector, ...options });
      await turns();
      claim.abort();
      await ended;
      expect(events.sort()).toEqual(['dropped a2', 'end', 'passed a1']);
    });

    test('passes when the lease has expired', async () => {
      const detector = await createDetector();
      const clock = { milliseconds: 0 };
      const claims = createClaims(detector, { lease: 100, now: () => clock.milliseconds });
      const claim = held(claims, 'a');
      const { events, ended } = start(host, ['a1'], { detector, ...options });
      await turns();
      clock.milliseconds = 99;
      claims.stats();
      await turns();
      expect(events).toEqual([]);
      clock.milliseconds = 100;
      claims.stats();
      await ended;
      expect([events, claim.commit()]).toEqual([['passed a1', 'end'], 'late']);
    });
  });
});

describe('a stream that waits for a claim', () => {
  test('wakes when the lease expires, even if nobody uses the claims', async () => {
    const detector = await createDetector();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    held(createClaims(detector, { lease: 10 }), 'a');
    const { events, ended } = start(dedupHost, ['a1'], { detector, deliver: async () => undefined });
    await turns();
    vi.advanceTimersByTime(9);
    await turns();
    expect(events).toEqual([]);
    vi.advanceTimersByTime(1);
    await ended;
    expect(events).toEqual(['passed a1', 'end']);
  });

  test('waits longer if the claim is extended', async () => {
    const detector = await createDetector();
    const clock = { milliseconds: 0 };
    const claims = createClaims(detector, { lease: 10, now: () => clock.milliseconds });
    const claim = held(claims, 'a');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { events, ended } = start(dedupHost, ['a1'], { detector, deliver: async () => undefined });
    await turns();
    clock.milliseconds = 9;
    claim.extend();
    clock.milliseconds = 18;
    vi.advanceTimersByTime(18);
    await turns();
    expect(events).toEqual([]);
    clock.milliseconds = 19;
    vi.advanceTimersByTime(10);
    await ended;
    expect(events).toEqual(['passed a1', 'end']);
  });

  test('ends without its delivery when it is destroyed', async () => {
    const detector = await createDetector();
    const claim = held(createClaims(detector, { lease: Number.POSITIVE_INFINITY }), 'a');
    const delivered: string[] = [];
    const transform = dedupTransform<string>({ detector, key, deliver: async (record) => delivered.push(record) });
    transform.write('a1');
    await turns();
    transform.destroy();
    await turns();
    expect(transform.closed).toBe(true);
    claim.abort();
    await turns();
    expect([delivered, detector.test('a')]).toEqual([[], 'distinct']);
  });
});

describe('the claims of a detector', () => {
  test('are one table, whoever asks for them', async () => {
    const detector = await createDetector();
    const claims = createClaims(detector, { pending: 3 });
    const claim = held(claims, 'a');
    const again = createClaims(detector);
    expect(again.claim('a').verdict).toBe('pending');
    expect(createClaims(detector, { pending: 3 }).stats()).toMatchObject({ pending: 1 });
    claim.commit();
    expect(again.claim('a').verdict).toBe('duplicate');
    expect(createClaims(await createDetector()).claim('a').verdict).toBe('distinct');
  });

  test('refuse other options, which would need a second table', async () => {
    const detector = await createDetector();
    createClaims(detector, { lease: 5000 });
    const refusal = expect.objectContaining({
      code: 'E_PARAMETER',
      message:
        'the detector already has claims with lease 5000, not 6000; a detector has one table of claims: ' +
        'give the same options, or none',
    });
    expect(() => createClaims(detector, { lease: 6000 })).toThrow(refusal);
    expect(() => createClaims(detector, { pending: 3 })).toThrow(/already has claims with pending 10000, not 3/);
    expect(() => createClaims(detector, { now: () => 0 })).toThrow(/already has claims with another now/);
  });

  test('hold the keys that a stream delivers, outside their own limit', async () => {
    const detector = await createDetector();
    const settle: (() => void)[] = [];
    const { ended, events } = start(dedupHost, ['a1', 'b1'], {
      detector,
      concurrency: 2,
      deliver: () => new Promise<void>((resolve) => void settle.push(resolve)),
    });
    await turns();
    const claims = createClaims(detector, { pending: 1 });
    expect(claims.claim('a')).toEqual({ verdict: 'pending', remainingMilliseconds: Number.POSITIVE_INFINITY });
    expect(claims.claim('c').verdict).toBe('distinct');
    expect(() => claims.claim('d')).toThrow(expect.objectContaining({ code: 'E_CLAIMS_FULL' }));
    expect(claims.stats()).toMatchObject({ pending: 3, committed: 0 });
    for (const resolve of settle) resolve();
    await ended;
    expect(events).toEqual(['passed a1', 'passed b1', 'end']);
    expect(claims.claim('a').verdict).toBe('duplicate');
    expect(claims.stats()).toMatchObject({ pending: 1, committed: 2 });
  });
});
