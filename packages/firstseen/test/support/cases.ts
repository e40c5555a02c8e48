// Every family in every layout with every set of test parameters, as the registry and the twins list them.

import { createHash } from 'node:crypto';
import { FirstseenError } from '../../src/base/errors.js';
import { families } from '../../src/detectors/descriptions.js';
import { Detector, kernelOf } from '../../src/detectors/detector.js';
import type { DetectorOptions } from '../../src/detectors/settings.js';
import { allRegisters } from '../../src/snapshot/registers.js';
import { partitionedRow } from '../reference/partitions.js';
import type { TwinRow } from '../reference/twin.js';
import { twinOf } from '../reference/twins.js';
import { coverOf } from './form.js';
import { type KernelName, kernelModules } from './kernels.js';

export interface Case {
  /** Shown as the test's name. */
  name: string;
  row: TwinRow;
  options: DetectorOptions;
}

/** A small size that is a multiple of neither a line nor a word. */
export const SMALL_MEMORY_BYTES = 1101;

/** All cases. */
export function allCases(memory: number | string = SMALL_MEMORY_BYTES): Case[] {
  return families.flatMap(({ name: algorithm, layouts }) => {
    const row = twinOf(algorithm);
    return layouts.flatMap((layout) =>
      [...row.parameterSets, ...(row.layoutParameterSets?.[layout] ?? [])].map((parameters) => ({
        name: `${algorithm} ${layout} ${JSON.stringify(parameters)}`,
        row,
        options: { algorithm, layout, parameters, memory, seed: 42 },
      })),
    );
  });
}

/** One case for each family and layout, with the family's default parameters. */
export function defaultCases(memory?: number | string): Case[] {
  return allCases(memory).filter(({ options }) => Object.keys(options.parameters ?? {}).length === 0);
}

/** Enough for the least memory of each partition, and a multiple of neither a line nor a word. */
export const PARTITIONED_MEMORY_BYTES = 4405;

/** All cases, each with its memory in some partitions. */
export function partitionedCases(memory: number | string = PARTITIONED_MEMORY_BYTES, partitions = 4): Case[] {
  return allCases(memory).map(({ name, row, options }) => ({
    name: `${name} in ${partitions} partitions`,
    row: partitionedRow(row),
    options: { ...options, partitions },
  }));
}

export function defaultPartitionedCases(memory?: number | string, partitions?: number): Case[] {
  const cases = partitionedCases(memory, partitions);
  return cases.filter(({ options }) => Object.keys(options.parameters ?? {}).length === 0);
}

/** The family and the layout of a case. */
export function kindOf({ options: { algorithm, layout } }: Case): string {
  return `${algorithm} ${layout}`;
}

/**
 * In the short form, cases in which each family is in each layout, with partitions and without if both are among the cases, and each of
 * its sets of parameters in one of them.
 */
export function chosenCases(cases: readonly Case[]): readonly Case[] {
  return coverOf(cases, (entry) => [partitionedKindOf(entry), parametersOf(entry)]);
}

/** In the short form, chosen cases with each of some values; each family in each layout has every value. */
export function chosenProduct<Value extends string>(
  cases: readonly Case[],
  values: readonly Value[],
): readonly (Case & { value: Value })[] {
  const rows = cases.flatMap((entry) => values.map((value) => ({ ...entry, value })));
  return coverOf(rows, (row) => [partitionedKindOf(row), parametersOf(row), `${kindOf(row)} with ${row.value}`]);
}

/** The family and the layout of a case, and the number of its partitions. */
export function partitionedKindOf(entry: Case): string {
  return `${kindOf(entry)} ${entry.options.partitions ?? 1}`;
}

function parametersOf({ options: { algorithm, parameters } }: Case): string {
  return `${algorithm} ${JSON.stringify(parameters)}`;
}

export function createDetector(options: DetectorOptions, kernel: KernelName = 'release'): Promise<Detector> {
  return Detector.create(options, { module: kernelModules[kernel], regionBytes: 4096 });
}

export interface Answers {
  /** One byte per element, up to the one that was refused. */
  verdicts: Uint8Array;
  isRefused: boolean;
}

/** A detector's answers until it is full and refuses an element. */
export function answersOf(detector: Detector, elements: BigUint64Array): Answers {
  const verdicts = new Uint8Array(elements.length);
  const before = detector.observed;
  try {
    detector.observeBatch(elements, verdicts);
  } catch (error) {
    if (!(error instanceof FirstseenError && error.code === 'E_FULL')) throw error;
    return { verdicts: verdicts.subarray(0, detector.observed - before), isRefused: true };
  }
  return { verdicts, isRefused: false };
}

/** A digest of bytes, to compare lists of any length. */
export function digestOf(...parts: Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** A digest of everything on which a detector's later answers depend. */
export function contentsOf(detector: Detector): string {
  const registers = allRegisters(detector);
  return digestOf(
    new Uint8Array(registers.buffer, registers.byteOffset, registers.byteLength),
    kernelOf(detector).cells,
  );
}
