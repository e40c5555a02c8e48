// Which map a key has, and what is no map.

import { expect, test } from 'vitest';
import { KeyMaps } from '../../../src/serve/maps/keymaps.js';

function detectorFor(maps: KeyMaps, key: string): string | undefined {
  const bytes = Buffer.from(`<${key}>`);
  return maps.find(bytes, 1, bytes.length - 1)?.detector;
}

test.each([
  ['dedup:1', 'short'],
  ['dedup:', 'short'],
  ['dedup:eu:1', 'long'],
  ['dedup', undefined],
  ['dedup:one', 'one'],
  ['x:dupefilter', 'suffix'],
  [':dupefilter', 'suffix'],
  ['dupefilter', undefined],
  ['dedup:x:dupefilter', 'both'],
  ['dedup:eu:x:dupefilter', 'long'],
  ['dedup:é', 'short'],
])('the key %s has the detector %s', (key, detector) => {
  const texts = ['*:dupefilter=suffix', 'dedup:*=short', 'dedup:eu:*=long', 'dedup:one=one', 'dedup:*:dupefilter=both'];
  for (const order of [texts, texts.toReversed()]) expect(detectorFor(new KeyMaps(order), key)).toBe(detector);
});

test('the text before the star and the text after it do not overlap', () => {
  const maps = new KeyMaps(['aba*aba=d']);
  expect(['ababa', 'abaaba', 'abaxaba'].map((key) => detectorFor(maps, key))).toEqual([undefined, 'd', 'd']);
});

test('a single key is tried before the pattern that has the same text before its star', () => {
  const maps = new KeyMaps(['k*=many', 'k=one', '*=all']);
  expect(['k', 'kk', 'x'].map((key) => detectorFor(maps, key))).toEqual(['one', 'many', 'all']);
});

test('what a map says is read', () => {
  const [claims, seen] = new KeyMaps(['idem:*=requests,committed=processed,claim', '*=events']).all;
  expect(claims).toMatchObject({ detector: 'requests', meaning: 'claims', committed: 'processed' });
  expect(seen).toMatchObject({ detector: 'events', meaning: 'seen', committed: 'committed' });
});

test.each([
  [['dedup:*'], 'maps is "dedup:*", which names no detector; give the keys and the detector, such as dedup:*=events'],
  [['dedup:*='], 'maps is "dedup:*=", which names no detector; give the keys and the detector, such as dedup:*=events'],
  [['=events'], 'maps is "=events", whose keys are not a text with at most one star; give a pattern such as dedup:*'],
  [
    ['a*b*=events'],
    'maps is "a*b*=events", whose keys are not a text with at most one star; give a pattern such as dedup:*',
  ],
  [['a=b,claims'], 'maps is "a=b,claims", in which "claims" is unknown; give claim or committed=WORD after the name'],
  [
    ['a=b,committed='],
    'maps is "a=b,committed=", in which "committed=" is unknown; give claim or committed=WORD after the name',
  ],
  [
    ['a=b,committed=done'],
    'maps is "a=b,committed=done", whose keys are not claimed; give claim too, or leave committed=done out',
  ],
  [['a*=b', 'c*=d', 'a*=e'], 'maps is given twice for the same keys: "a*=b" and "a*=e"; leave one of them out'],
  [['a=b', 'a=e,claim'], 'maps is given twice for the same keys: "a=b" and "a=e,claim"; leave one of them out'],
])('%j is refused', (texts, message) => {
  expect(() => new KeyMaps(texts)).toThrow(expect.objectContaining({ code: 'E_USAGE', message }));
});
