import { distinctShare } from 'firstseen/internal';
import { expect, test } from 'vitest';
import type { StreamSpec } from '../../../src/contract.js';
import { resolveStream, streamKinds, streamModel } from '../../../src/streams/registry.js';

function specOf(kind: string, settings: StreamSpec['settings'], lengthElements = 1e9): StreamSpec {
  return { kind, lengthElements, seed: 0, settings };
}

test('the universe of a billion uniform draws follows from the share of distinct elements', async () => {
  const { parameters } = await resolveStream(specOf('uniform', { distinctShare: 0.9 }));
  const universe = parameters[0]?.[1] as number;
  expect(-universe * Math.expm1(1e9 * Math.log1p(-1 / universe))).toBeCloseTo(9e8, -1);
});

test.each<[string, StreamSpec['settings']]>([
  ['uniform', { distinctShare: 0.15 }],
  ['zipf', { exponent: 1, distinctShare: 0.15 }],
  ['zipf', { exponent: 0.6, distinctShare: 0.6 }],
  ['zipf', { universeElements: 1e9, distinctShare: 0.15 }],
  ['shuffled', { distinctShare: 0.15 }],
  ['drift', { universeElements: 1e5, distinctShare: 0.15 }],
  ['bursts', { activeElements: 1e4, distinctShare: 0.15 }],
  ['recency', { windowElements: 1e4, distinctShare: 0.15 }],
])('the model of %s %j has the requested share of distinct elements', async (kind, settings) => {
  expect(distinctShare(await streamModel(specOf(kind, settings)))).toBeCloseTo(settings.distinctShare as number, 3);
});

test.each<[string, StreamSpec['settings'], string]>([
  ['uniform', {}, 'requires stream.settings.distinctShare or stream.settings.universeElements'],
  [
    'uniform',
    { distinctShare: 0.1, universeElements: 10 },
    'takes either stream.settings.distinctShare or stream.settings.universeElements, not both',
  ],
  ['uniform', { distinctShare: 1.5 }, 'distinctShare is 1.5'],
  ['uniform', { distinctShare: 'much' }, 'distinctShare is "much"'],
  ['uniform', { universeElements: 1.5 }, 'a whole number'],
  ['uniform', { distinctShare: 0.1, window: 3 }, 'has no setting window'],
  ['zipf', { exponent: 1 }, 'requires exactly two of stream.settings.exponent'],
  ['zipf', { exponent: 3, distinctShare: 0.5 }, 'no universe of up to 2^40 elements at exponent 3'],
  ['zipf', { universeElements: 100, distinctShare: 0.5 }, 'no exponent over 100 elements'],
  ['zipf', { exponent: 11, universeElements: 100 }, 'exponent is 11'],
  ['recency', { distinctShare: 0.5 }, 'stream recency requires stream.settings.windowElements'],
  ['bursts', { distinctShare: 0, activeElements: 10 }, 'distinctShare is 0'],
  ['shuffled', {}, 'stream shuffled requires stream.settings.distinctShare'],
  ['adversarial', {}, 'stream adversarial requires stream.settings.gapElements'],
  ['mixed', {}, 'stream mixed requires stream.settings.classes'],
  ['mixed', { classes: '10:0.5,20:0.5' }, 'classes is "10:0.5,20:0.5", but must be up to 64 classes'],
  ['mixed', { classes: '0:1' }, 'classes is "0:1"'],
  ['mixed', { classes: '10:0' }, 'classes is "10:0"'],
  ['ids', {}, 'stream ids requires stream.settings.path'],
  ['sawtooth', {}, 'must be one of uniform'],
])('%s %j is refused', async (kind, settings, text) => {
  await expect(resolveStream(specOf(kind, settings))).rejects.toMatchObject({
    code: 'E_PARAMETER',
    message: expect.stringContaining(text),
  });
});

test.each([0, 1.5, Number.NaN, 2 ** 41])('a length of %d is refused', async (length) => {
  await expect(resolveStream(specOf('uniform', { distinctShare: 0.1 }, length))).rejects.toMatchObject({
    code: 'E_PARAMETER',
  });
});

test('kinds and settings have plain names', () => {
  for (const { name, settings } of streamKinds) {
    expect(name).toMatch(/^[a-z]+$/);
    for (const setting of settings) expect(setting.name).toMatch(/^[a-z]+[A-Za-z]*$/);
  }
});

test('the classes of a mixed stream follow each other, so that no element is in two of them', async () => {
  const { tablesBytes, fillTables } = await resolveStream(specOf('mixed', { classes: '3:1 5:1' }));
  const tables = new Uint8Array(tablesBytes);
  fillTables?.(tables);
  // The largest draw of each class, its first element, and the number of its elements.
  expect([...new BigUint64Array(tables.buffer)]).toEqual([2n ** 63n - 1n, 0n, 3n, 2n ** 64n - 1n, 3n, 5n]);
});
