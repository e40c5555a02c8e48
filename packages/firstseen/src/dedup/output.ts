// One output of a run: records picked by verdict, gathered in kernel memory and written from there, one buffer filling
// while the other is on its way out.

import type { Kernel } from '../kernel/kernel.js';
import type { Annotator } from './job.js';
import { bytesBetween, CHUNK_BYTES, type Region } from './regions.js';
import type { Sink, SinkPosition } from './sink.js';

const NEWLINE = 0x0a;

/** Masks for the kernel's `compact`: which verdicts an output wants. */
export { WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED } from '../kernel/abi.js';

/** A mask of verdicts, the verdicts themselves as lines of text, or every record with what was found of it. */
export type Wanted = number | 'verdicts' | Annotator;

export interface OutputOptions {
  kernel: Kernel;
  sink: Sink;
  buffers: [Region, Region];
  wanted: Wanted;
  position: SinkPosition;
}

export class Output {
  readonly wanted: Wanted;
  /** Bytes appended in this process, before compression. */
  bytes = 0;
  readonly #kernel: Kernel;
  readonly #sink: Sink;
  #filling: Region;
  #spare: Region;
  /** Address behind the last byte appended. */
  #end: number;
  #writing: Promise<void> = Promise.resolve();
  #owesNewline: boolean;
  #endsInRecord = false;

  constructor({ kernel, sink, buffers, wanted, position }: OutputOptions) {
    this.#kernel = kernel;
    this.#sink = sink;
    [this.#filling, this.#spare] = buffers;
    this.#end = this.#filling.offset;
    this.wanted = wanted;
    this.#owesNewline = position.owesNewline;
  }

  wants(mask: number): boolean {
    const { wanted } = this;
    if (typeof wanted === 'number') return (wanted & mask) !== 0;
    // Every record goes to an annotator's output, also those in pieces, of which there is nothing to say.
    return wanted !== 'verdicts';
  }

  /** Appends what it wants of the first `count` records, whose verdicts stand in the kernel. */
  async appendRecords(count: number): Promise<void> {
    const { wanted } = this;
    if (typeof wanted === 'object') await this.appendBytes(wanted.records(count));
    else
      await this.#append((at) => {
        const { writeVerdicts, compact } = this.#kernel.exports;
        return wanted === 'verdicts' ? writeVerdicts(count, at) : compact(count, wanted, at);
      });
  }

  /** Appends the header of the inputs; verdicts have none. */
  async appendHeader(header: Uint8Array): Promise<void> {
    if (this.wanted === 'verdicts') return;
    await this.appendBytes(typeof this.wanted === 'object' ? this.wanted.header(header) : header);
  }

  /** Appends bytes as they are, such as part of a record too long to be framed. */
  async appendBytes(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
      const part = bytes.subarray(from, from + CHUNK_BYTES);
      await this.#append((at) => {
        this.#kernel.bytes.set(part, at);
        return at + part.length;
      });
    }
  }

  /** Where the verdicts go out, the line of a record that was never framed. */
  async appendVerdict(verdict: number): Promise<void> {
    if (this.wanted !== 'verdicts') return;
    this.#kernel.verdicts[0] = verdict;
    await this.appendRecords(1);
  }

  /** The input has ended: a record without newline owes one to the record that may follow from the next input. */
  endInput(isText: boolean): void {
    if (isText && this.#endsInRecord) this.#owesNewline = true;
    this.#endsInRecord = false;
  }

  /** Hands everything appended to the sink and waits for it. */
  async flush(): Promise<void> {
    await this.#swap();
    await this.#writing;
  }

  /** Everything appended is as safe as the sink can make it; from here a later run can go on. */
  async checkpoint(): Promise<SinkPosition> {
    await this.flush();
    await this.#sink.sync();
    return { ...this.#sink.position(), owesNewline: this.#owesNewline };
  }

  async end(): Promise<void> {
    await this.flush();
    await this.#sink.end();
  }

  async #append(fill: (at: number) => number): Promise<void> {
    const start = this.#end;
    const at = start + (this.#owesNewline ? 1 : 0);
    const end = (fill(at) >>> 0) as number;
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
    const bytes = bytesBetween(this.#kernel, this.#filling.offset, this.#end);
    [this.#filling, this.#spare] = [this.#spare, this.#filling];
    this.#end = this.#filling.offset;
    this.#writing = this.#sink.write(bytes);
    // The next swap or flush meets its error; until then nobody may be there to hear it.
    this.#writing.catch(() => undefined);
  }
}
