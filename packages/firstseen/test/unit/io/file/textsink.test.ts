import { expect, test } from 'vitest';
import { TextSink } from '../../../../src/io/file/textsink.js';
import type { Selection } from '../../../../src/io/sink.js';
import { WANTED_DISTINCT, WANTED_PASSED } from '../../../../src/kernel/abi.js';
import { sinkMemory } from '../sinksupport.js';

async function outputOf(selection: Selection, owesNewline = false, failure?: string) {
  const found = { written: '', commits: 0, isWhole: undefined as boolean | undefined, isAborted: false };
  const position = () => ({ fileBytes: found.written.length, pending: '' });
  const bytes = {
    write: async (part: Uint8Array) => {
      if (failure !== undefined) throw new Error(failure);
      found.written += Buffer.from(part).toString();
    },
    commit: async () => {
      found.commits++;
      return position();
    },
    close: async (isWhole: boolean) => {
      found.isWhole = isWhole;
      return position();
    },
    abort: async () => {
      found.isAborted = true;
    },
  };
  const { kernel, buffers } = await sinkMemory();
  const request = { kernel, buffers, selection, sources: [], position: { ...position(), owesNewline } };
  return { output: new TextSink(bytes, request), found };
}

test('a newline is written between a record without one and the next record, also after a checkpoint', async () => {
  const { output, found } = await outputOf(WANTED_DISTINCT | WANTED_PASSED);
  await output.appendBytes(Buffer.from('a'));
  output.endInput(true);
  expect(await output.commit()).toEqual({ fileBytes: 1, pending: '', owesNewline: true });
  expect(found.commits).toBe(1);
  await output.appendBytes(Buffer.from('b\n'));
  expect(await output.close(true)).toEqual({ fileBytes: 4, pending: '', owesNewline: false });
  expect(found).toMatchObject({ written: 'a\nb\n', isWhole: true });
  expect(output.bytes).toBe(4);

  const resumed = await outputOf(WANTED_DISTINCT, true);
  await resumed.output.appendBytes(Buffer.from('b\n'));
  await resumed.output.close(false);
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
    await output.close(true);
    expect(found.written).toBe(expected);
  }
});

test('bytes that exceed a buffer are written in several pieces, in order', async () => {
  const { output, found } = await outputOf(WANTED_DISTINCT);
  const text = Array.from({ length: 400_000 }, (_, i) => `${i}\n`).join('');
  await output.appendBytes(Buffer.from(text));
  await output.close(true);
  expect(found.written === text).toBe(true);
});

test('an output that fails at its end is closed', async () => {
  const { output, found } = await outputOf(WANTED_DISTINCT | WANTED_PASSED, false, 'the disk is full');
  await output.appendBytes(Buffer.from('a\n'));
  await expect(output.close(true)).rejects.toThrow('the disk is full');
  expect(found.isAborted).toBe(true);
});
