// An output of text: the selected records are gathered in kernel memory, one after the other as they came. One buffer is filled
// while the other is written.

import { bytesBetween } from '../../kernel/bytes.js';
import { decisions } from '../../records/classes.js';
import { NEWLINE } from '../../records/formats.js';
import type { Crew } from '../../threads/crew.js';
import {
  CHUNK_BYTES,
  forSelected,
  type RecordBatch,
  type Selection,
  type Sink,
  type SinkPosition,
  type SinkRequest,
  wantsSelected,
} from '../sink.js';
import type { ByteSink } from './bytesink.js';

/** The part of a position that a text adds to the position of its bytes. */
interface TextPosition {
  /** The last record had no newline, so one must precede the next record. */
  owesNewline: boolean;
}

export class TextSink implements Sink {
  /** Bytes appended by this process, before compression. */
  bytes = 0;
  readonly #kernel: SinkRequest['kernel'];
  readonly #selection: Selection;
  readonly #beforeWrite: (() => void) | undefined;
  readonly #sink: ByteSink;
  /** The addresses of the buffers. */
  #filling: number;
  #spare: number;
  /** Address after the last byte appended. */
  #end: number;
  #writing: Promise<void> = Promise.resolve();
  #owesNewline: boolean;
  #endsInRecord = false;
  /** The addresses after the records in the buffer that is filled, for an output with a member for each. */
  #recordEnds: number[] = [];
  readonly #hasRecordMembers: boolean;
  readonly #keepsLineEnd: boolean;
  /** The byte that ends a record. */
  readonly #terminator: number;

  constructor(sink: ByteSink, request: SinkRequest) {
    const { kernel, buffers, selection, beforeWrite, position, keepsLineEnd = false, terminator = NEWLINE } = request;
    this.#hasRecordMembers = request.hasRecordMembers ?? false;
    this.#sink = sink;
    this.#kernel = kernel;
    this.#selection = selection;
    this.#beforeWrite = beforeWrite;
    [this.#filling, this.#spare] = buffers;
    this.#end = this.#filling;
    this.#keepsLineEnd = keepsLineEnd;
    this.#terminator = selection === 'verdicts' ? NEWLINE : terminator;
    this.#owesNewline = (position as TextPosition | undefined)?.owesNewline ?? false;
  }

  wants(mask: number): boolean {
    return wantsSelected(this.#selection, mask);
  }

  async append(batches: readonly RecordBatch[], crew?: Crew): Promise<void> {
    if (crew && typeof this.#selection === 'number') return this.#compactOnThreads(batches, this.#selection, crew);
    for (const batch of batches) await this.#appendBatch(batch);
  }

  async #appendBatch(batch: RecordBatch): Promise<void> {
    const { taken: recordCount, kernel } = batch;
    const selection = this.#selection;
    if (typeof selection === 'object') return this.appendBytes(selection.records(batch), selection.recordEnds);
    const { writeVerdicts, compact } = kernel.exports;
    return this.#append((at) => {
      if (selection === 'verdicts') return writeVerdicts(recordCount, at);
      this.#noteEnds([batch], selection, at);
      return compact(recordCount, selection, at);
    });
  }

  /** Notes where the records of batches end that are copied from here on. The blank lines before a record are a part of its member. */
  #noteEnds(batches: readonly RecordBatch[], mask: number, from: number): void {
    if (!this.#hasRecordMembers) return;
    let end = from;
    for (const batch of batches) {
      const { recordStarts, recordEnds, verdicts } = batch.kernel;
      forSelected(batch, mask, (i) => {
        end += (recordEnds[i] as number) - (recordStarts[i] as number);
        if (verdicts[i] !== decisions.COPIED) this.#recordEnds.push(end);
      });
    }
  }

