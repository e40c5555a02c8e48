// Cuts the texts of batches into passages on several threads, each those of the batch in the memory of a seat. The thread of the caller
// looks the elements up, because they come in one order.

import { PASSAGE_CUT_ELEMENTS_FIELD, PASSAGE_CUT_PASSAGES_FIELD } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import { type Cutting, configureCalls } from '../../passages/configure.js';
import type { PassageFinder } from '../../passages/finder.js';
import {
  type FoundText,
  type FoundTexts,
  type TakeOptions,
  takePassages,
  textsUpTo,
  type Wanted,
} from '../../passages/found.js';
import type { ElementLookUp } from '../../passages/lookup.js';
import { layOutPassages, layOutSeats, type SeatRegions } from '../../passages/regions.js';
import type { JobRegionsRequest, ObservingThreads } from '../../run/job.js';
import type { ThreadsPay } from '../../run/threads.js';
import { bankSeatsOf, type Crew } from '../../threads/crew.js';
import type { Call, ResultOf } from '../../threads/tasks.js';
import type { PassageSettings } from './passagesettings.js';
import { layOutRecords, type RecordRegions, type RecordsRequest } from './recordregions.js';

const SPAN_BYTES = 2 * Uint32Array.BYTES_PER_ELEMENT;

/** With less, threads take as long to start as they save (docs/decisions/092-threads-of-passages.md). */
const MIN_BYTES = 128 * 2 ** 20;
const MIN_COMPRESSED_BYTES = 16 * 2 ** 20;
/** N-grams take about four times the time of paragraphs. */
const NGRAM_TIMES = 4;

export function passagesPay({ by }: Pick<PassageSettings, 'by'>): ThreadsPay {
  const times = by === 'ngram' ? NGRAM_TIMES : 1;
  return { inputBytes: MIN_BYTES / times, compressedBytes: MIN_COMPRESSED_BYTES / times, detectorBytes: 0 };
}

export interface SeatsOptions extends Cutting {
  finder: PassageFinder;
  records: RecordRegions;
  wanted: Wanted;
  lookUp: ElementLookUp;
  /** True if records have names that are found in JSON. */
  hasNames: boolean;
}

/** The texts of a batch that are to be compared. */
export interface SeatBatch {
  seat: number;
  count: number;
  /** True if the spans of texts have changed since they were cut. */
  isChanged: boolean;
}

/** The counts of the texts, passages and elements that were cut in a batch. */
interface Cut {
  texts: number;
  passages: number;
  elements: number;
}

/** The end of the regions of the job in a run with this number of threads. They start at `offset`. */
export function passageRegionsEnd(
  settings: PassageSettings,
  { offset, threads, maxRecordBytes, ...more }: JobRegionsRequest & RecordsRequest,
): number {
  const { table, scores, repeats, end } = layOutPassages(settings, maxRecordBytes, offset);
  const records = layOutRecords(settings, { maxRecordBytes, ...more }, end);
  if (threads === 1) return records.end;
  return layOutSeats(settings, { table, scores, repeats, offset: records.end, seats: bankSeatsOf(threads) }).end;
}

export class PassageSeats {
  readonly #options: SeatsOptions;
  readonly #crew: Crew;
  /** The regions of the seats of banks, which are the seats from 1 on. */
  readonly #regions: readonly SeatRegions[];

  constructor(options: SeatsOptions, crew: Crew) {
    this.#options = options;
    this.#crew = crew;
    const { settings, finder, records } = options;
    const seats = crew.banks.flat().length;
    const { table, scores, repeats } = finder.regions;
    this.#regions = layOutSeats(settings, { table, scores, repeats, offset: records.end, seats }).seats;
  }

  /** Gives each seat the settings of passages. Required once, when the crew is ready. */
  async configure(): Promise<void> {
    const { separator } = this.#options.finder.regions;
    const seats = this.#crew.banks.flat();
    await this.#crew.prepare(
      seats.map((seat) => ({ seat, calls: configureCalls(this.#options, separator, this.regionsOf(seat)) })),
    );
  }

  regionsOf(seat: number): SeatRegions {
    return this.#regions[seat - 1] as SeatRegions;
  }

  /** The calls that find the names of the records of a batch and cut its texts. */
  callsAhead(seat: number, count: ResultOf): Call[] {
    const { records, hasNames } = this.#options;
    const { names } = this.regionsOf(seat);
    const places = { name: 'jsonPlaces', parameters: [records.idPath, names] };
    return [...(hasNames ? [places] : []), this.#callToCut(seat, count)];
  }

  /** Compares the texts of batches, one batch after the other. After a failure, no further batch is compared. */
  async find(batches: readonly SeatBatch[], { meanwhile }: ObservingThreads): Promise<FoundTexts[]> {
    const changed = batches.filter(({ isChanged }) => isChanged);
    const tasks = this.#crew.post(changed.map(({ seat, count }) => ({ seat, calls: [this.#callToCut(seat, count)] })));
    await meanwhile();
    const foundBatches: FoundTexts[] = [];
    for (const batch of batches) {
      if (batch.isChanged) await this.#crew.finishTask(tasks, changed.indexOf(batch));
      if (foundBatches.at(-1)?.failure === undefined) foundBatches.push(this.#findIn(batch));
    }
    return foundBatches;
  }

  #callToCut(seat: number, count: number | ResultOf): Call {
    return { name: 'passagesCut', parameters: [this.#spansOf(seat), count, this.regionsOf(seat).cut] };
  }

  #spansOf(seat: number): number {
    return this.#kernel(seat).spans.byteOffset;
  }

  #kernel(seat: number): Kernel {
    return this.#crew.kernels[seat] as Kernel;
  }

  #cutOf(seat: number): Cut {
    const at = this.regionsOf(seat).cut;
    const fields = new DataView(this.#kernel(seat).bytes.buffer, at);
    const [texts, passages, elements] = [0, PASSAGE_CUT_PASSAGES_FIELD, PASSAGE_CUT_ELEMENTS_FIELD].map((field) =>
      fields.getUint32(field, true),
    ) as [number, number, number];
    return { texts, passages, elements };
  }

  /** Texts that had no room at the seat are cut by this thread. */
  #findIn({ seat, count }: SeatBatch): FoundTexts {
    const textsOfSeat = this.#findCut(seat);
    const { length } = textsOfSeat.texts;
    if (textsOfSeat.failure || length === count) return textsOfSeat;
    const { finder, lookUp } = this.#options;
    const otherTexts = finder.find(this.#spansOf(seat) + length * SPAN_BYTES, count - length, lookUp);
    // The bytes of the finder are valid until it is called again.
    const copiedTexts = otherTexts.texts.map((text): FoundText => {
      const writtenBytes = text.written.slice(text.writtenStart, text.writtenEnd);
      return { ...text, written: writtenBytes, writtenStart: 0, writtenEnd: writtenBytes.length };
    });
    return { ...otherTexts, texts: [...textsOfSeat.texts, ...copiedTexts] };
  }

  #findCut(seat: number): FoundTexts {
    const kernel = this.#kernel(seat);
    const regions = this.regionsOf(seat);
    const { texts, passages, elements } = this.#cutOf(seat);
    const options: TakeOptions = { ...this.#options, kernel, regions, seen: [] };
    const { failed: failedText } = takePassages(options, { passages, elements, goesOn: false });
    return {
      texts: textsUpTo(options, failedText?.text ?? texts, { written: kernel.bytes, start: regions.written }),
      ...(failedText && { failure: failedText.failure }),
    };
  }
}
