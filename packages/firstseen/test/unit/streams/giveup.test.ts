// Deliveries that take too long or never end: the stream gives them up, and their keys are free.

import { EventEmitter, on } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClaims } from '../../../src/claims/open.js';
import { Detector } from '../../../src/detectors/detector.js';
import { createThreaded, dedupTransform } from '../../../src/node.js';
import { type DedupOptions, dedup, dedupStream } from '../../../src/streams/stream.js';

const never = () => new Promise<never>(() => undefined);

function createDetector(): Promise<Detector> {
  return Detector.create({ algorithm: 'exact', memory: 65536 });
}

async function turns(count = 5): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

/** Keeps what the last delivery was told, and never ends. */
function stuckSink() {
  const sink = { signals: [] as AbortSignal[], accept: [] as (() => void)[] };
  const deliver = (_item: string, { signal }: { signal: AbortSignal }) => {
    sink.signals.push(signal);
    return new Promise<void>((resolve) => sink.accept.push(resolve));
  };
  return { ...sink, deliver };
}

/** Starts a stream over `a` and then nothing, and returns how to end it early. */
type Start = (options: DedupOptions<string>) => { end: () => Promise<unknown>; failed: Promise<unknown> };

async function* openSource(): AsyncGenerator<string> {
  yield 'a';
  await never();
}

/** @param afterItem what happens to the writable side once its item is written */
function cancelling(afterItem: (writer: WritableStreamDefaultWriter<string>) => Promise<unknown>): Start {
  return (options) => {
    // With room for another item, the stream can end while the first is being delivered.
    const { readable, writable } = dedupStream<string>(options.deliver ? { ...options, concurrency: 2 } : options);
    const writer = writable.getWriter();
    writer.write('a').catch(() => undefined);
    afterItem(writer).catch(() => undefined);
    const reader = readable.getReader();
    const failed = reader.read().then(
      () => undefined,
      (error) => error,
    );
    return { end: () => reader.cancel(), failed };
  };
}

const starts: Record<string, Start> = {
  'return() of dedup': (options) => {
    const items = dedup(openSource(), options);
    const failed = items.next().then(
      () => undefined,
      (error) => error,
    );
    return { end: () => items.return(undefined), failed };
  },
  'cancel() of dedupStream': cancelling((writer) => writer.closed),
  'cancel() of dedupStream after its last item was written': cancelling((writer) => writer.close()),
  'destroy() of dedupTransform': (options) => {
    const transform = dedupTransform<string>(options);
    const failed = new Promise((resolve) => transform.on('error', resolve).on('close', () => resolve(undefined)));
    Readable.from(openSource()).pipe(transform);
    const closed = new Promise((resolve) => transform.on('close', resolve));
    return { end: () => transform.destroy() && closed, failed };
  },
};

afterEach(() => {
  vi.useRealTimers();
});

describe.each(Object.entries(starts))('%s', (_name, start) => {
  test('does not wait for a delivery that never ends, and another stream delivers its item', async () => {
    const detector = await createDetector();
    const { deliver, signals } = stuckSink();
    const { end } = start({ detector, deliver });
    await turns();
    expect([signals.length, signals[0]?.aborted]).toEqual([1, false]);
    await end();
    expect(signals[0]?.reason).toMatchObject({ code: 'E_DELIVERY', message: expect.stringContaining('closed') });
    expect(detector.test('a')).toBe('distinct');
    const passed = [];
    for await (const item of dedup(['a'], { detector, deliver: async () => undefined })) passed.push(item);
    expect(passed).toEqual(['a']);
  });

  test('does not wait for the delivery of another stream that holds the key', async () => {
    const detector = await createDetector();
    const { deliver } = stuckSink();
    const holder = dedup(['a'], { detector, deliver });
    const held = holder.next();
    await turns();
    for (const options of [{ detector }, { detector, deliver }]) {
      const { end } = start(options);
      await turns();
      await end();
    }
    expect(createClaims(detector).stats().pending).toBe(1);
    await holder.return(undefined);
    await held;
  });

  test('the signal of the stream does the same, and the stream fails with its reason', async () => {
    const detector = await createDetector();
    const controller = new AbortController();
    const { deliver, signals } = stuckSink();
    const { failed } = start({ detector, deliver, signal: controller.signal });
    await turns();
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await failed).toBe(reason);
    expect(signals[0]?.reason).toBe(reason);
    expect(createClaims(detector).stats()).toMatchObject({ pending: 0, aborted: 1 });
  });

  test('a signal ends the stream while nothing is being delivered', async () => {
    const controller = new AbortController();
    const { failed, end } = start({ detector: await createDetector(), deliver: never, signal: controller.signal });
    await turns();
    await end();
    controller.abort(new Error('too late'));
    expect(await failed).toBeUndefined();
  });
});

