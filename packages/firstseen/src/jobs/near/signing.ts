// Signs documents on several threads, each the documents of the batch in the memory of a seat.

import type { Kernel } from '../../kernel/kernel.js';
import type { SignedDocument } from '../../near/answer.js';
import { configureCalls } from '../../near/configure.js';
import { layOutNearRegions } from '../../near/regions.js';
import { bandBytes, layOutSeats, type SeatRegions, type SeatSettings, signedElementsBytes } from '../../near/seats.js';
import type { SignatureSettings } from '../../near/settings.js';
import { isHostForm } from '../../near/text.js';
import type { JobRegionsRequest } from '../../run/job.js';
import type { ThreadsPay } from '../../run/threads.js';
import { bankSeatsOf, type Crew } from '../../threads/crew.js';
import type { ThreadBatch } from '../../threads/owners.js';
import type { Call, ResultOf } from '../../threads/tasks.js';
import type { DocumentSpan, SpanForm } from './span.js';

export interface SigningOptions {
  kernel: Kernel;
  settings: SignatureSettings;
  maxRecordBytes: number;
  form: SpanForm;
}

/** Bytes of documents from which several threads save more time than they take to start. */
const MIN_INPUT_BYTES = 64 * 2 ** 20;

/** Signatures of bits, sets and the search for the nearest document leave most of the work to one thread. */
export function signingPays({ shingle, sets, explain }: SignatureSettings): ThreadsPay {
  const isMostlySigning = shingle !== undefined && sets === 0 && explain === 0;
  return { inputBytes: isMostlySigning ? MIN_INPUT_BYTES : Number.POSITIVE_INFINITY, detectorBytes: 0 };
}

/** Tells if the kernel can sign a document from the span of its key. The host converts all others first. */
export function canSignInKernel(settings: SignatureSettings): boolean {
  return settings.encoding === 'bytes' && !isHostForm(settings);
}

/** The end of the regions of the job. */
export function signingRegionsEnd(
  settings: SignatureSettings,
  { offset, threads, maxRecordBytes: maxTextBytes }: JobRegionsRequest,
): number {
  const regions = layOutNearRegions({ ...settings, maxTextBytes }, offset);
  return threads === 1
    ? regions.end
    : layOutSeats({ settings, maxTextBytes, regions, seats: seatsThatSign(threads) }).end;
}

/** The number of seats that sign, with that of the caller. */
function seatsThatSign(threads: number): number {
  return 1 + bankSeatsOf(threads);
}

/** The work of the caller's thread while other threads sign. */
export interface SigningSteps {
  /** Called once, when the threads have their tasks. */
  meanwhile(): Promise<void>;
  /** Called with each batch, in order. */
  finish(batch: number, signed: SignedBatch): void;
}

/** Returns the addresses of the signature and elements of a document of a batch; undefined if it was not signed. */
export type SignedBatch = (index: number, document: DocumentSpan) => SignedDocument | undefined;

export class Signing {
  readonly #options: SigningOptions;
  readonly #crew: Crew;
  readonly #seats: SeatSettings;

  constructor(options: SigningOptions, crew: Crew) {
    const { kernel, settings, maxRecordBytes: maxTextBytes } = options;
    const regions = layOutNearRegions({ ...settings, maxTextBytes }, kernel.regionOffset);
    this.#options = options;
    this.#crew = crew;
    this.#seats = layOutSeats({ settings, maxTextBytes, regions, seats: 1 + crew.banks.flat().length });
  }

  /** Gives each seat the settings of signatures. Required once, when the crew is ready. */
  async configure(): Promise<void> {
    const { settings, form } = this.#options;
    const { seats, maxTextBytes, maxDocuments } = this.#seats;
    const [quotes, ids] = [form.isJson ? 1 : 0, form.hasId ? 1 : 0];
    const minBytes = settings.shingle === undefined ? settings.documentBytes : 0;
    const preparations = this.#crew.banks.flat().map((seat) => ({
      seat,
      calls: [
        ...configureCalls(settings, seats[seat] as SeatRegions),
        { name: 'documentsConfigure', parameters: [quotes, ids, minBytes, maxTextBytes, maxDocuments] },
      ],
    }));
    await this.#crew.prepare(preparations);
  }

  /** The call that signs the documents of the batch of a seat. */
  callOf(seat: number, count: number | ResultOf): Call {
    const { signatures, elements } = this.#seat(seat);
    const spans = (this.#crew.kernels[seat] as Kernel).spans.byteOffset;
    return {
      name: `${this.#options.settings.lsh.name}SignBatch`,
      parameters: [spans, count, signatures, this.#seats.stride, elements],
    };
  }

  /** Signs the documents of batches that have changed since they were signed, and hands out all batches. */
  async sign(batches: readonly ThreadBatch[], { meanwhile, finish }: SigningSteps): Promise<void> {
    const changed = batches.filter(({ isChanged }) => isChanged);
    const posted = this.#crew.post(changed.map(({ seat, count }) => ({ seat, calls: [this.callOf(seat, count)] })));
    await meanwhile();
    for (const [i, batch] of batches.entries()) {
      if (batch.isChanged) await this.#crew.finishTask(posted, changed.indexOf(batch));
      finish(i, this.#signedAt(batch.seat));
    }
  }

  /** A document that was not signed is too long, has another length than it must have, or is late in its batch. */
  #signedAt(seat: number): SignedBatch {
    const { bands, shingle } = this.#options.settings;
    const { stride, maxDocuments, maxTextBytes } = this.#seats;
    const { signatures, elements } = this.#seat(seat);
    const view = new DataView(this.#options.kernel.bytes.buffer);
    return (index, { start, end }) => {
      const bytes = end - start;
      const hasLength = shingle === undefined ? bytes === maxTextBytes : bytes <= maxTextBytes;
      if (index >= maxDocuments || !hasLength) return undefined;
      const elementsOffset = elements + index * signedElementsBytes(bands);
      const shingles = view.getUint32(elementsOffset + bandBytes(bands), true);
      return { signature: signatures + index * stride, elements: elementsOffset, shingles };
    };
  }

  #seat(seat: number): SeatRegions {
    return this.#seats.seats[seat] as SeatRegions;
  }
}
