import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { dedupTransform } from '../../../src/node.js';
import { type DedupOptions, dedup, dedupStream } from '../../../src/streams/stream.js';

const settings = { algorithm: 'exact' as const, memory: 65536 };
/** A record is its key followed by a number that distinguishes repeats: `a1`, `a2`. */
const key = (record: string) => record.slice(0, 1);

/** A sink whose deliveries the test ends. */
class ManualSink {
  /** The records whose delivery has begun, in order. */
  readonly begun: string[] = [];
  readonly #open = new Map<string, { resolve: () => void; reject: (error: unknown) => void }>();

  readonly deliver = (record: string): Promise<void> => {
    this.begun.push(record);
    return new Promise<void>((resolve, reject) => this.#open.set(record, { resolve, reject }));
  };

  async take(record: string): Promise<void> {
    this.#open.get(record)?.resolve();
    await nextTurn();
  }

  async refuse(record: string, error: unknown = new Error(`no ${record}`)): Promise<void> {
    this.#open.get(record)?.reject(error);
    await nextTurn();
  }
}

/** Runs dedup over `source` and records its events in order. */
async function startRun(source: AsyncIterable<string> | Iterable<string>, options: DedupOptions<string>) {
  const detector = await Detector.create(settings);
  const sink = new ManualSink();
  const events: string[] = [];
  const onDuplicate = (record: string) => void events.push(`dropped ${record}`);
  const end = (async () => {
    for await (const record of dedup(source, { key, detector, deliver: sink.deliver, onDuplicate, ...options })) {
      events.push(`passed ${record}`);
    }
    events.push('end');
  })();
  const ended = end.catch((error) => void events.push(error.message));
  await nextTurn();
  return { detector, sink, events, ended, isSeen: (name: string) => detector.test(name) === 'duplicate' };
}

const onRejectedInto = (list: string[]) => (record: string) => void list.push(`rejected ${record}`);

describe('dedup with a sink', () => {
  test('marks a record seen and passes it on after the sink has accepted it', async () => {
    const { sink, events, ended, isSeen } = await startRun(['a1'], {});
    expect([sink.begun, events, isSeen('a')]).toEqual([['a1'], [], false]);
    await sink.take('a1');
    await ended;
    expect([events, isSeen('a')]).toEqual([['passed a1', 'end'], true]);
  });

  test('delivers one record at a time by default, and does not read ahead', async () => {
    const source = Readable.from(['a1', 'b1', 'c1'], { highWaterMark: 1 });
    const { sink, ended } = await startRun(source, {});
    expect(sink.begun).toEqual(['a1']);
    await sink.take('a1');
    expect(sink.begun).toEqual(['a1', 'b1']);
    await sink.take('b1');
    await sink.take('c1');
    await ended;
    expect(sink.begun).toEqual(['a1', 'b1', 'c1']);
  });

  test('delivers up to `concurrency` records at once, and reads the next after the oldest has left', async () => {
    let taken = 0;
    const source = (function* () {
      for (const record of ['a1', 'b1', 'c1', 'd1']) {
        taken++;
        yield record;
      }
    })();
    const { sink, events, ended } = await startRun(source, { concurrency: 2 });
    expect([sink.begun, taken]).toEqual([['a1', 'b1'], 2]);
    await sink.take('b1');
    // `b1` waits for `a1` and still counts as pending.
    expect([events, taken]).toEqual([[], 2]);
    await sink.take('a1');
    expect(events).toEqual(['passed a1', 'passed b1']);
    expect(sink.begun).toEqual(['a1', 'b1', 'c1', 'd1']);
    await sink.take('d1');
    await sink.take('c1');
    await ended;
    expect(events).toEqual(['passed a1', 'passed b1', 'passed c1', 'passed d1', 'end']);
  });

  test('passes a record on while it waits for the source', async () => {
    const never = new Promise<never>(() => undefined);
    const source = (async function* () {
      yield 'a1';
      yield never;
    })();
    const { sink, events } = await startRun(source, { concurrency: 2 });
    await sink.take('a1');
    expect(events).toEqual(['passed a1']);
  });
});

describe('a repeat whose first record is being delivered', () => {
  test('waits, and is dropped after the sink has accepted the first', async () => {
    const { sink, events, ended } = await startRun(['a1', 'a2', 'b1', 'a3'], { concurrency: 4 });
    expect(sink.begun).toEqual(['a1', 'b1']);
    expect(events).toEqual([]);
    await sink.take('a1');
    expect(events).toEqual(['passed a1', 'dropped a2']);
    await sink.take('b1');
    await ended;
    expect(events).toEqual(['passed a1', 'dropped a2', 'passed b1', 'dropped a3', 'end']);
    expect(sink.begun).toEqual(['a1', 'b1']);
  });

  test('is delivered instead if the sink rejects the first, while the next repeat keeps waiting', async () => {
    const rejected: string[] = [];
    const { sink, events, ended, isSeen } = await startRun(['a1', 'a2', 'a3'], {
      concurrency: 3,
      onRejected: onRejectedInto(rejected),
    });
    await sink.refuse('a1');
    expect([sink.begun, rejected, isSeen('a')]).toEqual([['a1', 'a2'], ['rejected a1'], false]);
    await sink.take('a2');
    await ended;
    expect(events).toEqual(['passed a2', 'dropped a3', 'end']);
    expect(sink.begun).toEqual(['a1', 'a2']);
  });

  test('keeps its key even if the program reuses the bytes of the key', async () => {
    const bytes = new Uint8Array(1);
    const reused = (record: string) => {
      bytes[0] = record.charCodeAt(0);
      return bytes;
    };
    const { sink, events, ended } = await startRun(['a1', 'a2', 'b1'], { concurrency: 3, key: reused });
    await sink.take('a1');
    await sink.take('b1');
    await ended;
    expect(events).toEqual(['passed a1', 'dropped a2', 'passed b1', 'end']);
  });
});

describe('a rejection', () => {
  test('ends the stream with its error; records that the sink accepted are seen, others are not', async () => {
    const { sink, events, ended, isSeen } = await startRun(['a1', 'b1', 'b2', 'c1', 'd1'], { concurrency: 4 });
    await sink.refuse('b1');
    // The stream waits for the other pending deliveries and begins no new one.
    expect([sink.begun, events]).toEqual([['a1', 'b1', 'c1'], []]);
    await sink.take('a1');
    expect(events).toEqual(['passed a1']);
    await sink.take('c1');
    await ended;
    expect(events).toEqual(['passed a1', 'no b1']);
    expect(sink.begun).toEqual(['a1', 'b1', 'c1']);
    expect(['a', 'b', 'c', 'd'].filter(isSeen)).toEqual(['a', 'c']);
  });

  test('is passed to onRejected in the order of the source, and the stream continues', async () => {
    const order: string[] = [];
    const note = (word: string) => (record: string) => void order.push(`${word} ${record}`);
    const options = { concurrency: 3, onRejected: note('rejected'), onDuplicate: note('dropped') };
    const { sink, ended } = await startRun(['a1', 'b1', 'a2'], options);
    await sink.refuse('b1');
    expect(order).toEqual([]);
    await sink.take('a1');
    await ended;
    expect(order).toEqual(['rejected b1', 'dropped a2']);
  });

  test.each([undefined, null, 'a word'])(
    'with %j, which is not an Error, ends the stream with an Error',
    async (thrown) => {
      const deliver = () => Promise.reject(thrown);
      const run = async () => {
        for await (const record of dedup(['a1'], { ...settings, deliver })) expect(record).toBeUndefined();
      };
      await expect(run()).rejects.toMatchObject({ code: 'E_DELIVERY', cause: thrown });
    },
  );

  test('includes an error that the sink throws synchronously', async () => {
    const rejected: string[] = [];
    const deliver = () => {
      throw new Error('no');
    };
    const { events, ended } = await startRun(['a1'], { deliver, onRejected: onRejectedInto(rejected) });
    await ended;
    expect([events, rejected]).toEqual([['end'], ['rejected a1']]);
  });
});

describe('an early end', () => {
  test('by leaving the loop gives pending deliveries up and closes the source', async () => {
    const detector = await Detector.create(settings);
    const sink = new ManualSink();
    let isClosed = false;
    const source = (function* () {
      try {
        yield* ['a1', 'b1', 'c1'];
      } finally {
        isClosed = true;
      }
    })();
    const items = dedup(source, { key, detector, deliver: sink.deliver, concurrency: 2 });
    const first = items.next();
    await nextTurn();
    await sink.take('a1');
    expect(await first).toEqual({ done: false, value: 'a1' });
    await items.return();
    expect([isClosed, detector.test('b'), sink.begun]).toEqual([true, 'distinct', ['a1', 'b1']]);
    await sink.take('b1');
    expect(detector.test('b')).toBe('duplicate');
  });

  test('by a failing source comes after the records that it has produced', async () => {
    const source = (async function* () {
      yield* ['a1', 'b1'];
      throw new Error('source');
    })();
    const { sink, events, ended } = await startRun(source, { concurrency: 3 });
    await sink.take('b1');
    await sink.take('a1');
    await ended;
    expect(events).toEqual(['passed a1', 'passed b1', 'source']);
  });

  test('by a key function that throws comes after the earlier records, and no later delivery begins', async () => {
    const failing = (record: string) => {
      if (record === 'b1') throw new Error('key');
      return key(record);
    };
    const { sink, events, ended } = await startRun(['a1', 'b1', 'c1'], { concurrency: 3, key: failing });
    await sink.take('a1');
    await ended;
    expect([events, sink.begun]).toEqual([['passed a1', 'key'], ['a1']]);
  });

  test('by a full exact detector does not call onRejected', async () => {
    const detector = await Detector.create({ algorithm: 'exact', memory: 1024 });
    const capacityElements = Number(detector.stats().parameters.n);
    const rejected: number[] = [];
    const run = async () => {
      const deliver = () => Promise.resolve();
      const onRejected = (record: number) => void rejected.push(record);
      const records = Array.from({ length: capacityElements + 1 }, (_, i) => i);
      // The last record is pending together with its repeat, and the repeat is not delivered instead.
      records.push(capacityElements);
      for await (const _ of dedup(records, { detector, deliver, onRejected, concurrency: 4 }));
    };
    await expect(run()).rejects.toMatchObject({ code: 'E_FULL' });
    expect([rejected, detector.observed]).toEqual([[], capacityElements]);
  });
});

describe('dedupStream with a sink', () => {
  test('a rejection errors both sides even if no record is being written', async () => {
    const sink = new ManualSink();
    const { readable, writable } = dedupStream<string>({ ...settings, deliver: sink.deliver, concurrency: 2 });
    const writer = writable.getWriter();
    const failed = Promise.allSettled([readable.getReader().read(), writer.closed]);
    await writer.write('a1');
    await sink.refuse('a1');
    const rejection = { status: 'rejected', reason: expect.objectContaining({ message: 'no a1' }) };
    expect(await failed).toEqual([rejection, rejection]);
  });

  test('closes after the last pending record has left', async () => {
    const sink = new ManualSink();
    const { readable, writable } = dedupStream<string>({ ...settings, deliver: sink.deliver, concurrency: 2 });
    const reader = readable.getReader();
    const writer = writable.getWriter();
    writer.write('a1');
    const closing = writer.close();
    const reading = reader.read();
    await nextTurn();
    await sink.take('a1');
    expect(await reading).toEqual({ done: false, value: 'a1' });
    expect(await reader.read()).toEqual({ done: true, value: undefined });
    await closing;
  });
});

describe('dedupTransform with a sink', () => {
  test('a rejection destroys it even if no record is being written', async () => {
    const sink = new ManualSink();
    const transform = dedupTransform<string>({ ...settings, deliver: sink.deliver, concurrency: 3 });
    const failed = new Promise((resolve) => transform.on('error', resolve));
    for (const record of ['a1', 'b1']) transform.write(record);
    await nextTurn();
    await nextTurn();
    await sink.refuse('a1');
    expect(transform.closed).toBe(false);
    await sink.take('b1');
    expect(await failed).toMatchObject({ message: 'no a1' });
  });

  test('gives pending deliveries up when it is destroyed', async () => {
    const detector = await Detector.create(settings);
    const sink = new ManualSink();
    const transform = dedupTransform<string>({ detector, deliver: sink.deliver });
    transform.write('a1');
    await nextTurn();
    transform.destroy();
    await nextTurn();
    expect([transform.closed, detector.test('a1')]).toEqual([true, 'distinct']);
    await sink.take('a1');
    expect(detector.test('a1')).toBe('duplicate');
  });

  test.each([1, 4])('with concurrency %i stops delivering if the reader does not read', async (concurrency) => {
    let delivered = 0;
    const deliver = async () => void delivered++;
    const transform = dedupTransform<string>({ ...settings, deliver, concurrency });
    const records = Array.from({ length: 100 }, (_, i) => `record ${i}`);
    for (const record of records) {
      transform.write(record);
      await nextTurn();
    }
    transform.end();
    expect(delivered).toBeLessThanOrEqual(transform.readableHighWaterMark + concurrency);
    expect(await transform.toArray()).toEqual(records);
  });

  test('a rejection of the sink fails its pipeline', async () => {
    const transform = dedupTransform<string>({ ...settings, deliver: () => Promise.reject(new Error('no')) });
    const run = pipeline(Readable.from(['a1']), transform, async (records) => {
      for await (const record of records) expect(record).toBeUndefined();
    });
    await expect(run).rejects.toThrow('no');
  });
});

describe('requests', () => {
  const deliver = () => Promise.resolve();

  test.each<[DedupOptions<string>, string]>([
    [{ concurrency: 2 }, 'concurrency requires deliver'],
    [{ onRejected: () => undefined }, 'onRejected requires deliver'],
    [{ deliver, concurrency: 0 }, 'concurrency is 0, but must be a whole number from 1'],
    [{ deliver, concurrency: 1.5 }, 'concurrency is 1.5'],
  ])('that are impossible are refused (%#)', async (options, message) => {
    const refused = { code: 'E_PARAMETER', message: expect.stringContaining(message) };
    await expect(dedup(['a'], { ...settings, ...options }).next()).rejects.toMatchObject(refused);
  });
});
