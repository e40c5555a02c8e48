import { describe, expect, test } from 'vitest';
import {
  FirstseenError,
  invalidOption,
  joinPhrases,
  optionName,
  phrase,
  shownValue,
} from '../../../src/base/errors.js';
import { create, createPool, keyOf, load } from '../../../src/index.js';

const flagOf = (option: string) => `--${option}`;

describe('FirstseenError', () => {
  test('has a message of the problem and the remedy', () => {
    const error = new FirstseenError('E_FULL', 'the set is full', { remedy: 'give it more memory' });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'FirstseenError', code: 'E_FULL', remedy: 'give it more memory' });
    expect(error.message).toBe('the set is full; give it more memory');
    expect(Object.keys(error)).not.toContain('option');
  });

  test('keeps the cause', () => {
    const cause = new Error('disk');
    expect(new FirstseenError('E_INPUT', 'cannot be read', { cause }).cause).toBe(cause);
    expect('cause' in new FirstseenError('E_INPUT', 'cannot be read')).toBe(false);
  });

  test('renders the names of options with a given function', () => {
    const remedy = phrase`raise ${optionName('memory')}, or leave ${optionName('fpr')} out`;
    const error = new FirstseenError('E_BOUND', phrase`${optionName('fpr')} is ${2n} of ${3}`, { remedy });
    expect(error.message).toBe('fpr is 2 of 3; raise memory, or leave fpr out');
    expect(error.render(flagOf)).toBe('--fpr is 2 of 3; raise --memory, or leave --fpr out');
    expect(error.remedy).toBe('raise memory, or leave fpr out');
  });

  test('keeps the options of an error that it contains', () => {
    const inner = new FirstseenError('E_BOUND', phrase`${optionName('fpr')} is low`);
    const outer = new FirstseenError('E_BOUND', phrase`a.state: ${inner.phrase}`);
    expect(outer.render(flagOf)).toBe('a.state: --fpr is low');
  });

  test('accepts a location and another remedy, and keeps its other fields', () => {
    const details = { option: 'fpr', given: 2, expected: 'less', remedy: phrase`lower ${optionName('fpr')}` };
    const error = new FirstseenError('E_BOUND', phrase`${optionName('fpr')} is high`, details);
    const located = error.orRemedy(phrase`choose ${optionName('onError')} drop`).at('a.log, line 7');
    expect(located.render(flagOf)).toBe('a.log, line 7: --fpr is high; lower --fpr, or choose --onError drop');
    expect(located).toMatchObject({ code: 'E_BOUND', option: 'fpr', given: 2, expected: 'less' });
    expect(located.remedy).toBe('lower fpr, or choose onError drop');
    expect(new FirstseenError('E_FULL', 'full').orRemedy('stop').message).toBe('full; stop');
    expect(error.at('a').cause).toBe(error);
  });
});

describe('invalidOption', () => {
  test('contains the given value, the expected value and the remedy, in the message and as data', () => {
    const error = invalidOption({ option: 'k', given: 70, expected: 'at most 64', remedy: 'give fewer' });
    expect(error.message).toBe('k is 70, but must be at most 64; give fewer');
    expect(error).toMatchObject({
      code: 'E_PARAMETER',
      option: 'k',
      given: 70,
      expected: 'at most 64',
      remedy: 'give fewer',
    });
  });

  test('does not store a value that its message does not show', () => {
    const error = invalidOption({ option: 'secret', given: 'abc', givenText: '3 characters', expected: '16 bytes' });
    expect(error.message).toBe('secret is 3 characters, but must be 16 bytes');
    expect(error.given).toBe('3 characters');
  });
});

test.each([
  ['a "b"', '"a \\"b\\""'],
  [1.5, '1.5'],
  [2n ** 64n, '18446744073709551616'],
  [undefined, 'undefined'],
  [null, 'null'],
  [[1, 'b'], '[1, "b"]'],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9], '[1, 2, 3, 4, 5, 6, 7, 8, ...]'],
  [{}, 'an object'],
  ['a'.repeat(100), `"${'a'.repeat(100)}"`],
  ['a'.repeat(2800), `"${'a'.repeat(100)}"... of 2,800 characters`],
  [['a'.repeat(101)], `["${'a'.repeat(100)}"... of 101 characters]`],
  [10n ** 100n, `1${'0'.repeat(99)}... of 101 characters`],
])('shows a value as text (%#)', (value, text) => expect(shownValue(value)).toBe(text));

const aPool = () => createPool({ memory: '1MiB', detector: { memory: '1KiB' } });
const LONG = `${'x'.repeat(100)}SECRET${'y'.repeat(3e6)}`;

test.each<[string, () => unknown]>([
  ['a text in place of a stream', () => load(LONG as never)],
  ['a text in place of a snapshot', () => load(LONG as never)],
  ['the name of an option', () => load(new Uint8Array(0), { [LONG]: 1 })],
  ['the name of a parameter', () => create({ algorithm: 'bloom', memory: '1KiB', parameters: { [LONG]: 1 } })],
  ['the name of an algorithm', () => create({ algorithm: LONG as never, memory: '1KiB' })],
  ['a size', () => create({ memory: LONG })],
  ['a window', () => create({ memory: '1KiB', window: `${LONG}` })],
  ['a list', () => createPool({ memory: '1MiB', detector: { memory: '1KiB', gapsElements: [LONG] as never } })],
  ['the path of a key', () => keyOf([`${LONG}"`], {})],
  ['a key without a value', () => keyOf([LONG], {})],
  [
    'a key that is not an integer',
    async () => (await create({ memory: '1KiB', fingerprint: 'identity' })).observe(LONG),
  ],
  ['a large key', async () => (await create({ memory: '1KiB' })).observe(10n ** 5000n)],
  ['the name of a detector of a pool', async () => (await aPool()).save(LONG)],
  [
    'the name of a detector that was removed',
    async () => {
      const pool = await aPool();
      const detector = pool.get(LONG);
      pool.clear();
      detector.test('a');
    },
  ],
])('cuts %s', async (_, attempt) => {
  const error: FirstseenError = await Promise.resolve<unknown>(undefined)
    .then(attempt)
    .then(
      () => undefined as never,
      (reason) => reason,
    );
  expect(error).toBeInstanceOf(FirstseenError);
  expect(error.message.length).toBeLessThan(1500);
  expect(JSON.stringify([error.message, error.given ?? '', error.option ?? ''])).not.toContain('SECRET');
});

test('keeps nothing of an object, and no bigint, so that loggers can write it as JSON', async () => {
  const detector = await create({ memory: '1KiB' });
  const errorOf = (given: unknown) => {
    try {
      detector.observe(given as string);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  expect(errorOf({ card: '4111' })).toMatchObject({ code: 'E_KEY', given: 'an object' });
  const list = [{ card: '4111' }, 5n, ...Array.from({ length: 20 }, () => 'a')];
  expect(errorOf(list)).toMatchObject({ given: ['an object', '5', 'a', 'a', 'a', 'a', 'a', 'a'] });
  expect(errorOf(errorOf)).toMatchObject({ given: expect.any(String) });
  await expect(create({ seed: -1n })).rejects.toMatchObject({ option: 'seed', given: '-1' });
});

test('joins phrases', () => {
  const list = joinPhrases([phrase`${optionName('a')}`, phrase`b`], ' or ');
  expect(new FirstseenError('E_USAGE', list).render(flagOf)).toBe('--a or b');
});
