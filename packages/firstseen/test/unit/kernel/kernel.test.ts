import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { formatCounted } from '../../../src/base/count.js';
import * as abi from '../../../src/kernel/abi.js';
import { Kernel, kernelPages } from '../../../src/kernel/kernel.js';
import { kernelText } from '../../../src/kernel/module.js';
import { packageFolder } from '../../support/folders.js';
import { kernelFile, kernelModules, kernelNames } from '../../support/kernels.js';

test('the text in the library and the file of the package are the release build', () => {
  const release = readFileSync(kernelFile('release'));
  expect(inflateRawSync(Buffer.from(kernelText, 'base64'))).toEqual(release);
  expect(readFileSync(join(packageFolder, 'dist/kernel.wasm'))).toEqual(release);
});

describe('memory that the system does not grant', () => {
  const kernels: Kernel[] = [];

  /** The error of a kernel when no more memory is granted. */
  async function errorOfNext(name: 'Memory' | 'instantiate' = 'Memory'): Promise<Error> {
    const cause = new RangeError('could not allocate memory');
    class Refusing {
      constructor() {
        throw cause;
      }
    }
    const refused = vi.spyOn(WebAssembly, name);
    if (name === 'Memory') refused.mockImplementation(Refusing as never);
    else refused.mockRejectedValue(cause as never);
    try {
      return await Kernel.create({ cellsBytes: 64 }).catch((error) => error);
    } finally {
      refused.mockRestore();
    }
  }

  test('is an error that names the size', async () => {
    for (const name of ['Memory', 'instantiate'] as const) {
      const error = await errorOfNext(name);
      expect(error).toMatchObject({ code: 'E_MEMORY' });
      expect(error.cause).toBeInstanceOf(RangeError);
      expect(error.message).toBe('the system did not grant 896KiB of memory; give less memory');
    }
  });

  test('names the number of detectors and createPool when there are many', async () => {
    const module = kernelModules.release;
    while (kernels.length < 1000) kernels.push(Kernel.ofModule(module, { cellsBytes: 64 }));
    expect((await errorOfNext()).message).toMatch(
      /^the system did not grant 896KiB of memory: this process has 1,\d{3} detectors, each in a WebAssembly memory of its own; keep small detectors together with createPool, or release some$/,
    );
  });
});

describe.each(kernelNames)('the %s kernel', (name) => {
  const module = kernelModules[name];

  test('lays out its memory without overlap, cells and regions last', async () => {
    const kernel = await Kernel.create({ cellsBytes: 1000, regionBytes: 5000, module });
    const views = [
      kernel.parameters,
      kernel.registers,
      kernel.fingerprints,
      kernel.verdicts,
      kernel.recordStarts,
      kernel.recordEnds,
      kernel.recordClasses,
      kernel.scanSettings,
      kernel.cells,
      kernel.bytes.subarray(kernel.regionOffset),
    ];
    let end = 0;
    for (const view of views.sort((a, b) => a.byteOffset - b.byteOffset)) {
      expect(view.byteOffset).toBeGreaterThanOrEqual(end);
      end = view.byteOffset + view.byteLength;
    }
    expect(kernel.cells).toHaveLength(1000);
    expect(kernel.regionOffset % 64).toBe(0);
    expect(kernel.bytes.length - kernel.regionOffset).toBeGreaterThanOrEqual(5000);
  });

  test('has a separate instance and memory for each detector', async () => {
    const [first, second] = await Promise.all([
      Kernel.create({ cellsBytes: 64, module }),
      Kernel.create({ cellsBytes: 64, module }),
    ]);
    first.cells.fill(1);
    expect(second.cells.every((byte) => byte === 0)).toBe(true);
  });

  test('has the exports that abi.ts declares', async () => {
    const memory = new WebAssembly.Memory({ initial: 65_535, maximum: 65_535 });
    const { exports } = await WebAssembly.instantiate(module, {
      env: { memory, abort: () => undefined },
      equal: { equalKey: () => 0 },
    });
    const entries = Object.entries(exports).filter(([, value]) => value !== memory);
    const functions = new Set(entries.filter(([, value]) => typeof value === 'function').map(([, value]) => value));
    const tables = [abi.detectorExports, abi.signatureExports];
    const named = tables
      .flatMap((table) => Object.values(table))
      .flatMap((row) => Object.values(row(exports as never)));
    expect(named.length).toBeGreaterThan(50);
    for (const member of named) expect(functions).toContain(member);
  });
});

/** The value of a constant. Those of 32 bits come with a sign. */
function unsigned(value: number | bigint): number | bigint {
  return typeof value === 'number' && Number.isInteger(value) ? value >>> 0 : value;
}

test('the debug kernel exports the constants of abi.ts, the release kernel none', async () => {
  const memory = new WebAssembly.Memory({ initial: 65_535, maximum: 65_535 });
  const imports = { env: { memory, abort: () => undefined }, equal: { equalKey: () => 0 } };
  const [debug, release] = await Promise.all(
    [kernelModules.debug, kernelModules.release].map(async (module) => {
      const { exports } = await WebAssembly.instantiate(module, imports);
      return Object.entries(exports).flatMap(([constant, value]) =>
        value instanceof WebAssembly.Global ? [[constant, unsigned(value.value)] as const] : [],
      );
    }),
  );
  const written = Object.entries(abi).filter(([, value]) => ['number', 'bigint'].includes(typeof value));
  expect(written.length).toBeGreaterThan(50);
  expect(Object.fromEntries(debug ?? [])).toEqual(Object.fromEntries(written));
  expect(release).toEqual([]);
});

test('memory beyond what WebAssembly can address is refused, with the maximum', async () => {
  const regionBytes = 2 ** 20;
  const maxBytes = 65_535 * 65_536 - abi.DYNAMIC_OFFSET - regionBytes;
  await expect(Kernel.create({ cellsBytes: maxBytes + 64, regionBytes })).rejects.toMatchObject({
    code: 'E_MEMORY',
    message: expect.stringContaining(`leave ${formatCounted(maxBytes, 'byte')}`),
  });
});

test.each([
  [2 ** 20, 'give less memory, allow shorter records, or split the stream by key'],
  [0, 'give less memory, or split the stream by key'],
])('says what to do about too large a detector beside %d bytes of records', (regionBytes, remedy) => {
  expect(() => kernelPages({ cellsBytes: 2 ** 40, regionBytes })).toThrow(`bytes; ${remedy}`);
});
