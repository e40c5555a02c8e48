// Gives the records of a batch their verdicts, from the passages of their texts that were seen.

import { FirstseenError } from '../../base/errors.js';
import type { Observation } from '../../framing/batch.js';
import { policyRemedy } from '../../framing/exceptions.js';
import type { RecordBatch } from '../../io/sink.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { PassageFinder } from '../../passages/finder.js';
import type { FoundText, FoundTexts, TextFinder, Wanted } from '../../passages/found.js';
import type { ElementLookUp } from '../../passages/lookup.js';
import { decisions, recordClasses } from '../../records/classes.js';
import type { MissingKeyPolicy } from '../../records/policies.js';
import type { ObservingThreads } from '../../run/job.js';
import type { Crew } from '../../threads/crew.js';
import type { ThreadBatch } from '../../threads/owners.js';
import type { Call, ResultOf } from '../../threads/tasks.js';
import type { PassageSettings } from './passagesettings.js';
import { QUOTE } from './place.js';
import type { NamedBatch, RecordNames } from './recordname.js';
import type { RecordRegions } from './recordregions.js';
import { PassageSeats, type SeatBatch } from './seats.js';

/** Counts of a run. */
export class PassageCounts {
  documents = 0;
  documentsWithSeen = 0;
  documentsDropped = 0;
  documentsBlank = 0;
  documentsUncompared = 0;
  documentsEmptied = 0;
  passages = 0;
  seen = 0;
  characters = 0;
  seenCharacters = 0;

  add(text: FoundText, isDropped: boolean): void {
    const { contentCharacters, seenContentCharacters } = text;
    this.documents++;
    if (contentCharacters === 0) this.documentsBlank++;
    else if (text.passages === 0) this.documentsUncompared++;
    else if (seenContentCharacters === contentCharacters) this.documentsEmptied++;
    this.passages += text.passages;
    this.seen += text.seenPassages;
    this.characters += text.characters;
    this.seenCharacters += text.seenCharacters;
    if (text.seenPassages > 0) this.documentsWithSeen++;
    if (isDropped) this.documentsDropped++;
  }
}

/** The text and the name of a record of a batch that has a key. */
export interface FoundRecord {
  /** Undefined for a record that was passed on unchecked. */
  text: FoundText | undefined;
  /** The name of the record as JSON, for `spans`. */
  id: Uint8Array | undefined;
}

/** Records with a key, before their texts are compared. */
interface KeyedBatch extends NamedBatch {
  /** The spans of their texts, which may be changed. */
  spans: Uint32Array;
  count: number;
}

/**
 * The records of a batch that were examined, the decisions about those that are not compared, and the error at which
 * the examination stopped.
 */
interface LookedAt {
  records: FoundRecord[];
  decided: ReadonlyMap<number, number>;
  failure?: FirstseenError;
}

export interface PassageObserverOptions {
  kernel: Kernel;
  settings: PassageSettings;
  wanted: Wanted;
  /** True if records are JSON. */
  isJson: boolean;
  /** True if a text may be several ones with boundaries between them. */
  hasBoundaries: boolean;
  records: RecordRegions;
  finder: TextFinder;
  /** The finder that cuts the texts of threads; undefined if only one thread can. */
  cutter: PassageFinder | undefined;
  lookUp: ElementLookUp;
  missingKey: MissingKeyPolicy;
  counts: PassageCounts;
}

/** The seat of the thread of the caller. */
const OWN_SEAT = 0;

function missing(problem: string): FirstseenError {
  return new FirstseenError('E_KEY_MISSING', problem, { remedy: policyRemedy('KEY_MISSING') });
}

/** Tells if the record of a text is dropped. Blank passages do not count: they neither drop a record nor keep the rest of one. */
function isDropped(text: FoundText, { emit, minDocument, documentShare }: PassageSettings): boolean {
  const { characters, seenCharacters, contentCharacters, seenContentCharacters } = text;
  if (emit === 'rewritten') {
    const isRestBlank = seenContentCharacters === contentCharacters;
    return characters - seenCharacters < minDocument || (isRestBlank && minDocument > 0);
  }
  if (emit === 'documents' && text.items) return text.items.length > 0;
  return emit === 'documents' && contentCharacters > 0 && seenContentCharacters / contentCharacters >= documentShare;
}

export class PassageObserver {
  /** Finds the names of records, if they are written. */
  names: RecordNames | undefined;
  readonly #options: PassageObserverOptions;
  /** The records with a key of the last batch of each seat. */
  readonly #records: FoundRecord[][] = [];
  #seats: PassageSeats | undefined;

  constructor(options: PassageObserverOptions) {
    this.#options = options;
  }

  /** The records with a key of a batch that was observed. */
  recordsOf({ seat }: RecordBatch): readonly FoundRecord[] {
    return this.#records[seat] as FoundRecord[];
  }

