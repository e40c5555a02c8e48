// Gives the records of a batch their verdicts, from the passages of their texts that were seen.

import { FirstseenError } from '../../base/errors.js';
import type { Observation } from '../../framing/batch.js';
import { policyRemedy } from '../../framing/exceptions.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import { decisions, recordClasses } from '../../records/classes.js';
import type { MissingKeyPolicy } from '../../records/policies.js';
import type { FoundText, PassageFinder } from './finder.js';
import { QUOTE } from './place.js';
import type { RecordNames } from './recordname.js';
import type { PassageSettings } from './settings.js';

/** Counts of a run. */
export class PassageCounts {
  documents = 0;
  documentsWithSeen = 0;
  documentsDropped = 0;
  passages = 0;
  seen = 0;
  characters = 0;
  seenCharacters = 0;

  add(text: FoundText, isDropped: boolean): void {
    this.documents++;
    this.passages += text.passages;
    this.seen += text.seenPassages;
    this.characters += text.characters;
    this.seenCharacters += text.seenCharacters;
    if (text.seenPassages > 0) this.documentsWithSeen++;
    if (isDropped) this.documentsDropped++;
  }
}

/** What is known of a record of the batch that has a key. */
export interface FoundRecord {
  /** Undefined for a record that was passed on unchecked. */
  text: FoundText | undefined;
  /** The name of the record as JSON, for `spans`. */
  id: Uint8Array | undefined;
}

/** How many records are looked up, the decisions about those that are not compared, and why no more are. */
interface LookedAt {
  taken: number;
  decided: ReadonlyMap<number, number>;
  failure?: FirstseenError;
}

export interface PassageObserverOptions {
  kernel: Kernel;
  finder: PassageFinder;
  settings: PassageSettings;
  /** Whether texts are JSON: others have no quotes. */
  isJson: boolean;
  missingKey: MissingKeyPolicy;
  counts: PassageCounts;
}

function missing(problem: string): FirstseenError {
  return new FirstseenError('E_KEY_MISSING', problem, { remedy: policyRemedy('KEY_MISSING') });
}

/** Widens a span to where quotes would be, which the kernel leaves out. */
function addQuotes(spans: Uint32Array, index: number): void {
  spans[2 * index] = (spans[2 * index] as number) - 1;
  spans[2 * index + 1] = (spans[2 * index + 1] as number) + 1;
}

/** Whether the record of a text is dropped. */
function isDropped({ characters, seenCharacters }: FoundText, settings: PassageSettings): boolean {
  const { emit, minDocument, documentShare } = settings;
  if (emit === 'rewritten') return characters - seenCharacters < minDocument;
  return emit === 'documents' && characters > 0 && seenCharacters / characters >= documentShare;
}

export class PassageObserver {
  /** The records of the last batch that have a key. */
  records: FoundRecord[] = [];
  /** The names of records, if they are written. */
  names: RecordNames | undefined;
  readonly #options: PassageObserverOptions;

  constructor(options: PassageObserverOptions) {
    this.#options = options;
  }

  observe(count: number): Observation {
    const { kernel, finder, settings, counts } = this.#options;
    const { taken, decided, failure: missed } = this.#lookAt(count);
    const { texts, failure = missed } = finder.find(taken);
    let missingKey = 0;
    for (const [i, text] of texts.entries()) {
      const decision = decided.get(i);
      if (decision !== undefined) {
        missingKey++;
        kernel.verdicts[i] = decision;
        continue;
      }
      const drops = isDropped(text, settings);
      (this.records[i] as FoundRecord).text = text;
      counts.add(text, drops);
      kernel.verdicts[i] = drops ? DUPLICATE : DISTINCT;
    }
    return { taken: texts.length, exceptions: { missingKey }, ...(failure && { failure }) };
  }

  /** Decides about records whose text cannot be compared, up to one that ends the run. */
  #lookAt(count: number): LookedAt {
    const { finder, isJson, missingKey } = this.#options;
    const spans = finder.copySpans(count);
    const ids = this.names && this.#ids(count, this.names);
    const decided = new Map<number, number>();
    this.records = [];
    for (let i = 0; i < count; i++) {
      const start = spans[2 * i] as number;
      if (!isJson) addQuotes(spans, i);
      const problem = this.#problemOf(start, ids && ids[i] === undefined);
      if (problem !== undefined) {
        if (missingKey === 'fail') return { taken: i, decided, failure: missing(problem) };
        decided.set(i, missingKey === 'drop' ? decisions.DROPPED : decisions.PASSED);
        spans[2 * i + 1] = spans[2 * i] as number;
      }
      this.records.push({ text: undefined, id: ids?.[i] });
    }
    return { taken: count, decided };
  }

  /** The names of the first records with a key. */
  #ids(count: number, names: RecordNames): (Uint8Array | undefined)[] {
    const { kernel } = this.#options;
    const ids: (Uint8Array | undefined)[] = [];
    for (let i = 0; ids.length < count; i++) {
      if (kernel.recordClasses[i] === recordClasses.KEYED.code) ids.push(names.nameOf(i));
    }
    return ids;
  }

  /** Why a text is not compared, if it is not. */
  #problemOf(start: number, lacksId: boolean | undefined): string | undefined {
    const { kernel, settings, isJson } = this.#options;
    if (isJson && kernel.bytes[start] !== QUOTE)
      return `the record has no text at ${settings.textKey}, but another value`;
    return lacksId ? `the record has no name at ${settings.idKey}` : undefined;
  }
}
