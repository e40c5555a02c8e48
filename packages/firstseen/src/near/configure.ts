// The calls that prepare a kernel for near-duplicate detection.

import type { KernelExports } from '../kernel/abi.js';
import type { NearRegions } from './regions.js';
import type { SignatureSettings } from './settings.js';
import { shingleUnitNumbers } from './shingle.js';
import { sketchParameters } from './sketchsizes.js';

/** A function of the kernel and its arguments. */
export interface ConfigureCall {
  name: keyof KernelExports;
  parameters: number[];
}

/** The calls that prepare a kernel for the signatures and bands of documents, in regions of its own. */
export function configureCalls(
  settings: SignatureSettings,
  { work, tables, sketch }: Pick<NearRegions, 'work' | 'tables' | 'sketch'>,
): ConfigureCall[] {
  const { lsh, shingle, case: letters, bands, rowsPerBand } = settings;
  const calls: ConfigureCall[] = [
    { name: `${lsh.name}Configure`, parameters: [...lsh.kernel(settings), tables] },
    { name: 'bandsConfigure', parameters: [bands, rowsPerBand * lsh.rowBytes] },
    ...(settings.verify ? [{ name: 'sketchConfigure' as const, parameters: sketchParameters(settings, sketch) }] : []),
  ];
  if (shingle === undefined) return calls;
  const parameters = [shingleUnitNumbers[shingle.unit], shingle.length, letters === 'keep' ? 0 : 1, work];
  return [...calls, { name: 'shinglesConfigure', parameters }];
}