  /** The name of a record of a batch, if it has one. */
  nameOf({ seat, kernel }: RecordBatch, index: number): Uint8Array | undefined {
    return this.names?.nameOf({ kernel, names: this.#namesAt(seat) }, index);
  }

  observe(count: number): Observation {
    const { kernel, finder, lookUp, records, isJson } = this.#options;
    const { regions } = finder;
    if (isJson && this.names) kernel.exports.jsonPlaces(records.idPath, regions.names);
    const looked = this.#lookAt({ kernel, names: regions.names, spans: finder.copySpans(count), count });
    return this.#settle({ seat: OWN_SEAT, kernel }, looked, finder.find(regions.spans, looked.records.length, lookUp));
  }

  /** Prepares the seats of threads to cut texts. */
  async prepareThreads(crew: Crew): Promise<void> {
    const { isJson, cutter } = this.#options;
    const hasNames = isJson && this.names !== undefined;
    const finder = cutter as PassageFinder;
    this.#seats = new PassageSeats({ ...this.#options, finder, hasQuotes: isJson, hasNames }, crew);
    await this.#seats.configure();
  }

  callsAhead(seat: number, count: ResultOf): Call[] {
    return (this.#seats as PassageSeats).callsAhead(seat, count);
  }

  /** Observes batches whose texts threads have cut side by side. After a failure no further batch has an observation. */
  async observeOnThreads(batches: readonly ThreadBatch[], threads: ObservingThreads): Promise<Observation[]> {
    const kernelOf = ({ seat }: { seat: number }) => threads.crew.kernels[seat] as Kernel;
    const lookedAtBatches: LookedAt[] = [];
    const seatBatches: SeatBatch[] = [];
    for (const { seat, count, isChanged = false } of batches) {
      const kernel = kernelOf({ seat });
      const lookedAt = this.#lookAt({ kernel, names: this.#namesAt(seat), spans: kernel.spans, count });
      const { length } = lookedAt.records;
      lookedAtBatches.push(lookedAt);
      seatBatches.push({ seat, count: length, isChanged: isChanged || length < count || lookedAt.decided.size > 0 });
      if (lookedAt.failure) break;
    }
    const foundTexts = await (this.#seats as PassageSeats).find(seatBatches, threads);
    return foundTexts.map((texts, i) => {
      const { seat } = seatBatches[i] as SeatBatch;
      return this.#settle({ seat, kernel: kernelOf({ seat }) }, lookedAtBatches[i] as LookedAt, texts);
    });
  }

  #namesAt(seat: number): number {
    const { finder } = this.#options;
    return seat === OWN_SEAT ? finder.regions.names : (this.#seats as PassageSeats).regionsOf(seat).names;
  }

  /** Gives the records of a batch their verdicts. */
  #settle(
    { seat, kernel: { verdicts } }: { seat: number; kernel: Kernel },
    { records, decided: decisionsByRecord, failure: recordFailure }: LookedAt,
    { texts, failure = recordFailure }: FoundTexts,
  ): Observation {
    const { settings, counts } = this.#options;
    let missingKey = 0;
    for (const [i, text] of texts.entries()) {
      const decision = decisionsByRecord.get(i);
      if (decision !== undefined) {
        missingKey++;
        verdicts[i] = decision;
        continue;
      }
      const drops = isDropped(text, settings);
      (records[i] as FoundRecord).text = text;
      counts.add(text, drops);
      verdicts[i] = drops ? DUPLICATE : DISTINCT;
    }
    this.#records[seat] = records;
    return { taken: texts.length, exceptions: { missingKey }, ...(failure && { failure }) };
  }

  /** Decides about records whose text cannot be compared, up to one that ends the run. Their spans become empty. */
  #lookAt(batch: KeyedBatch): LookedAt {
    const { missingKey } = this.#options;
    const { spans, count } = batch;
    const ids = this.names && this.#idsOf(batch, this.names);
    const decisionsByRecord = new Map<number, number>();
    const records: FoundRecord[] = [];
    for (let i = 0; i < count; i++) {
      const problem = this.#problemOf(batch, i, ids && ids[i] === undefined);
      if (problem !== undefined) {
        if (missingKey === 'fail') return { records, decided: decisionsByRecord, failure: missing(problem) };
        decisionsByRecord.set(i, missingKey === 'drop' ? decisions.DROPPED : decisions.PASSED);
        spans[2 * i + 1] = spans[2 * i] as number;
      }
      records.push({ text: undefined, id: ids?.[i] });
    }
    return { records, decided: decisionsByRecord };
  }

  /** The names of the records with a key. */
  #idsOf(batch: KeyedBatch, names: RecordNames): (Uint8Array | undefined)[] {
    const { kernel, count } = batch;
    const ids: (Uint8Array | undefined)[] = [];
    for (let i = 0; ids.length < count; i++) {
      if (kernel.recordClasses[i] === recordClasses.KEYED.code) ids.push(names.nameOf(batch, i));
    }
    return ids;
  }

  /** Returns the reason why a text is not compared; undefined if it is. */
  #problemOf({ kernel, spans }: KeyedBatch, index: number, lacksId: boolean | undefined): string | undefined {
    const { settings, isJson } = this.#options;
    if (isJson && kernel.bytes[spans[2 * index] as number] !== QUOTE)
      return `the record has no text at ${settings.textKeys.join(', ')}, but another value`;
    return lacksId ? `the record has no name at ${settings.idKey}` : undefined;
  }
}
