import { readFile } from 'node:fs/promises';
import zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

// Each test loads the library afresh, because a process compiles the kernel once.
beforeEach(() => void vi.resetModules());
afterEach(() => void vi.restoreAllMocks());

const library = () => import('../../../src/index.js');
const options = { algorithm: 'bloom', memory: '64KiB' } as const;

const withoutZlib = () => vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);

/** What is called once for each time that the kernel is compiled, with zlib of the platform and without. */
const compilations = [
  ['with zlib', () => vi.spyOn(zlib, 'inflateRawSync')],
  [
    'without zlib',
    () => {
      withoutZlib();
      return vi.spyOn(WebAssembly, 'compile');
    },
  ],
] as const;

test.each(compilations)('detectors that are created at the same time compile the kernel once, %s', async (_, spyOn) => {
  const compile = spyOn();
  const { create } = await library();
  const detectors = await Promise.all([create(options), create(options), create(options)]);
  await create(options);
  expect(compile).toHaveBeenCalledTimes(1);
  for (const detector of detectors) expect(detector.observe('a')).toBe('distinct');
});

test.each(compilations)('a kernel that could not be compiled is compiled at the next call, %s', async (_, spyOn) => {
  const compile = spyOn();
  compile.mockImplementationOnce(() => {
    throw new RangeError('no memory');
  });
  const { create } = await library();
  const results = await Promise.allSettled([create(options), create(options)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const detector = await create(options);
  expect(detector.observe('a')).toBe('distinct');
  expect(compile).toHaveBeenCalledTimes(2);
});

describe('createSync', () => {
  test('makes the detector that create makes', async () => {
    const { create, createSync, save } = await library();
    const [made, awaited] = [createSync({ ...options, keys: ['id'] }), await create({ ...options, keys: ['id'] })];
    for (const detector of [made, awaited]) detector.observe('a');
    expect(Buffer.compare(await save(made), await save(awaited))).toBe(0);
  });

  test('plans as create does', async () => {
    const { create, createSync } = await library();
    const hints = { memory: '64KiB', distinctElements: 100_000, lengthElements: 300_000 };
    expect(createSync(hints).stats()).toEqual((await create(hints)).stats());
  });

  test('uses the kernel that the first create has compiled', async () => {
    withoutZlib();
    const { create, createSync } = await library();
    const refusal = expect.objectContaining({
      code: 'E_COMPILE',
      message: expect.stringContaining('await create first'),
    });
    expect(() => createSync(options)).toThrow(refusal);
    await create(options);
    expect(createSync(options).observe('a')).toBe('distinct');
  });

  test('uses the module that is given', async () => {
    withoutZlib();
    const { createSync } = await library();
    const file = new URL('../../../dist/kernel.wasm', import.meta.url);
    const module = await WebAssembly.compile(await readFile(file));
    expect(createSync({ ...options, module }).observe('a')).toBe('distinct');
  });

  test('refuses what create refuses', async () => {
    const { createSync } = await library();
    expect(() => createSync({ memory: 1 })).toThrow(expect.objectContaining({ code: 'E_MEMORY' }));
  });
});
