// How SQF and DSQF split a fingerprint, following dutta-2013, section 3.1.

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Generator } from './random.js';
import { numberOf } from './twin.js';

export interface Parts {
  quotient: bigint;
  signature: number;
}

/** The quotient, and the signature: the selected bits of the remainder, followed by the number of ones in it. */
export function partsOf(settings: DetectorSettings, fingerprint: bigint): Parts {
  const r = numberOf(settings, 'r');
  const isPlain = settings.parameters.values.address === 'plain';
  const hash = isPlain ? fingerprint : new Generator(settings.seed).hash(fingerprint, 0);
  const element = BigInt.asUintN(numberOf(settings, 'p'), hash);
  const remainder = Number(BigInt.asUintN(r, element));
  const bits = Array.from({ length: r }, (_, i) => Math.floor(remainder / 2 ** i) % 2);
  const ones = bits.filter((bit) => bit === 1).length;
  const isSelected = (_: number, i: number) => Math.floor(numberOf(settings, 'Omega') / 2 ** i) % 2 === 1;
  const reduced = bits.filter(isSelected).reduce((sum, bit, i) => sum + bit * 2 ** i, 0);
  const onesRange = 2 ** Math.ceil(Math.log2(r));
  return { quotient: element >> BigInt(r), signature: reduced * onesRange + (ones % onesRange) };
}
