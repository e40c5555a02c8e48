// Runs the pipeline over an input that is cut at any position, with a reader and a sink in memory.

import { describe, expect, test, vi } from 'vitest';
import { Detector, kernelOf } from '../../../src/detectors/detector.js';
import { Counter } from '../../../src/framing/counts.js';
import { type ByteSink, firstByte } from '../../../src/io/file/bytesink.js';
import { TextSink } from '../../../src/io/file/textsink.js';
import { exactJob } from '../../../src/jobs/exact/job.js';
import { WANTED_DISTINCT, WANTED_PASSED } from '../../../src/kernel/abi.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import type { FormatName } from '../../../src/records/formats.js';
import type { ErrorPolicy } from '../../../src/records/policies.js';
import { configureScan, type ScanSettings } from '../../../src/records/settings.js';
import { type InputCursor, type Pauses, Pipeline } from '../../../src/run/pipeline.js';
import { layOutRegions } from '../../../src/run/regions.js';
import { isLongForm, sampleNote, sampleOf } from '../../support/form.js';
import { kernelModules } from '../../support/kernels.js';
import { readerOf } from './support.js';

interface Setting {
  format: FormatName;
  maxRecordBytes: number;
  onError: ErrorPolicy;
  /** Whether an unfinished last record waits. */
  mayGrow?: boolean;
}

/** Cuts text at the given positions. */
function piecesOf(text: string, ...cuts: number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i]));
}

async function open({ format, maxRecordBytes, onError, mayGrow = false }: Setting, pieces: readonly Uint8Array[]) {
  const scan: ScanSettings = { format, fingerprint: 'xxh64', maxRecordBytes };
  const { end } = layOutRegions({ regionOffset: 0, scan, outputCount: 1, threads: 1 });
  const detector = await Detector.create(
    { algorithm: 'exact', memory: '64KiB' },
    { regionBytes: end, module: kernelModules.release },
  );
  const kernel = kernelOf(detector);
  const lookedAt = countLookedAt(kernel);
  const regions = layOutRegions({ regionOffset: kernel.regionOffset, scan, outputCount: 1, threads: 1 });
  configureScan(kernel, scan, regions.scratch);
  let written = '';
  const bytes: ByteSink = {
    write: async (part) => {
      written += new TextDecoder().decode(part);
    },
    commit: async () => firstByte,
    close: async () => firstByte,
    abort: async () => undefined,
  };
  const [[one, other]] = regions.outputs as [(typeof regions.outputs)[0]];
  const output = new TextSink(bytes, {
    kernel,
    buffers: [one.offset, other.offset],
    selection: WANTED_DISTINCT | WANTED_PASSED,
    sources: [],
  });
  const counter = new Counter();
  const job = exactJob
    .resolve({ detector: {} }, { note: undefined, secret: undefined, askedBefore: {} })
    .begin(detector, []);
  const pipeline = new Pipeline({
    kernel,
    job,
    input: regions.input,
    outputs: [output],
    threads: undefined,
    format,
    counter,
    maxRecordBytes,
    strictProblem: undefined,
    missingKey: 'fail',
    emptyKey: 'fail',
    onError,
    takesKeyless: true,
    timing: 'none',
  });
  const cursor: InputCursor = { name: 'in', path: 'in', offset: 0, lines: 0 };
  const found = async () => {
    await output.flush();
    return { written, counts: counter.snapshot(), lines: cursor.lines };
  };
  const cutter = pipeline.cutterOf({ reader: readerOf(pieces), cursor, mayGrow });
  return { pipeline, cutter, cursor, found, lookedAt };
}

/** Counts the bytes that the kernel scans for records. */
function countLookedAt(kernel: Kernel): () => number {
  let bytes = 0;
  const counted =
    <Rest extends number[]>(run: (from: number, to: number, ...rest: Rest) => number) =>
    (from: number, to: number, ...rest: Rest) => {
      bytes += to - from;
      return run(from, to, ...rest);
    };
  const { exports } = kernel;
  const { scan, findByte, skipCsvRecord } = exports;
  const exportsCounted = {
    ...exports,
    scan: counted(scan),
    findByte: counted(findByte),
    skipCsvRecord: counted(skipCsvRecord),
  };
  vi.spyOn(kernel, 'exports', 'get').mockReturnValue(exportsCounted);
  return () => bytes;
}

const neverPause: Pauses = {
  isAborted: () => false,
  betweenChunks: async () => undefined,
  waitFor: (input) => input.then(() => true),
};

async function foundIn(setting: Setting, pieces: readonly Uint8Array[]) {
  const { pipeline, cutter, cursor, found } = await open(setting, pieces);
  await pipeline.run(cutter, cursor, neverPause);
  return found();
}

const limited = { maxRecordBytes: 10, onError: 'drop' } as const;

/** The places where a text is cut in two: in the short form, all places beside the bytes of line ends, and some of the others. */
function cutsOf(text: string): readonly number[] {
  const cuts = Array.from({ length: text.length - 1 }, (_, i) => i + 1);
  const isAtLineEnd = (cut: number) => /[\r\n]/.test(text.slice(cut - 1, cut + 1));
  const others = sampleOf(
    cuts.filter((cut) => !isAtLineEnd(cut)),
    2,
  );
  return isLongForm ? cuts : [...cuts.filter(isAtLineEnd), ...others];
}

