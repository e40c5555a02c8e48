// The counts of a run. Only the counter changes them.

/** Counts of records without a usable key. */
export interface ExceptionCounts {
  /** Records without a value for the key. */
  missingKey: number;
  /** Records whose key is empty. */
  emptyKey: number;
  /** Records that are invalid in their format. */
  invalid: number;
  /** Records that are longer than allowed. */
  tooLong: number;
  /** Records of types that are not compared. */
  notCompared: number;
}

/** Counts of the records of a batch. */
export interface RecordCounts extends ExceptionCounts {
  /** Records that were read. */
  records: number;
  /** Records that were reported distinct. */
  distinct: number;
  /** Records that were reported duplicate. */
  duplicates: number;
  /** Written without a key, despite an error, or without being compared. */
  passed: number;
  /** Not written, because of a missing or empty key or an error. */
  dropped: number;
  /** Left to other shards, blank lines included. They are not among the records. */
  skipped: number;
}

/** Counts over some or all inputs of a run, or over several runs. */
export interface RunCounts extends RecordCounts {
  /** Bytes of input. */
  bytesIn: number;
  /** Bytes that were written to the main output. */
  bytesOut: number;
}

export const noCounts: Readonly<RunCounts> = {
  records: 0,
  distinct: 0,
  duplicates: 0,
  passed: 0,
  dropped: 0,
  skipped: 0,
  missingKey: 0,
  emptyKey: 0,
  invalid: 0,
  tooLong: 0,
  notCompared: 0,
  bytesIn: 0,
  bytesOut: 0,
};

export function addCounts(some: Readonly<RunCounts>, others: Readonly<RunCounts>): RunCounts {
  const names = Object.keys(noCounts) as (keyof RunCounts)[];
  return Object.fromEntries(names.map((name) => [name, some[name] + others[name]])) as unknown as RunCounts;
}

/** Counts what this process does. */
export class Counter {
  readonly #counts: RunCounts = { ...noCounts };

  get counts(): Readonly<RunCounts> {
    return this.#counts;
  }

  addRecords(added: Partial<RecordCounts>): void {
    for (const [name, count] of Object.entries(added) as [keyof RecordCounts, number][]) this.#counts[name] += count;
  }

  /** Adds bytes of input; negative when bytes are given back. */
  addBytesIn(bytes: number): void {
    this.#counts.bytesIn += bytes;
  }

  /** @param bytes number of bytes that this process has written to the main output */
  setBytesOut(bytes: number): void {
    this.#counts.bytesOut = bytes;
  }

  snapshot(): RunCounts {
    return { ...this.#counts };
  }
}
