import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Descriptor } from '../../../../src/io/file/descriptor.js';
import { temporaryFolder } from '../../../cli/support/command.js';

let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'out');
});

test('writes in order from its position, and truncates the rest of the file', async () => {
  writeFileSync(path, 'abcdef');
  const descriptor = await Descriptor.openFile(path, 2);
  await descriptor.write(Buffer.from('X'));
  await descriptor.write(Buffer.from('YZ'));
  expect([descriptor.position, descriptor.isCut]).toEqual([5, true]);
  await descriptor.close();
  expect(readFileSync(path, 'utf8')).toBe('abXYZ');
});

test('does not change the file before the first write', async () => {
  writeFileSync(path, 'abcdef');
  const descriptor = await Descriptor.openFile(path, 2);
  await descriptor.write(new Uint8Array(0));
  expect(descriptor.isCut).toBe(false);
  expect(readFileSync(path, 'utf8')).toBe('abcdef');
  await descriptor.sync();
  expect(readFileSync(path, 'utf8')).toBe('ab');
  await descriptor.close();
});

test('the error for a file that cannot be opened names the file', async () => {
  const inner = join(path, 'missing', 'out');
  await expect(Descriptor.openFile(inner, 0)).rejects.toMatchObject({
    code: 'E_OUTPUT',
    message: expect.stringContaining(`cannot write ${inner}`),
  });
  expect(existsSync(inner)).toBe(false);
});
