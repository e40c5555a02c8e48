import { expect, test } from 'vitest';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { SignatureRing } from '../../../src/near/ring.js';

test('the nearest document is one of those that were added', () => {
  let slot = 1;
  const exports = { nearestSignature: () => slot, nearestAgreeingRows: () => 3 };
  const kernel = { exports, bytes: new Uint8Array(64) } as unknown as Kernel;
  const ring = new SignatureRing(kernel, { capacity: 4, offset: 0, stride: 8, rows: 4, rowBytes: 2 });
  for (const id of ['a', 'b']) ring.add(32, id);
  expect(ring.nearest(32)).toEqual({ id: 'b', agreeingRows: 3 });
  for (slot of [2, -1]) {
    expect(() => ring.nearest(32)).toThrow(
      expect.objectContaining({
        code: 'E_INVARIANT',
        message: expect.stringContaining('the nearest document is one of those in the ring, but slot is'),
      }),
    );
  }
});
