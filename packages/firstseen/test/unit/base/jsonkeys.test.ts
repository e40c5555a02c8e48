import { expect, test } from 'vitest';
import { repeatedKey } from '../../../src/base/jsonkeys.js';

test.each([
  ['{"a":1,"a":2}', 'a', 1],
  ['{"a":{"b":1,\n"b":2}}', 'a.b', 2],
  ['{"a":[{"c":1},{"c":1,"d":2,"c":3}]}', 'a.c', 1],
  ['{"a":{"x":1},"b":{"x":1},\n\n"a":2}', 'a', 3],
  ['{"a\\n":1,"a\\u000a":2}', 'a\n', 1],
  ['{"__proto__":1,"__proto__":2}', '__proto__', 1],
])('a key that an object has twice is found: %s', (text, path, line) => {
  JSON.parse(text);
  const found = repeatedKey(text);
  expect([found?.path.join('.'), found?.line]).toEqual([path, line]);
});

test.each([
  '{}',
  '[{"a":1},{"a":1}]',
  '{"a":"a","b":["a","a"],"c":{"a":{"a":1}}}',
  '{"a":"\\"a\\":1,{","b":"{\\\\"}',
  '"a"',
])('equal keys of different objects, and equal texts, are not repeated keys: %s', (text) => {
  JSON.parse(text);
  expect(repeatedKey(text)).toBeUndefined();
});