describe.each(['return', 'signal'] as const)('a source that never answers is released by %s', (ending) => {
  async function released(source: AsyncIterable<unknown>, isReleased: () => boolean): Promise<void> {
    const controller = new AbortController();
    const options = { memory: '64KiB', key: String, deliver: async () => undefined, signal: controller.signal };
    const items = dedup(source, options);
    const next = items.next().catch(() => undefined);
    await turns();
    expect(isReleased()).toBe(false);
    if (ending === 'return') await items.return(undefined);
    else controller.abort();
    await next;
    await turns();
    expect(isReleased()).toBe(true);
  }

  test('events', async () => {
    const emitter = new EventEmitter();
    await released(on(emitter, 'item'), () => emitter.listenerCount('item') === 0);
  });

  test('a Web stream', async () => {
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
    };
    const stream = new ReadableStream({ pull: never, cancel });
    await released(stream, () => isCancelled && !stream.locked);
  });

  test('a Node stream', async () => {
    const stream = new PassThrough({ objectMode: true });
    await released(stream, () => stream.destroyed);
  });
});

test('a source is released when the key of its item fails, and not after its own failure', async () => {
  const ends: string[] = [];
  const sourceOf = (name: string, next: () => Promise<IteratorResult<string>>) => ({
    [Symbol.asyncIterator]: () => ({
      next,
      return: async () => {
        ends.push(name);
        return { done: true as const, value: undefined };
      },
    }),
  });
  const keyFails = () => {
    throw new Error('no key');
  };
  const deliver = async () => undefined;
  const good = sourceOf('good', async () => ({ done: false, value: 'a' }));
  await expect(dedup(good, { memory: '64KiB', key: keyFails, deliver }).next()).rejects.toThrow('no key');
  const bad = sourceOf('bad', () => Promise.reject(new Error('broken')));
  await expect(dedup(bad, { memory: '64KiB', deliver }).next()).rejects.toThrow('broken');
  expect(ends).toEqual(['good']);
});

test('a delivery that succeeds after it was given up marks its item seen', async () => {
  const detector = await createDetector();
  const { deliver, accept } = stuckSink();
  const items = dedup(['a'], { detector, deliver });
  items.next();
  await turns();
  await items.return();
  expect(detector.test('a')).toBe('distinct');
  accept[0]?.();
  await turns();
  expect([detector.test('a'), createClaims(detector).stats().late]).toEqual(['duplicate', 1]);
});

test('an aborted signal is refused before the first item', async () => {
  const signal = AbortSignal.abort(new Error('before'));
  const items = dedup(['a'], { deliver: never, signal });
  await expect(items.next()).rejects.toThrow('before');
});

