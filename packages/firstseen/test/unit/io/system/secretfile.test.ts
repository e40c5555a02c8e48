import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readSecretFile } from '../../../../src/io/system/secretfile.js';
import { temporaryFolder } from '../../../cli/support/command.js';

const digits = '000102030405060708090a0b0c0d0e0F';
let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'secret');
});

test.each(['', '\n', '\r\n'])('32 digits are read with %j after them', async (end) => {
  writeFileSync(path, `${digits}${end}`);
  expect(await readSecretFile(path)).toBe(digits);
});

test.each([
  ['nothing', ''],
  ['a digit too few', digits.slice(1)],
  ['a digit too many', `${digits}0`],
  ['another character', `${digits.slice(1)}g`],
  ['an empty line before', `\n${digits}`],
  ['two newlines', `${digits}\n\n`],
  ['a long file', `${digits}\n`.repeat(1000)],
])('a file with %s is refused, and the message does not show it', async (_, text) => {
  writeFileSync(path, text);
  const error = await readSecretFile(path).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'E_USAGE', option: 'secretFile', given: path });
  expect(error.message).toBe(
    `secret file ${path} does not hold exactly 32 hexadecimal digits; make one with: openssl rand -hex 16`,
  );
});

test('the error for a file that does not exist names the file', async () => {
  await expect(readSecretFile(path)).rejects.toMatchObject({
    code: 'E_INPUT',
    message: expect.stringContaining(`cannot read secret file ${path}: `),
  });
});
