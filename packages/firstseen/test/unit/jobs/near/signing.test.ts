import { expect, test } from 'vitest';
import { canSignInKernel, signingPays } from '../../../../src/jobs/near/signing.js';
import { type NearOptions, resolveSignature } from '../../../../src/near/settings.js';

test.each<[NearOptions, boolean]>([
  [{}, true],
  [{ lsh: 'simhash', variant: 'hyperplanes' }, true],
  [{ lsh: 'bits', documentBytes: 8 }, true],
  [{ lsh: 'bits', documentBytes: 8, encoding: 'hex' }, false],
  [{ case: 'keep' }, true],
  [{ case: 'unicode' }, false],
  [{ normalize: 'nfc' }, false],
])('the kernel signs documents of %j alone: %s', (options, expected) => {
  expect(canSignInKernel(resolveSignature(options))).toBe(expected);
});

test.each<[NearOptions, boolean]>([
  [{}, true],
  [{ lsh: 'simhash' }, true],
  [{ lsh: 'bits', documentBytes: 8 }, false],
  [{ sets: 2 }, false],
  [{ explain: 1 }, false],
])('several threads pay with %j at some size: %s', (options, expected) => {
  const { inputBytes, detectorBytes } = signingPays(resolveSignature(options));
  expect(Number.isFinite(inputBytes)).toBe(expected);
  expect(detectorBytes).toBe(0);
});
