// Values of objects as keys, which JSON writes only in part.

import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { encodeText } from '../../../src/base/utf8.js';
import { keyOf } from '../../../src/index.js';

// JSON writes {} for each of them, so all records of a stream would have one key.
test.each([
  ['a promise', Promise.resolve(1)],
  ['a map', new Map([['a', 1]])],
  ['a set', new Set([1])],
  ['a pattern', /a/],
  ['an error', new Error('a')],
  ['a buffer', new ArrayBuffer(1)],
  [
    'an object with private fields',
    new (class {
      readonly #id = 1;
      id() {
        return this.#id;
      }
    })(),
  ],
])('refuses %s, whose content JSON leaves out', (_, value) => {
  for (const id of [value, { value }, [value]]) {
    expect(() => keyOf(['id'], { id })).toThrow(expect.objectContaining({ code: 'E_KEY' }));
  }
  expect(() => keyOf(['id'], { id: value } as never, { format: 'csv' })).toThrow(
    expect.objectContaining({ code: 'E_KEY' }),
  );
});

test('takes empty objects, and objects of other realms and with a JSON form', () => {
  for (const id of [{}, Object.create(null), runInNewContext('({})')]) {
    expect(keyOf(['id'], { id })).toEqual(encodeText('{}'));
  }
  expect(keyOf(['id'], { id: new URL('http://a/') })).toEqual(keyOf(['id'], { id: 'http://a/' }));
  expect(keyOf(['id'], { id: runInNewContext('new Date(0)') })).toEqual(keyOf(['id'], { id: new Date(0) }));
});
