import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { classes, classOf, foldOf, UNICODE_VERSION } from '../unicode/properties.mjs';
import { tableSource } from '../unicode/table.mjs';
import { tableUrl } from '../unicode.mjs';

test('the table of the kernel is what the tool writes', () => {
  expect(readFileSync(tableUrl, 'utf8')).toBe(tableSource());
});

test('states name the version of Unicode', () => {
  const text = readFileSync(new URL('../../packages/firstseen/src/near/text.ts', import.meta.url), 'utf8');
  expect(text).toContain(`'unicode-${UNICODE_VERSION}'`);
});

test.each([
  ['letter', 'éßжاक한٣²Ａ'],
  ['blankless', '漢々〇ひカーｱㄅꀀกำລខမ'],
  ['mark', '\u0301\u064b\u3099\u20e3'],
  ['ignored', '\u00ad\u200b\u200d\ufe0f\ufeff\u2060\u{e0020}'],
  ['space', '\u0085\u00a0\u2003\u2028\u3000'],
  ['other', '’“”–—。、🙂🅰Ⓜ\ufffdʼ\u{1f1e6}'],
])('%s: %s', (name, characters) => {
  const found = Array.from(characters, (character) => classOf(character.codePointAt(0)));
  expect(found).toEqual(found.map(() => classes[name]));
});

test('letters are folded by simple case folding', () => {
  const folded = (text) => String.fromCodePoint(...Array.from(text, (letter) => foldOf(letter.codePointAt(0))));
  expect(folded('ÉΣςЖẞſ\u212aꭰ𐐀')).toBe('éσσжßskᎠ𐐨');
});
