import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { RANDOM_SECRET, Secret } from '../../../src/fingerprint/secret.ts';

const digits = '000102030405060708090a0b0c0d0eff';
const bytes = Uint8Array.from([...Array(15).keys(), 255]);

function bytesOf(secret: Secret): Uint8Array {
  const target = new Uint8Array(20);
  secret.copyTo(target, 2);
  expect([target[0], target[1], target[18], target[19]]).toEqual([0, 0, 0, 0]);
  return target.subarray(2, 18);
}

describe('a secret', () => {
  it.each([bytes, digits, digits.toUpperCase()])('is accepted as bytes and as digits (%#)', (given) => {
    expect(bytesOf(new Secret(given))).toEqual(bytes);
  });

  it('is different for every request of a random one', () => {
    const drawn = Array.from({ length: 100 }, () => Buffer.from(bytesOf(new Secret(RANDOM_SECRET))).toString('hex'));
    expect(new Set(drawn).size).toBe(100);
  });

  it('does not change if the original bytes change', () => {
    const given = bytes.slice();
    const secret = new Secret(given);
    given.fill(0);
    expect(bytesOf(secret)).toEqual(bytes);
  });

  it('equals only a secret with the same bytes', () => {
    expect(new Secret(bytes).equals(new Secret(digits))).toBe(true);
    for (let i = 0; i < 16; i++) {
      const other = bytes.slice();
      other[i] = (other[i] as number) ^ 1;
      expect(new Secret(other).equals(new Secret(digits))).toBe(false);
    }
  });

  it.each([
    ['', 'text of 0 characters'],
    [`${digits}0`, 'text of 33 characters'],
    [`g${digits.slice(1)}`, 'text of 32 characters'],
    [bytes.subarray(1), '15 bytes'],
    [16 as unknown as string, 'of type number'],
    [null as unknown as string, 'of type object'],
  ])('is refused when it is malformed, and not shown (%#)', (given, shape) => {
    expect(() => new Secret(given)).toThrow(
      expect.objectContaining({
        code: 'E_PARAMETER',
        message: `secret is ${shape}, but must be 16 bytes, 32 hexadecimal digits, or "random"`,
      }),
    );
  });

  it('is not shown when objects are printed', () => {
    const secret = new Secret(digits);
    const shown = [inspect(secret, { depth: 9, showHidden: true }), JSON.stringify(secret), String(secret)];
    expect(shown).toEqual(['Secret {}', '{}', '[object Object]']);
  });
});
