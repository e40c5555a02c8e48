// Snapshots through streams, and the notes in them.

import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { load, save, snapshotChunks } from '../../../src/index.js';
import { createThreaded, loadThreaded } from '../../../src/node.js';
import { sampleOf, sampleSeed } from '../../support/form.js';
import { repeatingFingerprints, snapshotCases, usedDetector } from '../../support/snapshots.js';

const MIB = 2 ** 20;

function* piecesOf(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}

function webStreamOf(bytes: Uint8Array, length: number): ReadableStream<Uint8Array> {
  const pieces = piecesOf(bytes, length);
  return new ReadableStream({
    pull(controller) {
      const { done, value } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function largeDetector(): Promise<Detector> {
  const detector = await Detector.create({ algorithm: 'bloom', memory: 5 * MIB + 8, witness: true });
  detector.observeBatch(repeatingFingerprints(0, 200_000));
  return detector;
}

describe('snapshotChunks', () => {
  test('gives what save returns, in chunks of at most 1 MiB', async () => {
    const detector = await largeDetector();
    const chunks: Uint8Array[] = [];
    for await (const chunk of snapshotChunks(detector, Buffer.from('offset 7'))) chunks.push(chunk);
    expect(Buffer.compare(Buffer.concat(chunks), await save(detector, Buffer.from('offset 7')))).toBe(0);
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(MIB);
  });

  test('gives copies, which a receiver may keep', async () => {
    const detector = await largeDetector();
    const snapshot = await save(detector);
    const chunks: Uint8Array[] = [];
    for await (const chunk of snapshotChunks(detector)) chunks.push(chunk);
    detector.observeBatch(repeatingFingerprints(200_000, 200_000));
    expect(Buffer.compare(Buffer.concat(chunks), snapshot)).toBe(0);
  });

  test.each<[string, (detector: Detector) => void]>([
    ['observed an element', (detector) => detector.add('x')],
    ['set its clock', (detector) => detector.advance(7_200_000)],
  ])('fails if the program %s in the meantime', async (_what, use) => {
    const detector = await Detector.create({ algorithm: 'apbf', memory: 3 * MIB, window: '1h', layout: 'classic' });
    detector.advance(1000);
    for (const fingerprint of repeatingFingerprints(0, 50_000)) detector.add(fingerprint);
    let chunks = 0;
    const saving = async () => {
      for await (const _chunk of snapshotChunks(detector)) if (chunks++ === 1) use(detector);
    };
    await expect(saving()).rejects.toThrow(expect.objectContaining({ code: 'E_USAGE' }));
    expect(chunks).toBe(2);
  });

  test('works with Node streams', async () => {
    const detector = await largeDetector();
    const parts: Buffer[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        parts.push(chunk);
        done();
      },
    });
    await pipeline(snapshotChunks(detector), sink);
    const loaded = await load(Readable.from(parts));
    expect(loaded.stats()).toEqual(detector.stats());
  });
});

describe.each(snapshotCases)('load, for a stream of a snapshot of $name', (snapshotCase) => {
  test.each(sampleOf([1, 7, 64, 100_000], 1, sampleSeed + snapshotCase.name.length))(
    'continues like the saved detector, from pieces of %i bytes',
    async (length) => {
      const saved = await usedDetector(snapshotCase, 1234);
      const snapshot = await save(saved);
      const loaded = await load(webStreamOf(snapshot, length));
      expect(await save(loaded)).toEqual(snapshot);
      const rest = repeatingFingerprints(1234, 500);
      expect(loaded.observeBatch(rest)).toEqual(saved.observeBatch(rest));
    },
  );
});

describe('load', () => {
  const broken = (message: RegExp) =>
    expect.objectContaining({ code: 'E_SNAPSHOT', message: expect.stringMatching(message) });

  test('refuses a stream that is too short, too long, or not of bytes, and closes it', async () => {
    const snapshot = await save(await usedDetector({ name: 'bloom', algorithm: 'bloom', layout: 'blocked' }, 100));
    let closed = 0;
    async function* stream(...parts: unknown[]): AsyncGenerator<Uint8Array> {
      try {
        yield* parts as Uint8Array[];
        yield new Uint8Array(1000);
      } finally {
        closed++;
      }
    }
    for (const length of [0, 10, 64, 70, snapshot.length - 1]) {
      await expect(load([snapshot.subarray(0, length)])).rejects.toThrow(broken(/it ends after \d+ bytes/));
    }
    await expect(load(stream(snapshot))).rejects.toThrow(broken(/but has more/));
    await expect(load(stream(snapshot.subarray(0, 70), 'text'))).rejects.toThrow(broken(/has the type string/));
    const changed = snapshot.with(snapshot.length - 9, (snapshot.at(-9) as number) ^ 1);
    await expect(load(stream(changed))).rejects.toThrow(broken(/checksum of its cells is wrong/));
    expect(closed).toBe(3);
    await expect(load([new Uint8Array(0), snapshot, new Uint8Array(0)])).resolves.toBeInstanceOf(Detector);
  });

  test('takes the same bytes in memory and in every kind of stream', async () => {
    const snapshot = await save(await usedDetector({ name: 'bloom', algorithm: 'bloom', layout: 'blocked' }, 100));
    const buffer = snapshot.buffer.slice(snapshot.byteOffset, snapshot.byteOffset + snapshot.length) as ArrayBuffer;
    const kinds = {
      'a Uint8Array': () => snapshot,
      'a DataView': () => new DataView(buffer),
      'an ArrayBuffer': () => buffer,
      'a SharedArrayBuffer': () => {
        const shared = new SharedArrayBuffer(snapshot.length);
        new Uint8Array(shared).set(snapshot);
        return shared;
      },
      'an iterable': () => piecesOf(snapshot, 100),
      'an asynchronous iterable': async function* () {
        yield* piecesOf(snapshot, 100);
      },
      'a Web stream': () => webStreamOf(snapshot, 100),
      'a Node stream': () => Readable.from(piecesOf(snapshot, 100)),
    };
    for (const [kind, input] of Object.entries(kinds)) {
      expect(await save(await load(input() as never)), kind).toEqual(snapshot);
    }
    const threaded = await loadThreaded(webStreamOf(snapshot, 100), { threads: 1 });
    expect(await threaded.save()).toEqual(snapshot);
  });

  test('refuses what is neither, and a Web stream that has a reader', async () => {
    for (const given of [7, 'text', {}, undefined, new Blob([new Uint8Array(100)])]) {
      await expect(load(given as never)).rejects.toThrow(broken(/^a snapshot has the type \w+/));
    }
    const locked = webStreamOf(new Uint8Array(100), 10);
    locked.getReader();
    await expect(load(locked)).rejects.toThrow(/^snapshot is a locked stream/);
  });

  test('reads a stream that cannot be iterated', async () => {
    const snapshot = await save(await usedDetector({ name: 'bloom', algorithm: 'bloom', layout: 'blocked' }, 100));
    const web = webStreamOf(snapshot, 100);
    const bare = { getReader: () => web.getReader() } as unknown as ReadableStream<Uint8Array>;
    expect(await save(await load(bare))).toEqual(snapshot);
  });
});

describe('maxMemory', () => {
  test('refuses a snapshot whose detector takes more, before its cells are read', async () => {
    const detector = await largeDetector();
    const snapshot = await save(detector);
    const refusal = expect.objectContaining({
      code: 'E_MEMORY',
      message: expect.stringMatching(/^this snapshot takes 5\.5MiB, but maxMemory is 4MiB; raise maxMemory$/),
    });
    await expect(load(snapshot, { maxMemory: '4MiB' })).rejects.toThrow(refusal);
    await expect(loadThreaded(snapshot, { threads: 2, maxMemory: 4 * MIB })).rejects.toThrow(refusal);
    let read = 0;
    const pieces = (function* () {
      for (const piece of piecesOf(snapshot, 1000)) {
        read += piece.length;
        yield piece;
      }
    })();
    await expect(load(pieces, { maxMemory: '4MiB' })).rejects.toThrow(refusal);
    expect(read).toBeLessThan(5000);
    expect((await load(snapshot, { maxMemory: '6MiB' })).observed).toBe(200_000);
    const oneLess = { maxMemory: 5.5 * MIB - 1 };
    await expect(load(snapshot, oneLess)).rejects.toThrow(
      'this snapshot takes 5,767,168 bytes, but maxMemory is 5,767,167 bytes; raise maxMemory',
    );
    await expect(load(snapshot, { maxMemory: 'much' })).rejects.toThrow(expect.objectContaining({ code: 'E_MEMORY' }));
  });
});

describe('a note', () => {
  test('is read back with the detector, so that offsets and the state are committed together', async () => {
    const detector = await Detector.create({ algorithm: 'exact', memory: 65536 });
    detector.add('a');
    expect(detector.note).toEqual(new Uint8Array(0));
    const loaded = await load(await save(detector, Buffer.from('{"offset":42}')));
    expect(Buffer.from(loaded.note).toString()).toBe('{"offset":42}');
    expect((await load(await save(loaded))).note).toEqual(new Uint8Array(0));
    const again = await load([await save(detector, loaded.note)]);
    expect(again.note).toEqual(loaded.note);
  });

  test('is that of a detector on threads too', async () => {
    const detector = await createThreaded({ memory: '1MiB', layout: 'blocked' }, { threads: 1 });
    const note = Buffer.from('n');
    const saving = detector.save(note);
    note.fill('changed');
    const loaded = await loadThreaded(await saving, { threads: 1 });
    expect(Buffer.from(loaded.note).toString()).toBe('n');
  });
});
