// Streams with a sink: for any latencies and any number of pending records, each record has the same outcome as when
// the records are delivered one after another.

import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Detector } from '../../src/detectors/detector.js';
import { dedupTransform } from '../../src/node.js';
import { dedup, dedupStream, type KeyedDedupOptions } from '../../src/streams/stream.js';
import { inLongForm } from '../support/form.js';

interface Delivery {
  index: number;
  key: number;
  /** Whether the sink accepts it. */
  isTaken: boolean;
}

type Host = (source: Delivery[], options: KeyedDedupOptions<Delivery>) => AsyncIterable<Delivery>;

function webStreamOf(source: readonly Delivery[]): ReadableStream<Delivery> {
  return new ReadableStream({
    start(controller) {
      for (const record of source) controller.enqueue(record);
      controller.close();
    },
  });
}

const hosts: Record<string, Host> = {
  dedup: (source, options) => dedup(source, options),
  dedupStream: (source, options) => webStreamOf(source).pipeThrough(dedupStream(options)),
  dedupTransform: (source, options) => Readable.from(source).pipe(dedupTransform(options)),
};

const sources = fc
  .array(fc.record({ key: fc.nat(3), isTaken: fc.boolean() }), { minLength: 1, maxLength: 24 })
  .map((records) => records.map((record, index) => ({ ...record, index })));

/** The outcome of each record when they are delivered one after another, and the keys that are seen at the end. */
function oneAfterTheOther(source: readonly Delivery[]) {
  const seen = new Set<number>();
  const fates = source.map(({ key, isTaken }) => {
    if (seen.has(key)) return 'dropped';
    if (isTaken) seen.add(key);
    return isTaken ? 'passed' : 'rejected';
  });
  return { fates, seen };
}

/** A run whose deliveries end in the order that `scheduler` chooses. */
async function run(host: Host, source: Delivery[], scheduler: fc.Scheduler, concurrency: number, isGoingOn: boolean) {
  const detector = await Detector.create({ algorithm: 'exact', memory: 1024 });
  const fates: string[] = [];
  /** Indices of records in the order of their events. */
  const events = { passed: [] as number[], aside: [] as number[] };
  const note = (fate: string, list: number[]) => (record: Delivery) => {
    expect(fates[record.index]).toBeUndefined();
    fates[record.index] = fate;
    list.push(record.index);
  };
  let underWay = 0;
  const deliver = async (record: Delivery) => {
    expect(++underWay).toBeLessThanOrEqual(concurrency);
    expect(detector.test(record.key)).toBe('distinct');
    await scheduler.schedule(Promise.resolve(), `${record.index}`);
    underWay--;
    if (!record.isTaken) throw new Error(`no ${record.index}`);
  };
  const options: KeyedDedupOptions<Delivery> = {
    detector,
    key: ({ key }) => key,
    deliver,
    concurrency,
    onDuplicate: note('dropped', events.aside),
    ...(isGoingOn ? { onRejected: note('rejected', events.aside) } : {}),
  };
  const reading = (async () => {
    const pass = note('passed', events.passed);
    for await (const record of host(source, options)) pass(record);
  })();
  const end = await scheduler.waitFor(
    reading.then(
      () => 'end',
      (error) => error.message as string,
    ),
  );
  return { detector, fates, events, end, underWay };
}

const inOrder = (list: readonly number[]) => [...list].sort((a, b) => a - b);

describe.each(Object.entries(hosts))('%s', (_name, host) => {
  test('continues after rejections with the right outcome for every record, in order', async () => {
    const property = fc.asyncProperty(
      sources,
      fc.scheduler(),
      fc.integer({ min: 1, max: 6 }),
      async (source, scheduler, concurrency) => {
        const { detector, fates, events, end } = await run(host, source, scheduler, concurrency, true);
        const expected = oneAfterTheOther(source);
        expect(end).toBe('end');
        expect(fates).toEqual(expected.fates);
        expect(events.passed).toEqual(inOrder(events.passed));
        expect(events.aside).toEqual(inOrder(events.aside));
        for (let key = 0; key <= 3; key++) expect(detector.test(key) === 'duplicate').toBe(expected.seen.has(key));
      },
    );
    await fc.assert(property, { numRuns: inLongForm(60, 20), seed: 1 });
  });

  test('stops at the first rejection, with no delivery pending and no record lost', async () => {
    const property = fc.asyncProperty(
      sources,
      fc.scheduler(),
      fc.integer({ min: 1, max: 6 }),
      async (source, scheduler, concurrency) => {
        const { detector, fates, end, underWay } = await run(host, source, scheduler, concurrency, false);
        const expected = oneAfterTheOther(source);
        const failed = expected.fates.indexOf('rejected');
        const rest = failed < 0 ? source.length : failed;
        expect(end === 'end').toBe(failed < 0);
        expect(underWay).toBe(0);
        // Every record that was passed on came before the failure. A buffering stream may not have passed on all of them.
        fates.forEach((fate, index) => {
          expect(index).toBeLessThan(rest);
          expect(fate).toBe(expected.fates[index]);
        });
        // A repeat is dropped only if the sink has accepted a record with its key.
        const taken = new Set(source.filter(({ isTaken }) => isTaken).map(({ key }) => key));
        for (let key = 0; key <= 3; key++) if (!taken.has(key)) expect(detector.test(key)).toBe('distinct');
      },
    );
    await fc.assert(property, { numRuns: inLongForm(60, 20), seed: 2 });
  });
});

test('dedup passes and drops records in the order of its source', async () => {
  const property = fc.asyncProperty(
    sources,
    fc.scheduler(),
    fc.integer({ min: 1, max: 6 }),
    async (source, scheduler, concurrency) => {
      const order: number[] = [];
      const note = ({ index }: Delivery) => void order.push(index);
      const reading = (async () => {
        const options: KeyedDedupOptions<Delivery> = {
          algorithm: 'exact',
          memory: 1024,
          key: ({ key }) => key,
          deliver: ({ index, isTaken }) =>
            scheduler.schedule(isTaken ? Promise.resolve() : Promise.reject(), `${index}`),
          concurrency,
          onDuplicate: note,
          onRejected: note,
        };
        for await (const record of dedup(source, options)) note(record);
      })();
      await scheduler.waitFor(reading);
      expect(order).toEqual(source.map(({ index }) => index));
    },
  );
  await fc.assert(property, { numRuns: inLongForm(60, 20), seed: 3 });
});
