// The registers of a snapshot, and whether they and the cells are those of a detector.

import { type Detector, familyOf } from '../detectors/detector.js';
import { DUPLICATES_REGISTER, OBSERVED_REGISTER } from '../kernel/abi.js';

/** Elements that are counted exactly as a number. */
const MAX_OBSERVED = 2n ** 53n - 1n;

/** All that changes outside the cells: the registers of the kernel, then those of each partition. */
export function allRegisters(detector: Detector): BigUint64Array {
  const { kernel, partitioned } = familyOf(detector);
  if (!partitioned) return kernel.registers;
  partitioned.settle();
  const all = new BigUint64Array(kernel.registers.length + partitioned.registers.length);
  all.set(kernel.registers);
  all.set(partitioned.registers, kernel.registers.length);
  return all;
}

/** Continues with the registers of a snapshot; returns false if there are not as many as this detector has. */
export function takeRegisters(detector: Detector, registers: BigUint64Array): boolean {
  const { kernel, partitioned } = familyOf(detector);
  const own = kernel.registers;
  const rest = partitioned?.registers;
  if (registers.length !== own.length + (rest?.length ?? 0)) return false;
  own.set(registers.subarray(0, own.length));
  rest?.set(registers.subarray(own.length));
  partitioned?.settle();
  return true;
}

/** Tells if the family's rule can lead to what was loaded, as far as the kernel relies on it. */
export function isPossible(detector: Detector): boolean {
  const { rule, kernel } = familyOf(detector);
  const observed = kernel.registers[OBSERVED_REGISTER] as bigint;
  const duplicates = kernel.registers[DUPLICATES_REGISTER] as bigint;
  if (observed > MAX_OBSERVED || duplicates > observed) return false;
  if (rule.check && rule.check() !== 1) return false;
  return detector.settings.witnessBytes === 0 || kernel.exports.witnessCheck() === 1;
}
