// What is one script in two spellings, and what looks like a script of a lock and is none.

import { expect, test } from 'vitest';
import { findForm } from '../../../src/serve/scripts/forms.js';
import { KnownScripts } from '../../../src/serve/scripts/known.js';
import { MAX_SCRIPT_BYTES, normalForm } from '../../../src/serve/scripts/normal.js';

const RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

test.each([
  ['blanks and comments', `-- a lock\n${RELEASE.replaceAll(' ', '\n\t ')} --[[ the\nend ]]`],
  ['quotes and case', RELEASE.replace("'get'", '"GeT"').replace("'del'", '"DEL"')],
  ['pcall, UNLINK and semicolons', `${RELEASE.replace("call('del'", "pcall('UNLINK'").replace(') else', '); else')};`],
  ['parentheses', RELEASE.replace(/if (.*) then/, 'if ($1) then')],
  [
    'names for the key and the token',
    `local k = KEYS[1] local t = ARGV[1] ${RELEASE.replaceAll('KEYS[1]', 'k').replace('ARGV[1]', 't')}`,
  ],
  [
    'a name for the value',
    RELEASE.replace("if redis.call('get', KEYS[1])", "local value = redis.call('get', KEYS[1]) if value"),
  ],
])('%s make no other script', (_, script) => {
  expect(normalForm(script)).toBe(normalForm(RELEASE));
  expect(findForm(script)).toBe(findForm(RELEASE));
  expect(findForm(script)).toMatchObject({ action: 'release' });
});

test.each([
  ['compares with another argument', RELEASE.replace('ARGV[1]', 'ARGV[2]')],
  ['has another key', RELEASE.replace("('del', KEYS[1]", "('del', KEYS[2]")],
  ['does not compare', RELEASE.replace('==', '~=')],
  ['does more', RELEASE.replace('then return', "then redis.call('incr', KEYS[2]) return")],
  ['replies something else', RELEASE.replace('return 0', 'return 2')],
  ['has another value of a text', RELEASE.replace('ARGV[1]', "'ARGV[1]'")],
  ['gives KEYS another meaning', `local KEYS = ARGV ${RELEASE}`],
  ['gives redis another meaning', `redis = nil ${RELEASE}`],
  ['changes the name of the token', `local t = ARGV[1] t = 'x' ${RELEASE.replace('ARGV[1]', 't')}`],
  ['declares the name of the token again', `local t = ARGV[1] local t = 'x' ${RELEASE.replace('ARGV[1]', 't')}`],
  ['calculates with the token', `local t = ARGV[1] .. 'x' ${RELEASE.replace('ARGV[1]', 't')}`],
  [
    'uses the value again',
    RELEASE.replace("if redis.call('get', KEYS[1])", "local v = redis.call('get', KEYS[1]) if v").replace(
      'return 0',
      'return v',
    ),
  ],
  ['is inside a comment', `--[[ ${RELEASE} ]]`],
  ['has a comment that does not end', `${RELEASE} --[[`],
  ['has a comment with a level', `${RELEASE} --[==[ ]==]`],
  ['has an escape', RELEASE.replace("'get'", "'g\\101t'")],
  ['is long', RELEASE.padEnd(MAX_SCRIPT_BYTES + 1)],
  ['is empty', ''],
])('a script that %s is none', (_, script) => {
  expect(findForm(script)).toBeUndefined();
});

test('a script of the longest length takes no time to speak of', () => {
  const scripts = ['local a = KEYS[1] ', '--[[\n', '((((', "redis.call('get', ", 'a, ', 'if (', 'x = '];
  for (const part of scripts) {
    const script = part.repeat(MAX_SCRIPT_BYTES / part.length);
    expect(findForm(script)).toBeUndefined();
  }
});

test('of more scripts than are kept, the first one is forgotten', () => {
  const known = new KnownScripts();
  const digests = Array.from({ length: 1025 }, (_, i) => known.learn(Buffer.from(RELEASE + ' '.repeat(i)))?.digest);
  expect(known.find(digests[0] as string)).toBeUndefined();
  for (const i of [1, 1024]) expect(known.find(digests[i] as string)).toBe(findForm(RELEASE));
  known.learn(Buffer.from(`${RELEASE} `));
  expect(known.find(digests[2] as string)).toBeDefined();
});
