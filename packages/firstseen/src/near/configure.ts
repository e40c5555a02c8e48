// The calls that prepare a kernel for near-duplicate detection.

import { SHINGLE_FOLD_ASCII, SHINGLE_FOLD_NONE, SHINGLE_FOLD_SIMPLE } from '../kernel/abi.js';
import type { KernelCall } from '../kernel/calls.js';
import type { NearRegions } from './regions.js';
import type { SignatureSettings } from './settings.js';
import { shingleUnitNumbers } from './shingle.js';
import { sketchParameters } from './sketchsizes.js';
import type { CaseName } from './text.js';

/** The conversion of letters that the kernel makes. Letters in another case for it were converted before. */
const folds: Readonly<Record<CaseName, number>> = {
  simple: SHINGLE_FOLD_SIMPLE,
  unicode: SHINGLE_FOLD_SIMPLE,
  ascii: SHINGLE_FOLD_ASCII,
  keep: SHINGLE_FOLD_NONE,
};

/** The calls that prepare a kernel for the signatures and bands of documents, in regions of its own. */
export function configureCalls(
  settings: SignatureSettings,
  { characters, work, tables, sketch }: Pick<NearRegions, 'characters' | 'work' | 'tables' | 'sketch'>,
): KernelCall[] {
  const { lsh, shingle, case: letters, bands, rowsPerBand, texts } = settings;
  const calls: KernelCall[] = [
    { name: `${lsh.name}Configure`, parameters: [...lsh.kernel(settings), tables] },
    { name: 'bandsConfigure', parameters: [bands, rowsPerBand * lsh.rowBytes] },
    ...(settings.verify ? [{ name: 'sketchConfigure' as const, parameters: sketchParameters(settings, sketch) }] : []),
  ];
  if (shingle === undefined) return calls;
  const { unit, length } = shingle;
  const parameters = [shingleUnitNumbers[unit], length, folds[letters], characters, work, texts > 0 ? 1 : 0];
  return [...calls, { name: 'shinglesConfigure', parameters }];
}