describe(`the limit of a record${sampleNote}`, () => {
  const fits = 'a'.repeat(10);
  const texts = [
    `${fits}\nb\r\n`,
    `${fits}\r\nb\r\n`,
    `b\n${fits}a\r\n${fits}`,
    `${fits}\r`,
    `"${fits}"\r\nb\n${fits}\r\r\n`,
  ];

  test.each(['lines', 'tsv', 'csv', 'ndjson'] as const)(
    'of %s does not depend on where a chunk ends',
    async (format) => {
      for (const text of texts) {
        const whole = await foundIn({ ...limited, format }, piecesOf(text));
        for (const cut of cutsOf(text)) {
          const pieces = piecesOf(text, cut);
          expect({ text, cut, ...(await foundIn({ ...limited, format }, pieces)) }).toEqual({ text, cut, ...whole });
        }
      }
    },
  );

  test('does not count the terminator', async () => {
    const { counts } = await foundIn({ ...limited, format: 'tsv' }, piecesOf(`${fits}\r\n${fits}a\r\n`, 11));
    expect(counts).toMatchObject({ distinct: 1, tooLong: 1 });
  });

  test('applies to a header, wherever a chunk ends', async () => {
    const text = `${fits}a\nb\n`;
    for (let cut = 0; cut < text.length; cut++) {
      const { pipeline, cutter } = await open({ ...limited, format: 'csv' }, piecesOf(text, cut));
      await expect(pipeline.readFor(() => cutter.header(), cutter, neverPause)).rejects.toThrow(
        'in, line 1: the header is longer',
      );
    }
  });
});

describe('a record in many pieces', () => {
  const pieceBytes = 2 ** 16;
  const pieceCount = 64;

  test.each<[FormatName, string, string]>([
    ['lines', 'x', '\n'],
    ['ndjson', ' ', '{}\n'],
    ['tsv', '\t', '\n'],
    ['csv', '"\n', '"\n'],
  ])('of %s is scanned a few times, not once per piece', async (format, begin, end) => {
    const filling = (begin.at(-1) as string).repeat(pieceBytes);
    const pieces = [begin, ...Array.from({ length: pieceCount }, () => filling), end].flatMap((text) => piecesOf(text));
    const { pipeline, cutter, cursor, found, lookedAt } = await open(
      { format, maxRecordBytes: 2 ** 24, onError: 'fail' },
      pieces,
    );
    await pipeline.run(cutter, cursor, neverPause);
    expect((await found()).counts).toMatchObject({ records: 1, distinct: 1 });
    expect(lookedAt()).toBeLessThan(4 * pieceBytes * pieceCount);
  });
});

describe('a run that is asked to stop', () => {
  test.each<[FormatName, string, string]>([
    ['lines', 'a\nb\na\n', `${'x'.repeat(50)}\n`],
    ['csv', 'a\nb\na\n', `"${'x\n'.repeat(25)}"\n`],
  ])('inside a long record of %s stops before it (drop) or inside it (pass)', async (format, before, long) => {
    const cuts = [8, 30, 45];
    for (const onError of ['drop', 'pass'] as const) {
      const text = `${before}${long}c\nd\n`;
      const { pipeline, cutter, cursor, found } = await open({ ...limited, onError, format }, piecesOf(text, ...cuts));
      const stops: number[] = [];
      const extent = await pipeline.run(cutter, cursor, {
        isAborted: () => cursor.offset >= 30,
        betweenChunks: async (canStop) => {
          if (canStop) stops.push(cursor.offset);
        },
        waitFor: async (_, canStop) => canStop || cursor.offset < 30,
      });
      expect(extent).toBe(onError === 'pass' ? 'cut' : 'stopped');
      // The next run reads the unprocessed records again. Written records are not removed.
      expect(cursor.offset).toBe(onError === 'pass' ? 30 : before.length);
      expect(Math.max(...stops)).toBeLessThanOrEqual(before.length);
      const { written, counts, lines } = await found();
      expect(written).toBe(onError === 'pass' ? `a\nb\n${long}`.slice(0, 28) : 'a\nb\n');
      expect(counts).toMatchObject({ records: 3, tooLong: 0, bytesIn: cursor.offset });
      if (onError === 'drop') expect(lines).toBe(3);
    }
  });
});

describe('an unfinished last record of an input that may grow', () => {
  test.each<[FormatName, string, string]>([
    ['lines', 'a\nb\n', 'c'],
    ['ndjson', '{}\n[]\n', '{"a":'],
    ['csv', 'a\n"b\n"\n', '"c\nd'],
    ['tsv', 'a\tb\n', 'c\t'],
    ['u64', '12345678', '1234567'],
  ])('of %s waits, wherever a chunk ends', async (format, whole, unfinished) => {
    const text = whole + unfinished;
    const setting = { format, maxRecordBytes: 2 ** 20, onError: 'fail', mayGrow: true } as const;
    for (let cut = 1; cut < text.length; cut++) {
      const { pipeline, cutter, cursor, found } = await open(setting, piecesOf(text, cut));
      expect(await pipeline.run(cutter, cursor, neverPause)).toBe('whole');
      expect(cursor).toMatchObject({ offset: whole.length, waitingBytes: unfinished.length });
      expect(await found()).toMatchObject({ written: whole, counts: { bytesIn: whole.length } });
    }
  });

  test('is given back if it is too long and dropped, and ends there if it is passed on', async () => {
    const text = `a\n${'x'.repeat(30)}`;
    for (const onError of ['drop', 'pass'] as const) {
      const setting = { ...limited, onError, format: 'lines', mayGrow: true } as const;
      const { pipeline, cutter, cursor, found } = await open(setting, piecesOf(text, 14, 20));
      expect(await pipeline.run(cutter, cursor, neverPause)).toBe('whole');
      const isPassed = onError === 'pass';
      expect(cursor).toMatchObject({ offset: isPassed ? 32 : 2, waitingBytes: isPassed ? 0 : 30 });
      expect(await found()).toMatchObject({ written: isPassed ? text : 'a\n', counts: { tooLong: isPassed ? 1 : 0 } });
    }
  });
});
