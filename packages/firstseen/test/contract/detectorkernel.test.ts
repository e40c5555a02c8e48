// The kernel of detectors alone gives the answers of the whole kernel, for every family, and has what a detector needs of it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Detector, kernelOf } from '../../src/detectors/detector.js';
import { create, dedupBytes, load, save } from '../../src/index.js';
import { detectorKernel } from '../../src/kernel/detectorkernel.js';
import { detectorKernelText } from '../../src/kernel/detectormodule.js';
import { wholeKernel } from '../../src/kernel/wholekernel.js';
import { createMotifs } from '../../src/motifs.js';
import { createNear, createPassages } from '../../src/near.js';
import { answersOf, contentsOf, defaultCases, defaultPartitionedCases } from '../support/cases.js';
import { packageFolder } from '../support/folders.js';
import { recency } from '../support/streams.js';

const elements = recency(3000, 600, 3);
const keys = ['a', 'ü', 17, 2n ** 63n, Uint8Array.of(1, 2), 'x'.repeat(300)];

describe.each([...defaultCases(4096), ...defaultPartitionedCases(16_384)])('$name', ({ options }) => {
  test('answers as with the whole kernel', async () => {
    const asked = { ...options, witness: true };
    const [own, whole] = await Promise.all(
      [detectorKernel(), wholeKernel()].map(async (module) => Detector.create(asked, { module: await module })),
    );
    expect(kernelOf(own as Detector).exports).not.toHaveProperty('scan');
    expect(kernelOf(whole as Detector).exports).toHaveProperty('scan');
    expect(answersOf(own as Detector, elements)).toEqual(answersOf(whole as Detector, elements));
    expect(contentsOf(own as Detector)).toBe(contentsOf(whole as Detector));
    expect(await save(own as Detector)).toEqual(await save(whole as Detector));
    expect(keys.map((key) => own?.fingerprint(key))).toEqual(keys.map((key) => whole?.fingerprint(key)));
  });
});

test('a detector of a program has it, and a snapshot goes on with the other kernel', async () => {
  const detector = await create({ memory: '64KiB' });
  expect(kernelOf(detector).exports).not.toHaveProperty('scan');
  detector.observe('a');
  const loaded = await load(await save(detector), { module: await wholeKernel() });
  expect(loaded.observe('a')).toBe('duplicate');
});

test('the text in the library and the file of the package are one build', () => {
  const file = readFileSync(join(packageFolder, 'dist/detectors.wasm'));
  expect(inflateRawSync(Buffer.from(detectorKernelText, 'base64'))).toEqual(file);
});

test('what scans records or compares documents refuses it', async () => {
  const module = await detectorKernel();
  const refusal = expect.objectContaining({
    code: 'E_PARAMETER',
    option: 'module',
    message: expect.stringContaining('firstseen/kernel.wasm of this version'),
  });
  await expect(createNear({ memory: '64KiB', module })).rejects.toThrow(refusal);
  await expect(createPassages({ memory: '64KiB', module })).rejects.toThrow(refusal);
  await expect(createMotifs({ recordBytes: 8, module })).rejects.toThrow(refusal);
  const bytes = new Blob(['a\n']).stream().pipeThrough(dedupBytes({ module }));
  await expect(new Response(bytes).text()).rejects.toThrow(refusal);
});
