import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Counts } from '../../../../src/jobs/spill/counts.js';
import { layOutSpill } from '../../../../src/jobs/spill/layout.js';
import { Kernel } from '../../../../src/kernel/kernel.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { kernelModules } from '../../../support/kernels.js';

test('memory that is too small for the counts of so many records is refused before a file is created', async () => {
  const kernel = await Kernel.create({ cellsBytes: 2 ** 20, regionBytes: 0, module: kernelModules.release });
  const memory = { offset: kernel.cellsOffset, bytes: kernel.cellsBytes };
  const { counts } = layOutSpill(memory, 1e9, { choice: false, counts: true, ranks: false });
  const folder = temporaryFolder();
  expect(() => new Counts(kernel, counts, { folder, numbers: 1e9 })).toThrowError(
    expect.objectContaining({ code: 'E_MEMORY', option: 'memory' }),
  );
  expect(readdirSync(folder)).toEqual([]);
  new Counts(kernel, counts, { folder, numbers: 1e7 }).close();
});
