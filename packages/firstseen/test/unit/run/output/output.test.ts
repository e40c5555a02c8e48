import { expect, test } from 'vitest';
import { Kernel } from '../../../../src/kernel/kernel.js';
import { Output, WANTED_DISTINCT, WANTED_PASSED, type Wanted } from '../../../../src/run/output/output.js';
import { CHUNK_BYTES } from '../../../../src/run/regions.js';

async function outputOf(wanted: Wanted, owesNewline = false) {
  const bytes = 3 * CHUNK_BYTES;
  const kernel = await Kernel.create({ cellsBytes: 64, regionBytes: 2 * bytes });
  const { regionOffset } = kernel;
  const found = { written: '', commits: 0, isWhole: undefined as boolean | undefined };
  const sink = {
    write: async (part: Uint8Array) => {
      found.written += Buffer.from(part).toString();
    },
    commit: async () => {
      found.commits++;
    },
    position: () => ({ at: found.written.length }),
    close: async (isWhole: boolean) => {
      found.isWhole = isWhole;
    },
  };
  const buffers: [{ offset: number; bytes: number }, { offset: number; bytes: number }] = [
    { offset: regionOffset, bytes },
    { offset: regionOffset + bytes, bytes },
  ];
  return { output: new Output({ kernel, sink, buffers, wanted, owesNewline }), found };
}

test('a record without newline owes one to what follows, over a checkpoint too', async () => {
  const { output, found } = await outputOf(WANTED_DISTINCT | WANTED_PASSED);
  await output.appendBytes(Buffer.from('a'));
  output.endInput(true);
  expect(await output.checkpoint()).toEqual({ sink: { at: 1 }, owesNewline: true });
  expect(found.commits).toBe(1);
  await output.appendBytes(Buffer.from('b\n'));
  await output.end(true);
  expect(found).toMatchObject({ written: 'a\nb\n', isWhole: true });
  expect(output.bytes).toBe(4);

  const resumed = await outputOf(WANTED_DISTINCT, true);
  await resumed.output.appendBytes(Buffer.from('b\n'));
  await resumed.output.end(false);
  expect(resumed.found).toMatchObject({ written: '\nb\n', isWhole: false });
});

test('the header goes to every output but that of verdicts', async () => {
  const header = Buffer.from('id\n');
  const annotator = { checkHeader: () => {}, header: () => Buffer.from('id,near\n'), records: () => new Uint8Array(0) };
  for (const [wanted, expected] of [
    [WANTED_DISTINCT, 'id\n'],
    ['verdicts', ''],
    [annotator, 'id,near\n'],
  ] as const) {
    const { output, found } = await outputOf(wanted);
    await output.appendHeader(header);
    await output.end(true);
    expect(found.written).toBe(expected);
  }
});

test('what is longer than a buffer goes out in pieces, in order', async () => {
  const { output, found } = await outputOf(WANTED_DISTINCT);
  const text = Array.from({ length: 400_000 }, (_, i) => `${i}\n`).join('');
  await output.appendBytes(Buffer.from(text));
  await output.end(true);
  expect(found.written === text).toBe(true);
});
