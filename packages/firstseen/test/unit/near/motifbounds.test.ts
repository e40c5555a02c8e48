import { expect, it } from 'vitest';
import {
  agreement,
  falseNegativeBound,
  falsePositiveBound,
  generalFalsePositiveBound,
  noiseOpeningBound,
} from '../../../src/near/motifbounds.js';

const settings = { hashes: 32, addressBits: 10, sets: 4 };
const distances = { withinShare: 0.01, apartShare: 0.25 };

it('matches a manual computation of Theorem 4.1', () => {
  // 0.99^10 = 0.904382, 0.75^10 = 0.056314; 0.8480686^2 * 16 = 11.507525.
  expect(agreement(0.01, settings)).toBeCloseTo(0.904382, 6);
  expect(falsePositiveBound(distances, settings)).toBeCloseTo(Math.exp(-11.507525), 9);
  expect(falseNegativeBound(distances, settings)).toBeCloseTo(3 * Math.exp(-11.507525), 9);
});

it('is a product over sets at different distances', () => {
  const one = generalFalsePositiveBound(0.01, [0.25], settings);
  expect(one).toBe(falsePositiveBound(distances, settings));
  expect(generalFalsePositiveBound(0.01, [0.25, 0.25], settings)).toBeCloseTo(one ** 2, 15);
  expect(generalFalsePositiveBound(0.01, [0.01], settings)).toBe(1);
});

it('falls with more hashes and with sets further apart', () => {
  const bound = falsePositiveBound(distances, settings);
  expect(falsePositiveBound(distances, { ...settings, hashes: 64 })).toBeCloseTo(bound ** 2, 15);
  expect(falsePositiveBound({ ...distances, apartShare: 0.5 }, settings)).toBeLessThan(bound);
});

it('bounds the binomial tail of noise', () => {
  // P[Bin(8, 0.1) >= 4] = 0.00502, and Hoeffding gives e^(-16 * 0.16) = 0.0773.
  expect(noiseOpeningBound(0.1, { hashes: 8, threshold: 4 })).toBeCloseTo(0.0773, 4);
  expect(noiseOpeningBound(0.5, { hashes: 8, threshold: 4 })).toBe(1);
  expect(noiseOpeningBound(0, { hashes: 32, threshold: 16 })).toBeLessThan(1e-6);
});
