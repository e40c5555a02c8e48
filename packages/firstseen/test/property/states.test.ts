// States that no detector produces, but that a forged snapshot can contain: each is either refused, or the detector
// keeps working.

import { describe, expect, test } from 'vitest';
import { type Detector, kernelOf } from '../../src/detectors/detector.js';
import { REGISTER_COUNT } from '../../src/kernel/abi.js';
import { allRegisters, isPossible, takeRegisters } from '../../src/snapshot/registers.js';
import { allCases, answersOf, chosenCases, createDetector, partitionedCases } from '../support/cases.js';
import { sampleNote, sampleOf, sampleSeed } from '../support/form.js';
import { Random, recency } from '../support/streams.js';

/** The number of registers that are changed: two more than most families use. */
const REGISTERS = 14;
const registerValues = [0n, 1n, 63n, 255n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];
const cellValues = [0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff];
const CELL_CHANGES = 150;
/** The changes of a detector in the short form. */
const SAMPLED_CHANGES = 60;
const fillings = [1, 0x80, 0xff];

const before = recency(700, 80);
const after = recency(200, 60, 9);
const asked = recency(100, 60, 3);

interface Change {
  name: string;
  apply(detector: Detector): void;
}

/** Each register changed to each value and to its neighbouring values; with partitions, also the registers of the first of them. */
function registerChanges(registers: BigUint64Array): Change[] {
  const starts = registers.length > REGISTER_COUNT ? [0, REGISTER_COUNT] : [0];
  const changed = starts.flatMap((start) => Array.from({ length: REGISTERS }, (_, register) => start + register));
  return changed.flatMap((register) => {
    const value = registers[register] as bigint;
    return [...registerValues, BigInt.asUintN(64, value - 1n), value + 1n].map((other) => ({
      name: `register ${register} is ${other}`,
      apply: (detector: Detector) => {
        takeRegisters(detector, registers.with(register, other));
      },
    }));
  });
}

/** One to eight words of the cells changed to any value, and all bytes changed to one value. */
function cellChanges(cellsBytes: number): Change[] {
  const random = new Random(5);
  const words = Array.from({ length: CELL_CHANGES }, (_, i) => {
    const changes = Array.from({ length: 1 + (i % 8) }, () => ({
      at: random.below(cellsBytes / 4) * 4,
      value: cellValues[random.below(2 * cellValues.length)] ?? random.below(100),
    }));
    return {
      name: `words of the cells are ${JSON.stringify(changes)}`,
      apply: (detector: Detector) => {
        const kernel = kernelOf(detector);
        const view = new DataView(kernel.bytes.buffer, kernel.cellsOffset);
        for (const { at, value } of changes) view.setUint32(at, value, true);
      },
    };
  });
  const filled = fillings.map((byte) => ({
    name: `the cells are full of ${byte}`,
    apply: (detector: Detector) => kernelOf(detector).cells.fill(byte),
  }));
  return [...words, ...filled];
}

/** The fault of a detector that has loaded such a state; undefined if it refuses the state or has no fault. */
function wrongOf(detector: Detector): string | undefined {
  if (!isPossible(detector)) return undefined;
  const loads = [detector.stats().load];
  answersOf(detector, after);
  detector.testBatch(asked);
  const { load, observed, duplicates } = detector.stats();
  loads.push(load);
  if (!loads.every((fraction) => fraction >= 0 && fraction <= 1)) return `its load is ${loads}`;
  if (!(duplicates <= observed)) return `it has ${duplicates} duplicates of ${observed}`;
  return isPossible(detector) ? undefined : 'it refuses the state that it leads to';
}

describe.each(chosenCases([...allCases(), ...partitionedCases()]))(
  `$name${sampleNote}`,
  ({ name: caseName, options }) => {
    test('refuses invalid states and continues from all others', async () => {
      const detector = await createDetector(options);
      const kernel = kernelOf(detector);
      answersOf(detector, before);
      const registers = allRegisters(detector).slice();
      const cells = kernel.cells.slice();
      const changes = [...registerChanges(registers), ...cellChanges(cells.length)];
      for (const { name, apply } of sampleOf(changes, SAMPLED_CHANGES, sampleSeed + caseName.length)) {
        takeRegisters(detector, registers);
        kernel.cells.set(cells);
        apply(detector);
        expect(wrongOf(detector), name).toBeUndefined();
      }
    });
  },
);
