// The verdicts of a run that keeps another document of a cluster than its first one. The first reading finds the clusters, and which of
// their members is the best so far; the second one gives each document its verdict. Memory has the best member of each document that the
// table remembers, and a file a byte for each document.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { Observation } from '../../framing/batch.js';
import type { ExceptionCounts } from '../../framing/counts.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
import { decisions } from '../../records/classes.js';
import { BufferedFile } from './bufferedfile.js';
import type { DocumentKeep } from './keep.js';
import { MemberNames } from './membernames.js';
import type { NameJson } from './names.js';
import type { FoundDocument } from './writers.js';

/** A document as its cluster compares it. */
export interface Member {
  /** The number of characters, or the bytes of the value that ranks it, which are compared in order; empty without a value. */
  rank: number | Uint8Array;
  /** Its name, if names are written. */
  name?: NameJson | undefined;
}

/** A member that is not the first of its cluster. */
export interface NearMember extends Member {
  /** The estimated similarity to the first document of the cluster. */
  similarity?: number | undefined;
}

/** The best member of a cluster. */
interface Best extends Pick<Member, 'rank'> {
  /** Its number among the documents of the run. */
  number: number;
  /** The number of the first document of the cluster. */
  first: number;
}

export interface MembersOptions {
  /** The number of documents that the table remembers. */
  capacity: number;
  folder: string;
  /** True if the names of dropped documents are written. */
  hasNames?: boolean;
}

/** The verdicts and decisions by their codes in the file. Those of policies have the reason too. */
const codes: readonly number[] = [DISTINCT, DUPLICATE, decisions.PASSED, decisions.DROPPED];
const REASONS = 4;
const reasons = [undefined, 'missingKey', 'invalid'] as const;

/** The reason why a policy decided about a document. */
type Reason = Exclude<(typeof reasons)[number], undefined>;

function codeOf(verdict: number, reason?: Reason): number {
  return REASONS * reasons.indexOf(reason) + codes.indexOf(verdict);
}

/** Tells if a rank is better. The first of equal ones stays, and no value is worse than any. */
function isBetter({ rule }: DocumentKeep, { rank }: Member, { rank: before }: Best): boolean {
  if (rule === 'last') return true;
  if (typeof rank === 'number' || typeof before === 'number') return rank > before;
  if (rank.length === 0 || before.length === 0) return rank.length > before.length;
  const order = Buffer.compare(rank, before);
  return rule === 'max' ? order > 0 : order < 0;
}

export class ClusterMembers {
  readonly #keep: DocumentKeep;
  readonly #capacity: number;
  /** A byte for each document. */
  readonly #codes: BufferedFile;
  readonly #names: MemberNames | undefined;
  /** The best members by the slots of the documents that were added last, as in the table. */
  readonly #best: Best[] = [];
  #next = 0;
  /** The dropped documents of the last batch of the second reading, if names are written. */
  found: readonly (FoundDocument | undefined)[] = [];
  /** Documents of the first reading, and of the second one so far. */
  #count = 0;
  #told = 0;
  /** Tells if a document has a value that ranks it. */
  #hasRanks = false;
  /** The error that ended the first reading before its inputs did. */
  #failure: FirstseenError | undefined;

  constructor(keep: DocumentKeep, { capacity, folder, hasNames = false }: MembersOptions) {
    this.#keep = keep;
    this.#capacity = capacity;
    this.#codes = new BufferedFile(folder);
    this.#names = hasNames ? new MemberNames(folder) : undefined;
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

  get hasNames(): boolean {
    return this.#names !== undefined;
  }

  get isWhole(): boolean {
    return this.#told === this.#count;
  }

  /** Adds a document that the table has added. */
  addFirst(member: Member): void {
    const { rank } = member;
    this.#best[this.#next] = { rank, number: this.#count, first: this.#count };
    this.#next = (this.#next + 1) % this.#capacity;
    this.#names?.add({ name: member.name as NameJson, first: this.#count, similarity: 1 });
    this.#add(member, DISTINCT);
  }

  /** Adds a document that is near the one of this age, 1 for the document that was added last. */
  addNear(age: number, member: NearMember): void {
    const best = this.#best[(this.#next - age + this.#best.length) % this.#best.length] as Best;
    const { name, similarity } = member;
    this.#names?.add({ name: name as NameJson, first: best.first, similarity: similarity as number });
    if (!isBetter(this.#keep, member, best)) {
      this.#add(member, DUPLICATE);
      return;
    }
    this.#codes.replace(Uint8Array.of(codeOf(DUPLICATE)), best.number);
    this.#names?.keepInstead(best.first, this.#count);
    best.rank = member.rank;
    best.number = this.#count;
    this.#add(member, DISTINCT);
  }

  /** Adds a document about which a policy decided. */
  addException(decision: number, reason: Reason): void {
    this.#names?.addNone();
    this.#append(codeOf(decision, reason));
  }

  endAt(failure: FirstseenError): void {
    this.#failure = failure;
  }

  /** Writes the verdicts of the next `count` documents of the second reading. Undefined if the first one had fewer. */
  tell(count: number, verdicts: Uint8Array): Observation | undefined {
    const takenDocuments = Math.min(count, this.#count - this.#told);
    const exceptions: Partial<ExceptionCounts> = {};
    for (const [i, code] of this.#codes.read(takenDocuments, this.#told).entries()) {
      verdicts[i] = codes[code % REASONS] as number;
      const reason = reasons[Math.floor(code / REASONS)];
      if (reason) exceptions[reason] = (exceptions[reason] ?? 0) + 1;
    }
    if (this.#names) this.found = this.#droppedAmong(verdicts.subarray(0, takenDocuments), this.#names);
    this.#told += takenDocuments;
    if (takenDocuments === count) return { taken: takenDocuments, exceptions };
    return this.#failure && { taken: takenDocuments, exceptions, failure: this.#failure };
  }

  close(): void {
    this.#codes.close();
    this.#names?.close();
  }

  /** The dropped ones among the next documents of the second reading; undefined for the others. */
  #droppedAmong(verdicts: Uint8Array, names: MemberNames): (FoundDocument | undefined)[] {
    return Array.from(verdicts, (verdict, i) => (verdict === DUPLICATE ? names.dropped(this.#told + i) : undefined));
  }

  #add({ rank }: Member, verdict: number): void {
    if (typeof rank !== 'number' && rank.length > 0) this.#hasRanks = true;
    this.#append(codeOf(verdict));
  }

  #append(code: number): void {
    this.#codes.append(Uint8Array.of(code));
    this.#count++;
  }
}
