import { describe, expect, test } from 'vitest';
import { WARC_BLOCK, WARC_PAYLOAD } from '../../../src/kernel/abi.js';
import { keySchemeOf } from '../../../src/records/keyscheme.js';
import { comparedTypes, typesOf, warcPlace } from '../../../src/records/warc.js';

describe('the place of a field', () => {
  test.each([
    ['url', ['warc-target-uri']],
    ['id', ['warc-record-id']],
    ['Digest', ['warc-payload-digest']],
    ['type', ['warc-type']],
    ['date', ['warc-date']],
    ['WARC-Block-Digest', ['warc-block-digest']],
    ['block', [WARC_BLOCK]],
    ['PAYLOAD', [WARC_PAYLOAD]],
  ])('of %s', (field, place) => {
    expect(warcPlace(field, 'keys')).toEqual(place);
  });

  test.each(['', ' url', 'a b', 'a:b', 'a\nb', 'é'])('is refused of %j', (field) => {
    expect(() => warcPlace(field, 'timeKey')).toThrow(expect.objectContaining({ code: 'E_USAGE', option: 'timeKey' }));
  });

  test('is checked where a program names its keys', () => {
    expect(keySchemeOf({ keys: ['url', 'X'], format: 'warc' })).toEqual({ format: 'warc', keys: ['url', 'X'] });
    expect(() => keySchemeOf({ keys: ['the url'], format: 'warc' })).toThrow(
      /a field in the headers|the name of a field/,
    );
  });
});

describe('the types that are compared', () => {
  test('are those with content, unless others are named', () => {
    expect(typesOf(undefined, 'warc')).toEqual(comparedTypes);
    expect(typesOf(['Request', 'metadata'], 'warc')).toEqual(['Request', 'metadata']);
    expect(typesOf(['request', 'all'], 'warc')).toEqual([]);
    expect(typesOf(undefined, 'ndjson')).toBeUndefined();
  });

  test('are refused where records have none', () => {
    expect(() => typesOf(['all'], 'ndjson')).toThrow(expect.objectContaining({ code: 'E_USAGE', option: 'warcTypes' }));
    const notTypes = /must be one or more of response, resource,/;
    for (const types of [[], [''], ['a b'], ['x-own']]) expect(() => typesOf(types, 'warc')).toThrow(notTypes);
  });
});