  /** The threads copy the records of their batches side by side. */
  #compactOnThreads(batches: readonly RecordBatch[], mask: number, crew: Crew): Promise<void> {
    return this.#append(async (at) => {
      let end = at;
      this.#noteEnds(batches, mask, at);
      const tasks = batches.map(({ taken: recordCount, kernel, seat }) => {
        const target = end;
        end += kernel.exports.compactedBytes(recordCount, mask) >>> 0;
        return { seat, calls: [{ name: 'compact', parameters: [recordCount, mask, target] }] };
      });
      await crew.run(tasks);
      return end;
    });
  }

  async appendBefore(lines: Uint8Array): Promise<void> {
    const selection = this.#selection;
    if (selection === 'verdicts' || lines.length === 0) return;
    await this.appendBytes(typeof selection === 'object' ? (selection.linesBefore?.(lines) ?? lines) : lines);
  }

  /** An output of verdicts has no header. */
  async appendHeader(header: Uint8Array): Promise<void> {
    const selection = this.#selection;
    if (selection === 'verdicts') return;
    await this.appendBytes(typeof selection === 'object' ? selection.header(header) : header);
  }

  /** @param recordEnds the offset after each record that ends in the bytes, for an output with a member for each */
  async appendBytes(bytes: Uint8Array, recordEnds: readonly number[] = []): Promise<void> {
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
      const part = bytes.subarray(from, from + CHUNK_BYTES);
      const partEnds = recordEnds.filter((end) => end > from && end <= from + part.length);
      await this.#append((at) => {
        this.#kernel.bytes.set(part, at);
        this.#recordEnds.push(...partEnds.map((end) => at + end - from));
        return at + part.length;
      });
    }
  }

  async appendVerdict(verdict: number): Promise<void> {
    const selection = this.#selection;
    if (typeof selection === 'object' && selection.inPlaceOfPieces) {
      return this.appendBytes(selection.inPlaceOfPieces(verdict));
    }
    if (selection !== 'verdicts') return this.#endPieces();
    this.#kernel.verdicts[0] = verdict;
    await this.#appendBatch({ seat: 0, kernel: this.#kernel, taken: 1 });
  }

  /** Ends a record whose parts were appended, if they were. */
  #endPieces(): void {
    if (this.#hasRecordMembers && this.#end !== (this.#recordEnds.at(-1) ?? 0)) this.#recordEnds.push(this.#end);
  }

  endInput(isText: boolean): void {
    if (isText && this.#endsInRecord) this.#owesNewline = true;
    this.#endsInRecord = false;
  }

  async flush(): Promise<void> {
    await this.#swap();
    await this.#writing;
  }

  async commit(): Promise<SinkPosition> {
    await this.flush();
    return this.#positionAt(await this.#sink.commit());
  }

  async close(isWhole: boolean): Promise<SinkPosition> {
    try {
      if (isWhole && !this.#keepsLineEnd) await this.#endLastLine();
      await this.flush();
      return this.#positionAt(await this.#sink.close(isWhole));
    } catch (error) {
      // The error to report is the first one.
      await this.abort().catch(() => undefined);
      throw error;
    }
  }

  async abort(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#sink.abort();
  }

  /** Ends the last record. Otherwise whatever is appended to the output later would be a part of it. */
  async #endLastLine(): Promise<void> {
    if (!this.#owesNewline) return;
    this.#owesNewline = false;
    await this.appendBytes(Uint8Array.of(this.#terminator));
  }

  #positionAt(bytes: SinkPosition): SinkPosition & TextPosition {
    return { ...bytes, owesNewline: this.#owesNewline };
  }

  async #append(fill: (at: number) => number | Promise<number>): Promise<void> {
    const start = this.#end;
    const at = start + (this.#owesNewline ? 1 : 0);
    const end = (await fill(at)) >>> 0;
    if (end === at) return;
    if (this.#owesNewline) this.#kernel.bytes[start] = this.#terminator;
    this.#owesNewline = false;
    this.#endsInRecord = this.#kernel.bytes[end - 1] !== this.#terminator;
    this.bytes += end - start;
    this.#end = end;
    if (this.#end - this.#filling >= CHUNK_BYTES) await this.#swap();
  }

  async #swap(): Promise<void> {
    await this.#writing;
    this.#beforeWrite?.();
    const bytes = bytesBetween(this.#kernel, this.#filling, this.#end);
    const recordEnds = this.#recordEnds.map((end) => end - this.#filling);
    this.#recordEnds = [];
    [this.#filling, this.#spare] = [this.#spare, this.#filling];
    this.#end = this.#filling;
    this.#writing = this.#sink.write(bytes, recordEnds);
    // The next swap or flush reports an error of the write. This handler prevents an unhandled rejection before that.
    this.#writing.catch(() => undefined);
  }
}
