// Where a detector is: a kernel that has its cells and registers, and the functions of its family.

import { closedError, type FirstseenError } from '../base/errors.js';
import {
  type DetectorExports,
  detectorExports,
  type KernelExports,
  LAYOUT_BLOCKED,
  LAYOUT_CLASSIC,
  SECRET_OFFSET,
} from '../kernel/abi.js';
import { Kernel } from '../kernel/kernel.js';
import type { DetectorFamily } from './contract.js';
import { kernelOptions } from './host.js';
import { KeyHasher } from './keyhasher.js';
import { PartitionedRule } from './partitions.js';
import { cellsBytesOfPartition, type DetectorSettings } from './settings.js';
import { sketchExports } from './sketches.js';
import { witnessWindow } from './witness.js';

/** A kernel whose cells, registers and witness are those of a detector. */
export class FamilyKernel {
  readonly kernel: Kernel;
  readonly rule: DetectorExports;
  /** The same, if the detector has partitions. */
  readonly partitioned: PartitionedRule | undefined;
  /** The functions of the family over one partition. */
  readonly ofPartition: DetectorExports;
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
    });
    kernel.setParameters(settings.parameters.kernel);
    settings.secret?.copyTo(kernel.bytes, SECRET_OFFSET);
    const rule = rulesOf(settings.family, kernel.exports);
    this.ofPartition = rule;
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

function rulesOf({ name, holdsDocuments }: DetectorFamily, exports: KernelExports): DetectorExports {
  return holdsDocuments ? sketchExports(exports) : detectorExports[name](exports);
}

/** The error of a detector whose memory was released. */
export function detectorClosed(): FirstseenError {
  return closedError('the detector was closed', 'dispose of it after its last use');
}

/** The place of a detector in a kernel. */
export interface Home {
  /**
   * Makes the detector the current one of its kernel.
   * @throws FirstseenError E_CLOSED when the detector is no longer there.
   */
  enter(): FamilyKernel;
  /** Ends the detector. */
  close(): void;
}

/** The origin of a detector, besides its settings and its memory. */
export interface DetectorOrigin {
  /** The note of its snapshot; empty by default. */
  note?: Uint8Array;
  /** As `HostOptions.now`. */
  now?: () => number;
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
