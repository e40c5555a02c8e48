// Memory sizes: the minimum, sizes that are not multiples of a cache line or word, and sizes that are too large.

import { describe, expect, test } from 'vitest';
import { cellsBytesOf, type DetectorOptions, resolveSettings } from '../../src/detectors/settings.js';
import { CACHE_LINE_BYTES, POCKET_BYTES } from '../../src/kernel/abi.js';
import { createDetector, defaultCases } from '../support/cases.js';
import { allDistinct } from '../support/streams.js';

/** What cells are a multiple of. */
function unitBytes({ algorithm, layout }: DetectorOptions): number {
  if (algorithm?.startsWith('pocket')) return POCKET_BYTES;
  return layout === 'blocked' ? CACHE_LINE_BYTES : 8;
}

describe.each(defaultCases())('$name', ({ options }) => {
  test.each([1024, '1KiB', 1025, 10 ** 6 + 1, 3 * 2 ** 20])('works in %s bytes and uses no more', async (memory) => {
    const detector = await createDetector({ ...options, memory });
    const elements = allDistinct(100);
    expect(detector.observeBatch(elements)[0]).toBe(0);
    const { cellsBytes, memoryBytes } = detector.stats();
    expect(cellsBytes).toBeLessThanOrEqual(memoryBytes);
    expect(memoryBytes - cellsBytes).toBeLessThan(unitBytes(options));
    expect(cellsBytes).toBe(cellsBytesOf(resolveSettings({ ...options, memory })));
  });

  test('refuses less than 1 KiB', async () => {
    await expect(createDetector({ ...options, memory: 1023 })).rejects.toMatchObject({
      code: 'E_MEMORY',
      message: 'memory is 1023, but must be at least 1KiB',
    });
  });

  test.each(['4GiB', '64GiB', 2 ** 40])('refuses %s, which WebAssembly cannot address', async (memory) => {
    await expect(createDetector({ ...options, memory })).rejects.toMatchObject({
      code: 'E_MEMORY',
      message: expect.stringMatching(/32-bit WebAssembly has 4GiB, of which .* leave [\d,]+ bytes/),
    });
  });
});
