import { expect, test } from 'vitest';
import { Kernel } from '../../../src/kernel/kernel.js';
import { Output, WANTED_DISTINCT, WANTED_PASSED, type Wanted } from '../../../src/run/output.js';
import { CHUNK_BYTES } from '../../../src/run/regions.js';
import { kernelModules } from '../../support/kernels.js';

async function outputOf(wanted: Wanted, owesNewline = false, failure?: string) {
  const bytes = 3 * CHUNK_BYTES;
  const kernel = await Kernel.create({ cellsBytes: 64, regionBytes: 2 * bytes, module: kernelModules.release });
  const { regionOffset } = kernel;
  const found = { written: '', commits: 0, isWhole: undefined as boolean | undefined, isAbandoned: false };
  const sink = {
    write: async (part: Uint8Array) => {
      if (failure !== undefined) throw new Error(failure);
      found.written += Buffer.from(part).toString();
    },
    commit: async () => {
      found.commits++;
    },
    position: () => ({ at: found.written.length }),
    close: async (isWhole: boolean) => {
      found.isWhole = isWhole;
      return { at: found.written.length };
    },
    abandon: async () => {
      found.isAbandoned = true;
    },
  };
  const buffers: [{ offset: number; bytes: number }, { offset: number; bytes: number }] = [
    { offset: regionOffset, bytes },
    { offset: regionOffset + bytes, bytes },
  ];
  return { output: new Output({ kernel, sink, buffers, wanted, owesNewline }), found };
}

test('a newline is written between a record without one and the next record, also after a checkpoint', async () => {
  const { output, found } = await outputOf(WANTED_DISTINCT | WANTED_PASSED);
  await output.appendBytes(Buffer.from('a'));
  output.endInput(true);
  expect(await output.checkpoint()).toEqual({ sink: { at: 1 }, owesNewline: true });
  expect(found.commits).toBe(1);
  await output.appendBytes(Buffer.from('b\n'));
  expect(await output.end(true)).toEqual({ sink: { at: 4 }, owesNewline: false });
  expect(found).toMatchObject({ written: 'a\nb\n', isWhole: true });
  expect(output.bytes).toBe(4);

  const resumed = await outputOf(WANTED_DISTINCT, true);
  await resumed.output.appendBytes(Buffer.from('b\n'));
  await resumed.output.end(false);
  expect(resumed.found).toMatchObject({ written: '\nb\n', isWhole: false });
});

test('the header is written to every output except verdicts', async () => {
  const header = Buffer.from('id\n');
  const writer = { checkHeader: () => {}, header: () => Buffer.from('id,near\n'), records: () => new Uint8Array(0) };
  for (const [wanted, expected] of [
    [WANTED_DISTINCT, 'id\n'],
    ['verdicts', ''],
    [writer, 'id,near\n'],
  ] as const) {
    const { output, found } = await outputOf(wanted);
    await output.appendHeader(header);
    await output.end(true);
    expect(found.written).toBe(expected);
  }
});

test('bytes that exceed a buffer are written in several pieces, in order', async () => {
  const { output, found } = await outputOf(WANTED_DISTINCT);
  const text = Array.from({ length: 400_000 }, (_, i) => `${i}\n`).join('');
  await output.appendBytes(Buffer.from(text));
  await output.end(true);
  expect(found.written === text).toBe(true);
});

test('an output that fails at its end is closed', async () => {
  const { output, found } = await outputOf(WANTED_DISTINCT | WANTED_PASSED, false, 'the disk is full');
  await output.appendBytes(Buffer.from('a\n'));
  await expect(output.end(true)).rejects.toThrow('the disk is full');
  expect(found.isAbandoned).toBe(true);
});
