// The counts of a run. Only the counter changes them.

/** Counts of records without a usable key. */
export interface ExceptionCounts {
  missingKey: number;
  emptyKey: number;
  invalid: number;
  tooLong: number;
}

/** Counts of the records of a batch. */
export interface RecordCounts extends ExceptionCounts {
  records: number;
  distinct: number;
  duplicates: number;
  /** Written without a key, or despite an error. */
  passed: number;
  dropped: number;
}

/** Counts of a run, over all its inputs and resumptions. */
export interface RunCounts extends RecordCounts {
  bytesIn: number;
  bytesOut: number;
}

export const noCounts: Readonly<RunCounts> = {
  records: 0,
  distinct: 0,
  duplicates: 0,
  passed: 0,
  dropped: 0,
  missingKey: 0,
  emptyKey: 0,
  invalid: 0,
  tooLong: 0,
  bytesIn: 0,
  bytesOut: 0,
};

export class Counter {
  readonly #before: Readonly<RunCounts>;
  readonly #counts: RunCounts;

  /** @param before counts of earlier processes of the same run */
  constructor(before: Readonly<RunCounts> = noCounts) {
    this.#before = { ...before };
    this.#counts = { ...before };
  }

  get counts(): Readonly<RunCounts> {
    return this.#counts;
  }

  /** Records that this process has read. */
  get recordsHere(): number {
    return this.#counts.records - this.#before.records;
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
    this.#counts.bytesOut = this.#before.bytesOut + bytes;
  }

  snapshot(): RunCounts {
    return { ...this.#counts };
  }
}
