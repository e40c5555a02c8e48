// Names that work until version 1.0, and the warnings that name what to use instead.

import { afterEach, expect, test, vi } from 'vitest';
import * as library from '../../src/index.js';
import * as near from '../../src/near.js';

afterEach(() => void vi.restoreAllMocks());

/** What is given to process.emitWarning from here on. */
function warnings(): unknown[][] {
  return vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined).mock.calls;
}

test('a function that has another place works, and warns once', async () => {
  const told = warnings();
  const detector = await library.createNear({ memory: '64KiB' });
  expect(detector).toBeInstanceOf((await near.createNear({ memory: '64KiB' })).constructor);
  await library.createNear({ memory: '64KiB' });
  expect(told).toEqual([
    [
      'createNear of firstseen is deprecated: use createNear of firstseen/near',
      'DeprecationWarning',
      'FIRSTSEEN_DEP0002',
    ],
  ]);
});

test('loadFrom takes what load takes', async () => {
  warnings();
  const detector = await library.create({ memory: '64KiB' });
  detector.add('a');
  const loaded = await library.loadFrom([await library.save(detector)]);
  expect(loaded.has('a')).toBe(true);
});

test('what has its place still warns of nothing', async () => {
  const told = warnings();
  const detector = await library.create({ memory: '64KiB' });
  await library.load(await library.save(detector));
  library.createClaims(detector, { lease: '1h' });
  expect(told).toEqual([]);
});
