import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOneValue, EVERY_ITEM, formatKeyPath, parseKeyPath } from '../../../src/records/keypath.ts';

describe('parseKeyPath', () => {
  it.each([
    ['id', ['id']],
    ['user.id', ['user', 'id']],
    ['items[0].sku', ['items', 0, 'sku']],
    ['a[0][12]', ['a', 0, 12]],
    ['["odd.key"]', ['odd.key']],
    ['a["b c"][2]', ['a', 'b c', 2]],
    ['a["say \\"hi\\" ]"].b', ['a', 'say "hi" ]', 'b']],
    ['a["\\u00e9"]', ['a', 'é']],
    ['a["\\ud83d\\ude00"]', ['a', '😀']],
    ['a[""]', ['a', '']],
    ['with space.größe', ['with space', 'größe']],
    ['a.0', ['a', '0']],
    ['messages[*].content', ['messages', EVERY_ITEM, 'content']],
    ['a[*][0][*]', ['a', EVERY_ITEM, 0, EVERY_ITEM]],
    ['["*"]', ['*']],
  ])('reads %s', (text, segments) => {
    expect(parseKeyPath(text)).toEqual(segments);
  });

  it.each([
    ['', 1],
    ['.a', 1],
    ['a.', 3],
    ['a..b', 3],
    ['a.[0]', 3],
    ['a[', 2],
    ['a[-1]', 2],
    ['a[01]', 2],
    ['a[b]', 2],
    ['a[0]b', 5],
    ['a]', 2],
    ['a["b]', 2],
    ['a["\\q"]', 3],
    ['a["\\ud83d"]', 3],
    ['a[4294967295]', 3],
    ['[0].a', 1],
    ['[*].a', 1],
    ['a[*', 2],
    ['a[**]', 2],
    ['$.a', 1],
    ['$["a b"]', 1],
  ])('refuses %j at character %i', (text, position) => {
    expect(() => parseKeyPath(text)).toThrow(
      expect.objectContaining({ code: 'E_USAGE', message: expect.stringContaining(`at character ${position};`) }),
    );
  });

  it.each([
    ['$.a.b', 'paths have no $ as in JSONPath: write a.b'],
    ['$["a b"][0]', 'paths have no $ as in JSONPath: write ["a b"][0]'],
    ['.a.b', 'paths have no . as in jq: write a.b'],
  ])('says how to write %s', (text, remedy) => {
    expect(() => parseKeyPath(text)).toThrow(remedy);
  });

  it.each([
    ['$', ['$']],
    ['$id.$oid', ['$id', '$oid']],
    ['a.$', ['a', '$']],
    ['["$"].a', ['$', 'a']],
  ])('takes $ as a part of a name in %s', (text, segments) => {
    expect(parseKeyPath(text)).toEqual(segments);
    expect(parseKeyPath(formatKeyPath(segments))).toEqual(segments);
  });

  it('parses everything that formatKeyPath writes', () => {
    const segment = fc.oneof(fc.string(), fc.nat());
    fc.assert(
      fc.property(fc.string(), fc.array(segment, { maxLength: 5 }), (first, rest) => {
        const path = [first, ...rest];
        expect(parseKeyPath(formatKeyPath(path))).toEqual(path);
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});

describe('checkOneValue', () => {
  it('takes an item of an array', () => {
    expect(() => checkOneValue(parseKeyPath('a[0].b'), 'timeKey')).not.toThrow();
  });

  it('refuses all items of an array, and names one', () => {
    expect(() => checkOneValue(parseKeyPath('a[*].b'), 'timeKey')).toThrow(
      expect.objectContaining({
        ...{ code: 'E_USAGE', option: 'timeKey', given: 'a[*].b' },
        message: expect.stringMatching(
          /^timeKey "?a\[\*\].b"? has several values; name one item of the array, such as a\[0\].b$/,
        ),
      }),
    );
  });
});
