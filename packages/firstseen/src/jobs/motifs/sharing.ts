// Range motifs on the threads of a crew (narang-2011, section 5). Each thread owns some of the arrays, and takes all steps of a
// batch for it; the threads meet in the kernel (assembly/near/motifs/owners.ts). The thread of the caller takes the steps of the
// first owner. The others have one task for each batch.

import { MOTIFS_BATCH_BYTES, MOTIFS_MEETING_BYTES } from '../../kernel/abi.js';
import { Kernel, regionOffset, sharedMemory, wholeCacheLines } from '../../kernel/kernel.js';
import {
  type BatchLayout,
  layOutMotifs,
  MotifKernel,
  type MotifLayout,
  motifPartBytes,
} from '../../near/motifkernel.js';
import { type MotifSettings, motifMemoryBytes } from '../../near/motifsettings.js';
import { Crew, crewBytes } from '../../threads/crew.js';
import { sharedKernel } from '../../threads/sharedkernel.js';
import type { FilledBatch } from './filling.js';

/** The batches for which the other threads have tasks: the current one and the next one, so that they go on with it at once. */
const POSTED_BATCHES = 2;

interface OwnersLayout {
  /** Words on which the threads wait. */
  words: number;
  /** The addresses by slot of what the kernel reads of a batch. */
  batches: readonly number[];
  /** Two rows with a part for each owner. */
  parts: number;
  partBytes: number;
  /** The address of the memory that each owner has for itself. */
  own: number;
  ownBytes: number;
  crew: number;
  end: number;
}

/** The layout of range motifs on threads, and what the threads need after it. */
interface Layouts {
  motifs: MotifLayout;
  owners: OwnersLayout;
}

function layOutBoth(settings: MotifSettings, base: number, threads: number, batches: number): Layouts {
  const motifs = layOutMotifs(settings, base, batches, 1 + POSTED_BATCHES * (threads - 1));
  const { tableSlots } = motifs;
  let { end } = motifs;
  const take = (bytes: number): number => {
    const start = end;
    end += wholeCacheLines(bytes);
    return start;
  };
  const partBytes = motifPartBytes(Math.ceil(settings.hashes / threads));
  // A table of digests, a row of parts, and the sets and votes of a batch, which has fewer records than the table has slots.
  const ownBytes = wholeCacheLines(4 * tableSlots + threads * partBytes + 2 * tableSlots);
  const owners = {
    words: take(MOTIFS_MEETING_BYTES),
    batches: Array.from({ length: batches }, () => take(MOTIFS_BATCH_BYTES)),
    parts: take(2 * threads * partBytes),
    partBytes,
    own: take(threads * ownBytes),
    ownBytes,
    crew: take(crewBytes(threads)),
  };
  return { motifs, owners: { ...owners, end } };
}

/** Returns the bytes of the memory of range motifs on this number of threads. */
export function sharedMotifBytes(settings: MotifSettings, threads: number, batches: number): number {
  const base = regionOffset({ cellsBytes: motifMemoryBytes(settings) });
  return layOutBoth(settings, base, threads, batches).owners.end;
}

export class SharedMotifs {
  readonly motifs: MotifKernel;
  readonly #crew: Crew;
  readonly #threads: number;
  readonly #layout: OwnersLayout;
  /** The number of batches whose tasks were posted. */
  #posted = 0;

  private constructor(motifs: MotifKernel, crew: Crew, threads: number, layout: OwnersLayout) {
    this.motifs = motifs;
    this.#crew = crew;
    this.#threads = threads;
    this.#layout = layout;
  }

