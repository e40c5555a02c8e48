// The verdicts of a run that keeps another document of a cluster than its first one. The first reading finds the clusters, and which of
// their members is the best so far; the second one gives each document its verdict. Memory has the best member of each document that the
// table remembers, and a file a byte for each document.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { Observation } from '../../framing/batch.js';
import type { ExceptionCounts } from '../../framing/counts.js';
import { SpillFile } from '../../io/file/spillfile.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
import { decisions } from '../../records/classes.js';
import type { DocumentKeep } from './keep.js';

/** A document as its cluster compares it. */
export interface Member {
  /** The number of characters, or the bytes of the value that ranks it, which are compared in order; empty without a value. */
  rank: number | Uint8Array;
}

/** The best member of a cluster. */
interface Best extends Member {
  /** Its number among the documents of the run. */
  number: number;
}

/** The verdicts and decisions by their codes in the file. Those of policies have the reason too. */
const codes: readonly number[] = [DISTINCT, DUPLICATE, decisions.PASSED, decisions.DROPPED];
const REASONS = 4;
const reasons = [undefined, 'missingKey', 'invalid'] as const;

/** Why a policy decided about a document. */
type Reason = Exclude<(typeof reasons)[number], undefined>;

function codeOf(verdict: number, reason?: Reason): number {
  return REASONS * reasons.indexOf(reason) + codes.indexOf(verdict);
}

const BUFFER_BYTES = 2 ** 16;

/** Tells if a rank is better. The first of equal ones stays, and no value is worse than any. */
function isBetter({ rule }: DocumentKeep, { rank }: Member, { rank: before }: Member): boolean {
  if (rule === 'last') return true;
  if (typeof rank === 'number' || typeof before === 'number') return rank > before;
  if (rank.length === 0 || before.length === 0) return rank.length > before.length;
  const order = Buffer.compare(rank, before);
  return rule === 'max' ? order > 0 : order < 0;
}

export class ClusterMembers {
  readonly #keep: DocumentKeep;
  readonly #capacity: number;
  readonly #file: SpillFile;
  /** The best members by the slots of the documents that were added last, as in the table. */
  readonly #best: Best[] = [];
  #next = 0;
  /** The verdicts after those in the file. */
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #buffered = 0;
  /** Documents of the first reading, and of the second one so far. */
  #count = 0;
  #told = 0;
  /** Tells if a document has a value that ranks it. */
  #hasRanks = false;
  /** Why the first reading ended before its inputs did. */
  #failure: FirstseenError | undefined;

  constructor(keep: DocumentKeep, { capacity, folder }: { capacity: number; folder: string }) {
    this.#keep = keep;
    this.#capacity = capacity;
    this.#file = new SpillFile(folder);
  }

  get keep(): DocumentKeep {
    return this.#keep;
  }

  /** @throws FirstseenError E_KEY_MISSING when documents are ranked by a field that none of them has. */
  checkRanks(): void {
    const { field } = this.#keep;
    if (field === undefined || this.#count === 0 || this.#hasRanks) return;
    throw new FirstseenError('E_KEY_MISSING', `no record has a value for ${field}`, {
      option: 'keep',
      remedy: phrase`check the name of the field in ${optionName('keep')}`,
    });
  }

  get isWhole(): boolean {
    return this.#told === this.#count;
  }

  /** Adds a document that the table has added. */
  addFirst(member: Member): void {
    this.#best[this.#next] = { ...member, number: this.#count };
    this.#next = (this.#next + 1) % this.#capacity;
    this.#add(member, DISTINCT);
  }

  /** Adds a document that is near the one of this age, 1 for the document that was added last. */
  addNear(age: number, member: Member): void {
    const best = this.#best[(this.#next - age + this.#best.length) % this.#best.length] as Best;
    if (!isBetter(this.#keep, member, best)) {
      this.#add(member, DUPLICATE);
      return;
    }
    this.#replace(best.number, DUPLICATE);
    best.rank = member.rank;
    best.number = this.#count;
    this.#add(member, DISTINCT);
  }

  /** Adds a document about which a policy decided. */
  addException(decision: number, reason: Reason): void {
    this.#append(codeOf(decision, reason));
  }

  endAt(failure: FirstseenError): void {
    this.#failure = failure;
  }

  /** Writes the verdicts of the next `count` documents of the second reading. Undefined if the first one had fewer. */
  tell(count: number, verdicts: Uint8Array): Observation | undefined {
    this.#flush();
    const found = new Uint8Array(Math.min(count, this.#count - this.#told));
    this.#file.read(found, this.#told);
    this.#told += found.length;
    const exceptions: Partial<ExceptionCounts> = {};
    for (const [i, code] of found.entries()) {
      verdicts[i] = codes[code % REASONS] as number;
      const reason = reasons[Math.floor(code / REASONS)];
      if (reason) exceptions[reason] = (exceptions[reason] ?? 0) + 1;
    }
    if (found.length === count) return { taken: count, exceptions };
    return this.#failure && { taken: found.length, exceptions, failure: this.#failure };
  }

  close(): void {
    this.#file.close();
  }

  #add({ rank }: Member, verdict: number): void {
    if (typeof rank !== 'number' && rank.length > 0) this.#hasRanks = true;
    this.#append(codeOf(verdict));
  }

  #append(code: number): void {
    if (this.#buffered === BUFFER_BYTES) this.#flush();
    this.#buffer[this.#buffered++] = code;
    this.#count++;
  }

  #replace(number: number, verdict: number): void {
    const code = codeOf(verdict);
    if (number < this.#file.bytes) this.#file.write(Uint8Array.of(code), number);
    else this.#buffer[number - this.#file.bytes] = code;
  }

  #flush(): void {
    if (this.#buffered > 0) this.#file.append(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }
}
