// One output of a run: records are selected by verdict and gathered in kernel memory. One buffer is filled while the other is
// written.

import type { OutputPosition, Sink } from '../io/sink.js';
import { DISTINCT, DUPLICATE, WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED } from '../kernel/abi.js';
import { bytesBetween } from '../kernel/bytes.js';
import type { Kernel } from '../kernel/kernel.js';
import { decisions } from '../records/classes.js';
import type { Crew } from '../threads/crew.js';
import type { RecordWriter } from './job.js';
import { CHUNK_BYTES, type Region } from './regions.js';

const NEWLINE = 0x0a;

/** Masks for the kernel's `compact`: the verdicts that an output wants. */
export { WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED } from '../kernel/abi.js';

/** A byte for each record instead of its text: 1 if its verdict is in the mask, otherwise 0. */
export interface RowMask {
  readonly rowMask: number;
}

/** A mask of verdicts, the verdicts themselves as lines of text, or all records with the findings of the job. */
export type Wanted = number | 'verdicts' | RecordWriter | RowMask;

function isRowMask(wanted: Wanted): wanted is RowMask {
  return typeof wanted === 'object' && 'rowMask' in wanted;
}

/** Whether a verdict is in a mask, as in the kernel's `compact`. */
function isWanted(verdict: number, mask: number): boolean {
  if (verdict === DISTINCT) return (mask & WANTED_DISTINCT) !== 0;
  if (verdict === DUPLICATE) return (mask & WANTED_DUPLICATES) !== 0;
  return (verdict === decisions.PASSED || verdict === decisions.COPIED) && (mask & WANTED_PASSED) !== 0;
}

function markRows({ bytes, verdicts }: Kernel, count: number, mask: number, at: number): number {
  for (let i = 0; i < count; i++) bytes[at + i] = isWanted(verdicts[i] as number, mask) ? 1 : 0;
  return at + count;
}

/** The first `taken` records in the memory of a thread, which have verdicts. */
export interface RecordBatch {
  seat: number;
  kernel: Kernel;
  taken: number;
}

export interface OutputOptions {
  kernel: Kernel;
  sink: Sink;
  buffers: [Region, Region];
  wanted: Wanted;
  /** Called before bytes are passed to the sink, which get nothing if it throws. */
  beforeWrite?: (() => void) | undefined;
  /** Whether the last record was written without a newline. */
  owesNewline?: boolean;
}

export class Output {
  readonly wanted: Wanted;
  /** Bytes appended by this process, before compression. */
  bytes = 0;
  readonly #kernel: Kernel;
  readonly #sink: Sink;
  #filling: Region;
  #spare: Region;
  /** Address after the last byte appended. */
  #end: number;
  #writing: Promise<void> = Promise.resolve();
  #owesNewline: boolean;
  #endsInRecord = false;
  readonly #beforeWrite: (() => void) | undefined;