  /** @throws FirstseenError E_MEMORY as `MotifKernel.create`, E_THREAD when a thread has ended. */
  static async start(settings: MotifSettings, threads: number, batches: number): Promise<SharedMotifs> {
    const cellsBytes = motifMemoryBytes(settings);
    const base = regionOffset({ cellsBytes });
    const { motifs: layout, owners } = layOutBoth(settings, base, threads, batches);
    const sizes = { cellsBytes, regionBytes: owners.end - base };
    const kernelOptions = { ...sizes, module: await sharedKernel(), memory: sharedMemory(sizes) };
    const motifs = new MotifKernel(await Kernel.create(kernelOptions), settings, layout);
    const crew = await Crew.start({ kernel: motifs.kernel, made: kernelOptions, threads, offset: owners.crew });
    try {
      const sharedMotifs = new SharedMotifs(motifs, crew, threads, owners);
      await crew.ready();
      await sharedMotifs.#configure();
      return sharedMotifs;
    } catch (error) {
      await crew.close();
      throw error;
    }
  }

  /** Tells the threads that a batch is filled, so that they may hash its records. */
  tellFilled({ slot, count, index }: FilledBatch): void {
    this.motifs.kernel.exports.motifsFilled(this.#layout.batches[slot] as number, count, index);
  }

  /**
   * Observes a batch. The other threads go on with the next one, if there is any.
   * @param pause called while the others work
   * @throws FirstseenError E_THREAD when a thread has ended.
   */
  async observe(batch: FilledBatch, next: FilledBatch | undefined, pause: () => Promise<void>): Promise<void> {
    const { motifsBegin, motifsStep, motifsMet } = this.motifs.kernel.exports;
    for (const filled of next ? [batch, next] : [batch]) this.#post(filled);
    motifsBegin(0, ...this.#parametersOf(batch));
    for (let step = 0; motifsStep(step); step++) {
      await pause();
      await this.#crew.waitWith((milliseconds) => Boolean(motifsMet(milliseconds)));
    }
  }

  close(): Promise<void> {
    return this.#crew.close();
  }

  /**
   * Gives the other threads their tasks of a batch, if they do not have them. Nobody has to wait for the end of a task: the threads meet
   * at the start of a batch, and then all tasks of the batch before are done.
   */
  #post(batch: FilledBatch): void {
    if (batch.number < this.#posted) return;
    this.#posted = batch.number + 1;
    const parameters = this.#parametersOf(batch);
    const seats = this.#seats(batch.number % POSTED_BATCHES);
    this.#crew.post(
      seats.map((seat, i) => ({ seat, calls: [{ name: 'motifsOwnerSteps', parameters: [1 + i, ...parameters] }] })),
    );
  }

  /** The number of a batch, what the kernel reads of it, and of the batch after it. */
  #parametersOf({ number }: FilledBatch): [number, number, number] {
    const { batches } = this.#layout;
    const at = (batch: number) => batches[batch % batches.length] as number;
    return [number, at(number), at(number + 1)];
  }

  /** The seats at which the other threads work: on even batches, or on odd ones. */
  #seats(parity: number): readonly number[] {
    return (this.#crew.banks[parity] as readonly number[]).slice(0, this.#threads - 1);
  }

  /** Writes what the kernel reads of batches, and gives each seat the settings. */
  async #configure(): Promise<void> {
    const { kernel, layout } = this.motifs;
    const { words, parts, partBytes, own: ownOffset, ownBytes, batches } = this.#layout;
    for (const [slot, at] of batches.entries()) {
      const { records, digests, addresses, firsts, answers, votes } = layout.batches[slot] as BatchLayout;
      kernel.exports.motifsBatchAt(at, records, digests, addresses, firsts, answers, votes);
    }
    const { tableSlots, rowBytes } = layout;
    const owners = [words, this.#threads, parts, partBytes, ownOffset, ownBytes, tableSlots, rowBytes] as const;
    kernel.exports.motifsOwnersConfigure(...owners);
    const preparations = [0, 1]
      .flatMap((parity) => this.#seats(parity))
      .map((seat, i) => ({
        seat,
        calls: [
          { name: 'motifsConfigure', parameters: [layout.tables, layout.workspaces[1 + i] as number] },
          { name: 'motifsOwnersConfigure', parameters: owners },
        ],
      }));
    this.#crew.copySettings();
    await this.#crew.prepare(preparations);
  }
}