describe('a delivery that takes longer than its timeout', () => {
  test.each([50, '50ms'])('is rejected with a typed error (%s)', async (timeout) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const detector = await createDetector();
    const { deliver, signals } = stuckSink();
    const rejected: unknown[] = [];
    const onRejected = (item: string, error: unknown) => void rejected.push([item, error]);
    const end = dedup(['a', 'b'], { detector, deliver, timeout, onRejected, concurrency: 2 }).next();
    await turns();
    await vi.advanceTimersByTimeAsync(49);
    expect([rejected, signals.length]).toEqual([[], 2]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await end).toEqual({ done: true, value: undefined });
    const error = expect.objectContaining({ code: 'E_DELIVERY', option: 'timeout', given: timeout });
    expect(rejected).toEqual([
      ['a', error],
      ['b', error],
    ]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(createClaims(detector).stats()).toMatchObject({ pending: 0, aborted: 2 });
  });

  test('ends the stream without onRejected; one that ends in time leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const deliver = (item: string) => (item === 'a' ? Promise.resolve() : never());
    const items = dedup(['a', 'b'], { detector: await createDetector(), deliver, timeout: '1s' });
    expect((await items.next()).value).toBe('a');
    expect(vi.getTimerCount()).toBe(0);
    const failed = items.next().catch((error) => error);
    await turns();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await failed).toMatchObject({ code: 'E_DELIVERY', message: expect.stringContaining('timeout, 1s') });
  });

  test('has a minute by default, and any time with Infinity', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const failed = dedup(['a'], { detector: await createDetector(), deliver: never })
      .next()
      .catch((error) => error);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await failed).toMatchObject({ code: 'E_DELIVERY', message: expect.stringContaining('timeout, 1m') });
    const waiting = dedup(['a'], {
      detector: await createDetector(),
      deliver: never,
      timeout: Number.POSITIVE_INFINITY,
    });
    void waiting.next();
    await vi.advanceTimersByTimeAsync(1000);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test.each([0, -1, 2 ** 31, Number.NaN, '30', 'x'])('cannot have the timeout %s', async (timeout) => {
    const refused = { code: 'E_PARAMETER', option: 'timeout' };
    await expect(dedup(['a'], { deliver: never, timeout }).next()).rejects.toMatchObject(refused);
  });
});

describe('a detector on threads', () => {
  test('is refused by claims and streams, with what to do', async () => {
    const threaded = await createThreaded({ algorithm: 'exact', memory: 65536 }, { threads: 1 });
    const refused = { code: 'E_PARAMETER', remedy: expect.stringContaining('load') };
    const detector = threaded as unknown as Detector;
    expect(() => createClaims(detector)).toThrow(expect.objectContaining(refused));
    await expect(dedup(['a'], { detector, deliver: never }).next()).rejects.toMatchObject(refused);
    await threaded.close();
  });
});

describe('streams of items', () => {
  test('have the highWaterMark of the platform', async () => {
    expect(dedupTransform({ highWaterMark: 3 })).toMatchObject({ readableHighWaterMark: 3, writableHighWaterMark: 3 });
    expect(dedupTransform()).toMatchObject({ readableHighWaterMark: 16, writableHighWaterMark: 16 });
    expect(dedupStream({ highWaterMark: 3 }).writable.getWriter().desiredSize).toBe(3);
    expect(dedupStream().writable.getWriter().desiredSize).toBe(1);
    expect(() => dedupStream({ highWaterMark: 0 })).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
    expect(() => dedupTransform({ highWaterMark: 1.5 })).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
  });

  test('refuse chunks of bytes unless they are asked for or have a key', async () => {
    const chunks = () => [Buffer.from('a\nb'), Buffer.from('a\nb')];
    const refused = { code: 'E_KEY', option: 'takesChunks', message: expect.stringContaining('dedupBytes') };
    const node = (options: object) => Readable.from(chunks()).compose(dedupTransform(options)).toArray();
    const web = async (options: object) => {
      const items = [];
      const stream = new Blob(['a\nb']).stream() as ReadableStream<Uint8Array>;
      for await (const item of stream.pipeThrough(dedupStream<Uint8Array>(options))) items.push(item);
      return items;
    };
    await expect(node({})).rejects.toMatchObject(refused);
    await expect(web({})).rejects.toMatchObject(refused);
    expect(await node({ takesChunks: true })).toHaveLength(1);
    expect(await node({ key: (chunk: Buffer) => chunk.toString() })).toHaveLength(1);
    expect(await web({ takesChunks: true })).toHaveLength(1);
    const items = [];
    for await (const item of dedup(chunks())) items.push(item);
    expect(items).toHaveLength(1);
  });
});
