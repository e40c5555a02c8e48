// An output that is one JSON array: it is one after every end of a run, and a later run goes on within it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { compactPosition, isSinkPosition, positionToResume } from '../../../../src/io/sinks.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { open } from '../sinksupport.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'out.json');
});

describe.each([false, true])('an array, compressed: %s', (isCompressed) => {
  const note = () => ({ path, isCompressed });
  const text = () => (isCompressed ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString();
  const openArray = (position?: Awaited<ReturnType<typeof positionToResume>>) =>
    open(note(), { isArray: true, isRepeated: position !== undefined, ...(position && { position }) });
  const saved = (position: unknown) => JSON.parse(JSON.stringify(position));

  test('has a comma between two records, however they come', async () => {
    const sink = await openArray();
    for (const part of ['{"a":1', '}\n', '\n', '2\n3\n', '"4"']) {
      await sink.appendBytes(bytesOf(part));
      await sink.flush();
    }
    sink.endInput(true);
    await sink.appendBytes(bytesOf('5\n'));
    await sink.close(true);
    expect(text()).toBe('[\n{"a":1},\n2,\n3,\n"4",\n5\n]\n');
  });

  test.each([true, false])('goes on before its end, of a run that reached its own: %s', async (isWhole) => {
    const first = await openArray();
    await first.appendBytes(bytesOf('1\n'));
    const position = saved(await first.close(isWhole));
    expect(text()).toBe('[\n1\n]\n');
    expect(isSinkPosition(note(), position)).toBe(true);
    for (const known of [position, saved(compactPosition(note(), position))]) {
      const resumed = await positionToResume(note(), known, { isBegun: false });
      const next = await openArray(resumed);
      await next.appendBytes(bytesOf('2\n'));
      await next.close(true);
      expect(text()).toBe('[\n1,\n2\n]\n');
      // As it was after the first run.
      const again = await openArray();
      await again.appendBytes(bytesOf('1\n'));
      await again.close(isWhole);
    }
  });

  test('goes on from a checkpoint', async () => {
    const first = await openArray();
    await first.appendBytes(bytesOf('1\n'));
    const position = saved(await first.commit());
    await first.appendBytes(bytesOf('2\n'));
    await first.abort();
    const next = await openArray(await positionToResume(note(), position, { isBegun: true }));
    await next.appendBytes(bytesOf('3\n'));
    await next.close(true);
    expect(text()).toBe('[\n1,\n3\n]\n');
  });

  test('is empty without records, and stays as it was after a run that stopped without any', async () => {
    writeFileSync(path, 'before');
    await (await openArray()).close(false);
    expect(readFileSync(path, 'utf8')).toBe('before');
    const position = saved(await (await openArray()).close(true));
    expect(text()).toBe('[]\n');
    const next = await openArray(await positionToResume(note(), position, { isBegun: false }));
    await next.appendBytes(bytesOf('1\n'));
    await next.close(true);
    expect(text()).toBe('[\n1\n]\n');
  });
});
