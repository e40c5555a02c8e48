import { expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { type BatchOptions, boundTimes, takeBatch } from '../../../src/framing/batch.js';
import { Counter } from '../../../src/framing/counts.js';
import { DISTINCT, DUPLICATE } from '../../../src/kernel/abi.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { decisions } from '../../../src/records/classes.js';
import { configureScan, type ScanSettings } from '../../../src/records/settings.js';
import type { JobRun } from '../../../src/run/job.js';
import { layOutRegions } from '../../../src/run/regions.js';
import { kernelModules } from '../../support/kernels.js';

const scan: ScanSettings = { format: 'ndjson', fingerprint: 'xxh64', maxRecordBytes: 100, paths: [['k']] };

/** Frames a text, with a job that reports every second key as a duplicate and refuses the key at `refused`. */
async function framed(text: string, options: Partial<BatchOptions> = {}, refused = Number.POSITIVE_INFINITY) {
  const sizes = layOutRegions({ regionOffset: 0, scan, outputCount: 1, threads: 1 });
  const kernel = await Kernel.create({ cellsBytes: 64, regionBytes: sizes.end, module: kernelModules.release });
  const { input, scratch } = layOutRegions({ regionOffset: kernel.regionOffset, scan, outputCount: 1, threads: 1 });
  configureScan(kernel, scan, scratch);
  const start = input.parts[0] as number;
  kernel.bytes.set(Buffer.from(text), start);
  const advanced: number[] = [];
  const job: JobRun = {
    observe(count) {
      const taken = Math.min(count, refused);
      for (let i = 0; i < taken; i++) kernel.verdicts[i] = i % 2 === 0 ? DISTINCT : DUPLICATE;
      if (taken === count) return { taken };
      return { taken, failure: new FirstseenError('E_FULL', 'full', { option: 'memory', remedy: 'give more' }) };
    },
    observeTimed: (count) => job.observe(count),
    advance: (milliseconds) => void advanced.push(milliseconds),
  };
  const counter = new Counter();
  const batch: BatchOptions = {
    ...{ kernel, job, format: 'ndjson', strictProblem: undefined, maxRecordBytes: 100, counter, timing: 'none' },
    ...{ missingKey: 'distinct', emptyKey: 'drop', onError: 'drop', takesKeyless: true },
    ...options,
  };
  boundTimes(batch);
  const count = kernel.exports.scan(start, start + text.length, 1);
  const result = takeBatch(batch, count, undefined);
  return { result, count, counts: counter.counts, advanced, verdicts: [...kernel.verdicts.subarray(0, result.taken)] };
}

const record = (key: number) => `{"k":${key}}\n`;

test('records with keys get the verdicts of the job', async () => {
  const { result, verdicts, counts } = await framed([1, 2, 3].map(record).join(''));
  expect(result).toEqual({ taken: 3 });
  expect(verdicts).toEqual([DISTINCT, DUPLICATE, DISTINCT]);
  expect(counts).toMatchObject({ records: 3, distinct: 2, duplicates: 1, passed: 0, dropped: 0 });
});

test('records without a usable key get the verdicts of the policies, in their positions', async () => {
  const { verdicts, counts } = await framed(`${record(1)}{"x":1}\n\nbroken\n${record(2)}`);
  expect(verdicts).toEqual([DISTINCT, decisions.PASSED, decisions.COPIED, decisions.DROPPED, DUPLICATE]);
  expect(counts).toMatchObject({ records: 4, distinct: 1, duplicates: 1, passed: 1, dropped: 1 });
  expect(counts).toMatchObject({ missingKey: 1, invalid: 1, tooLong: 0 });
});

test('a policy that fails stops before the record', async () => {
  const { result, counts } = await framed(`${record(1)}broken\n${record(2)}`, { onError: 'fail' });
  expect(result.taken).toBe(1);
  expect(result.failure?.('in, line 2')).toMatchObject({
    code: 'E_RECORD',
    message: expect.stringMatching(/^in, line 2: /),
  });
  expect(counts).toMatchObject({ records: 1, invalid: 0 });
});

test('an error of the job is located, and keeps its fields', async () => {
  const { result, counts } = await framed(`{"x":1}\n${[1, 2, 3].map(record).join('')}`, {}, 2);
  expect(result.taken).toBe(3);
  expect(result.failure?.('in, line 4')).toMatchObject({
    ...{ code: 'E_FULL', option: 'memory', remedy: 'give more', message: 'in, line 4: full; give more' },
  });
  expect(counts).toMatchObject({ records: 3, missingKey: 1, distinct: 1, duplicates: 1 });
});

test('a record that fails validation is invalid', async () => {
  const strictProblem = (_format: string, bytes: Uint8Array) =>
    Buffer.from(bytes).toString().includes('2') ? 'a problem' : undefined;
  const { verdicts, counts } = await framed([1, 2, 3].map(record).join(''), { strictProblem });
  expect(verdicts).toEqual([DISTINCT, decisions.DROPPED, DUPLICATE]);
  expect(counts.invalid).toBe(1);
  const { result } = await framed(record(2), { strictProblem, onError: 'fail' });
  expect(result.failure?.('in, line 1').message).toContain('in, line 1: a problem; ');
});

test('the clock is read once per batch', async () => {
  let reads = 0;
  const timing = () => ++reads;
  expect((await framed([1, 2].map(record).join(''), { timing })).advanced).toEqual([1]);
});