  constructor({ kernel, sink, buffers, wanted, beforeWrite, owesNewline = false }: OutputOptions) {
    this.#kernel = kernel;
    this.#sink = sink;
    [this.#filling, this.#spare] = buffers;
    this.#end = this.#filling.offset;
    this.wanted = wanted;
    this.#beforeWrite = beforeWrite;
    this.#owesNewline = owesNewline;
  }

  wants(mask: number): boolean {
    const { wanted } = this;
    if (typeof wanted === 'number') return (wanted & mask) !== 0;
    if (isRowMask(wanted)) return false;
    // A writer's output gets every record, also those written in pieces, which have no findings.
    return wanted !== 'verdicts';
  }

  /** Appends the wanted part of the first `count` records, whose verdicts are in the kernel. */
  async appendRecords(count: number, kernel: Kernel = this.#kernel): Promise<void> {
    const { wanted } = this;
    if (isRowMask(wanted)) await this.#append((at) => markRows(kernel, count, wanted.rowMask, at));
    else if (typeof wanted === 'object') await this.appendBytes(wanted.records(count));
    else
      await this.#append((at) => {
        const { writeVerdicts, compact } = kernel.exports;
        return wanted === 'verdicts' ? writeVerdicts(count, at) : compact(count, wanted, at);
      });
  }

  /** Appends what is wanted of batches in the memories of threads, whose records the threads copy side by side. */
  async appendBatches(batches: readonly RecordBatch[], crew: Crew): Promise<void> {
    const { wanted } = this;
    if (typeof wanted !== 'number') {
      for (const { taken, kernel } of batches) await this.appendRecords(taken, kernel);
      return;
    }
    await this.#append(async (at) => {
      let end = at;
      const tasks = batches.map(({ taken, kernel, seat }) => {
        const target = end;
        end += kernel.exports.compactedBytes(taken, wanted) >>> 0;
        return { seat, calls: [{ name: 'compact', parameters: [taken, wanted, target] }] };
      });
      await crew.run(tasks);
      return end;
    });
  }

  /** Appends the header of the inputs; an output of verdicts has none. */
  async appendHeader(header: Uint8Array): Promise<void> {
    if (this.wanted === 'verdicts' || isRowMask(this.wanted)) return;
    await this.appendBytes(typeof this.wanted === 'object' ? this.wanted.header(header) : header);
  }

  /** Appends bytes unchanged, such as a part of a record too long to be framed. */
  async appendBytes(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
      const part = bytes.subarray(from, from + CHUNK_BYTES);
      await this.#append((at) => {
        this.#kernel.bytes.set(part, at);
        return at + part.length;
      });
    }
  }

  /** In an output of verdicts or rows, appends the line or byte of a record that was never framed. */
  async appendVerdict(verdict: number): Promise<void> {
    if (this.wanted !== 'verdicts' && !isRowMask(this.wanted)) return;
    this.#kernel.verdicts[0] = verdict;
    await this.appendRecords(1);
  }

  /** Ends an input. If its last record had no newline, one must precede the first record of the next input. */
  endInput(isText: boolean): void {
    if (isText && this.#endsInRecord && !isRowMask(this.wanted)) this.#owesNewline = true;
    this.#endsInRecord = false;
  }

  /** Passes everything appended to the sink and waits for it. */
  async flush(): Promise<void> {
    await this.#swap();
    await this.#writing;
  }

  /** Makes everything appended as safe as the sink can; a later run can continue from the returned position. */
  async checkpoint(): Promise<OutputPosition> {
    await this.flush();
    await this.#sink.commit();
    return { sink: this.#sink.position(), owesNewline: this.#owesNewline };
  }

  /**
   * @param isWhole whether the run reached its end
   * @returns the position at which a later run continues
   */
  async end(isWhole: boolean): Promise<OutputPosition> {
    try {
      await this.flush();
      return { sink: await this.#sink.close(isWhole), owesNewline: this.#owesNewline };
    } catch (error) {
      // The error to report is the first one.
      await this.#sink.abandon().catch(() => undefined);
      throw error;
    }
  }

  async #append(fill: (at: number) => number | Promise<number>): Promise<void> {
    const start = this.#end;
    const at = start + (this.#owesNewline ? 1 : 0);
    const end = (await fill(at)) >>> 0;
    if (end === at) return;
    if (this.#owesNewline) this.#kernel.bytes[start] = NEWLINE;
    this.#owesNewline = false;
    this.#endsInRecord = this.#kernel.bytes[end - 1] !== NEWLINE;
    this.bytes += end - start;
    this.#end = end;
    if (this.#end - this.#filling.offset >= CHUNK_BYTES) await this.#swap();
  }

  async #swap(): Promise<void> {
    await this.#writing;
    this.#beforeWrite?.();
    const bytes = bytesBetween(this.#kernel, this.#filling.offset, this.#end);
    [this.#filling, this.#spare] = [this.#spare, this.#filling];
    this.#end = this.#filling.offset;
    this.#writing = this.#sink.write(bytes);
    // The next swap or flush reports an error of the write. This handler prevents an unhandled rejection before that.
    this.#writing.catch(() => undefined);
  }
}
