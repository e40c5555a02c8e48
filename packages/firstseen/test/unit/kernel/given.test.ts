// The option `module`: a kernel that the user gives.

import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { create, dedup, load, save } from '../../../src/index.js';
import { createMotifs, loadMotifs } from '../../../src/motifs.js';
import { createNear, loadNear } from '../../../src/near.js';
import { createThreaded, loadThreaded } from '../../../src/node.js';
import { split } from '../../../src/partitions.js';
import { kernelFile, kernelModules } from '../../support/kernels.js';

const bytes = readFileSync(kernelFile('release'));
const module = kernelModules.release;
const small = { algorithm: 'qht', layout: 'blocked', memory: '64KiB' } as const;

afterEach(() => vi.restoreAllMocks());

/** Forbids compiling, as a content security policy does. */
function forbidCompiling(): void {
  const cause = new WebAssembly.CompileError('code generation disallowed');
  vi.spyOn(WebAssembly, 'compile').mockRejectedValue(cause);
}

test('is the only kernel of everything that is created with it', async () => {
  forbidCompiling();
  const detector = await create({ ...small, module });
  expect([detector.observe('a'), detector.observe('a')]).toEqual(['distinct', 'duplicate']);
  const snapshot = await save(detector);
  for (const loaded of [await load(snapshot, { module }), await load([snapshot], { module })]) {
    expect(loaded.test('a')).toBe('duplicate');
  }
  for await (const piece of split(detector, 2)) expect(piece.settings.partitions?.held).toBe(1);
  const passed: string[] = [];
  for await (const item of dedup(['a', 'a'], { ...small, module })) passed.push(item);
  expect(passed).toEqual(['a']);
  const near = await createNear({ memory: '64KiB', module });
  near.observe('one two three four five six');
  expect((await loadNear(await save(near), { module })).observed).toBe(1);
  const motifs = await createMotifs({ recordBytes: 8, addressBits: 10, module });
  expect((await loadMotifs(await save(motifs), { module })).stats().records).toBe(0);
});

test('may come from another realm', async () => {
  const foreign = runInNewContext('new WebAssembly.Module(bytes)', { bytes });
  expect(foreign instanceof WebAssembly.Module).toBe(false);
  expect((await create({ ...small, module: foreign })).observe('a')).toBe('distinct');
});

describe('another value', () => {
  test.each([[{}], [null], ['kernel.wasm'], [bytes], [kernelModules.debug]])('is refused (%#)', async (value) => {
    const given = { module: value as WebAssembly.Module };
    const error = expect.objectContaining({ code: 'E_PARAMETER', option: 'module' });
    await expect(create({ ...small, ...given })).rejects.toThrow(error);
    await expect(createNear(given)).rejects.toThrow(error);
    await expect(createMotifs({ recordBytes: 8, ...given })).rejects.toThrow(error);
    await expect(load(new Uint8Array(9), given)).rejects.toThrow(error);
  });

  test('is refused for threads, which have a kernel of their own', async () => {
    const error = expect.objectContaining({ code: 'E_PARAMETER', option: 'module' });
    const given = { ...small, module };
    await expect(createThreaded(given, { threads: 2 })).rejects.toThrow(error);
    await expect(loadThreaded(new Uint8Array(9), { threads: 2, ...{ module } })).rejects.toThrow(error);
  });
});
