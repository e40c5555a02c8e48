// The entries of a spill folder are read again before they are settled, and a disk may give other bytes.

import { expect, test, vi } from 'vitest';
import type { Bitmap } from '../../../../src/jobs/spill/bitmap.js';
import type { BlockFile } from '../../../../src/jobs/spill/blocks.js';
import type { SpillLayout } from '../../../../src/jobs/spill/layout.js';
import type { SettlingRequest } from '../../../../src/jobs/spill/settling.js';
import { Settling } from '../../../../src/jobs/spill/settling.js';
import { SPILL_ENTRY_BYTES } from '../../../../src/kernel/abi.js';
import { Kernel } from '../../../../src/kernel/kernel.js';
import { kernelModules } from '../../../support/kernels.js';

const KEYS = 3;

test.each([0, KEYS + 1])(
  'an entry with the number %i, which no key has, is refused before a bit is set',
  async (number) => {
    const kernel = await Kernel.create({ cellsBytes: 2 ** 16, module: kernelModules.release });
    const blockOffset = kernel.cellsOffset;
    const moveTo = vi.fn(() => {
      throw new Error('a bit would be set');
    });
    const entries = {
      read: () => {
        const view = new DataView(kernel.bytes.buffer, blockOffset);
        view.setBigUint64(0, 77n, true);
        view.setBigUint64(8, BigInt(number), true);
      },
    } as unknown as BlockFile;
    const request = {
      ...{ entries, numbers: KEYS, isPlain: true, keep: { rule: 'first' }, chosen: undefined, counts: undefined },
      kept: { moveTo } as unknown as Bitmap,
    } as unknown as SettlingRequest;
    const layout = { tableOffset: blockOffset + 1024, blockOffset, maxTableBits: 4 } as unknown as SpillLayout;
    const settling = new Settling(kernel, layout, request);
    expect(() => settling.take([{ position: 0, bytes: SPILL_ENTRY_BYTES }])).toThrow(
      expect.objectContaining({
        code: 'E_INVARIANT',
        message: expect.stringContaining(
          `an entry has the number of a key, but number is ${number}, numbers is ${KEYS};`,
        ),
      }),
    );
    expect(moveTo).not.toHaveBeenCalled();
  },
);
