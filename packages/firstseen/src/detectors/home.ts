// Where a detector is: a kernel that has its cells and registers, and the functions of its family.

import { closedError, type FirstseenError } from '../base/errors.js';
import {
  type DetectorExports,
  DUPLICATES_REGISTER,
  detectorExports,
  LAYOUT_BLOCKED,
  LAYOUT_CLASSIC,
  OBSERVED_REGISTER,
  SECRET_OFFSET,
} from '../kernel/abi.js';
import { Kernel } from '../kernel/kernel.js';
import { kernelOptions } from './host.js';
import { KeyHasher } from './keyhasher.js';
import { PartitionedRule } from './partitions.js';
import { cellsBytesOfPartition, type DetectorSettings } from './settings.js';
import { witnessWindow } from './witness.js';

/** Elements that are counted exactly as a number. */
const MOST_OBSERVED = 2n ** 53n - 1n;

/** A kernel whose cells, registers and witness are those of a detector. */
export class FamilyKernel {
  readonly kernel: Kernel;
  readonly rule: DetectorExports;
  /** The same, if the detector has partitions. */
  readonly partitioned: PartitionedRule | undefined;
  readonly hasher: KeyHasher;
  readonly #settings: DetectorSettings;

  constructor(kernel: Kernel, settings: DetectorSettings) {
    this.kernel = kernel;
    this.#settings = settings;
    this.hasher = new KeyHasher(kernel, settings.fingerprint);
    kernel.writeParameters({
      layout: settings.layout === 'blocked' ? LAYOUT_BLOCKED : LAYOUT_CLASSIC,
      seed: settings.seed,
      isKeyed: settings.secret !== undefined,
      integersMeetBytes: settings.integersMeetBytes,
    });
    kernel.setParameters(settings.parameters.kernel);
    settings.secret?.copyTo(kernel.bytes, SECRET_OFFSET);
    const rule = detectorExports[settings.family.name](kernel.exports);
    const { partitions, parameters } = settings;
    const cellsBytes = cellsBytesOfPartition(settings);
    this.partitioned =
      partitions && new PartitionedRule({ kernel, rule, partitions, cellsBytes, isTimed: parameters.isTimed === true });
    this.rule = this.partitioned ?? rule;
    this.configure();
  }

  /** Goes on with what the cells and the witness have: nothing, or what was loaded or observed before. */
  configure(): void {
    this.rule.configure();
    if (this.#settings.witnessBytes > 0) this.startWitness();
  }

  /** Starts the witness with the contents of its memory: empty, or loaded. */
  startWitness(): void {
    const { witnessOffset, witnessBytes, exports } = this.kernel;
    const { unit, size, refreshes } = witnessWindow(this.#settings.parameters);
    exports.witnessConfigure(witnessOffset, witnessBytes, unit, size, refreshes ? 1 : 0);
  }

  /** Whether the family's rule can lead to what was loaded, as far as the kernel relies on it. */
  isPossible(): boolean {
    const { registers, exports } = this.kernel;
    const observed = registers[OBSERVED_REGISTER] as bigint;
    const duplicates = registers[DUPLICATES_REGISTER] as bigint;
    if (observed > MOST_OBSERVED || duplicates > observed) return false;
    const isPossible = !this.rule.check || this.rule.check() === 1;
    return isPossible && (this.#settings.witnessBytes === 0 || exports.witnessCheck() === 1);
  }

  /** All that changes outside the cells, for a snapshot: the kernel's registers, then those of each partition. */
  registers(): BigUint64Array {
    const { registers } = this.kernel;
    if (!this.partitioned) return registers;
    this.partitioned.settle();
    const { registers: rest } = this.partitioned;
    const all = new BigUint64Array(registers.length + rest.length);
    all.set(registers);
    all.set(rest, registers.length);
    return all;
  }

  /** Continues with the registers of a snapshot; returns false if there are not as many as this detector has. */
  takeRegisters(registers: BigUint64Array): boolean {
    const own = this.kernel.registers;
    const rest = this.partitioned?.registers;
    if (registers.length !== own.length + (rest?.length ?? 0)) return false;
    own.set(registers.subarray(0, own.length));
    rest?.set(registers.subarray(own.length));
    this.partitioned?.settle();
    return true;
  }

  /** Makes the detector as it was when it was created. */
  clear(): void {
    const { cells, witness, registers } = this.kernel;
    cells.fill(0);
    witness.fill(0);
    registers.fill(0n);
    this.partitioned?.clear();
    this.configure();
  }
}

/** The error of a detector whose memory was released. */
export function detectorClosed(): FirstseenError {
  return closedError('the detector was closed', 'dispose of it after its last use');
}

/** Where a detector is. */
export interface Home {
  /**
   * Makes the detector the current one of its kernel.
   * @throws FirstseenError E_CLOSED when the detector is no longer there.
   */
  enter(): FamilyKernel;
  /** Ends the detector. */
  close(): void;
}

/** A kernel of its own. */
export class OwnHome implements Home {
  #family: FamilyKernel | undefined;

  constructor(family: FamilyKernel) {
    this.#family = family;
  }

  enter(): FamilyKernel {
    if (this.#family === undefined) throw detectorClosed();
    return this.#family;
  }

  close(): void {
    this.#family = undefined;
  }
}

/** A home for a detector with these settings, at once, in a kernel of a module that is compiled. @throws FirstseenError E_MEMORY */
export function homeAtOnce(settings: DetectorSettings, module: WebAssembly.Module): OwnHome {
  return new OwnHome(new FamilyKernel(Kernel.ofModule(module, kernelOptions(settings, {})), settings));
}
