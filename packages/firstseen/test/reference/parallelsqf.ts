// The parallel SQF of dutta-2013, section 5.2, simulated: blocks of C elements with their positions, rows owned by
// processors, a field `pos` in each bucket. Its answers are those of the sequential SQF, whatever the order in which the
// elements of a block arrive at the owners of their rows.
//
// As written, the section does not have this property. Four changes give it:
//
// 1. `pos` is cleared at the end of a block. The paper keeps it. An element with a lower position than the one that an
//    earlier block left in the bucket would then be reported as distinct, although its signature is in T.
// 2. Only buckets filled in this block name a distinct element at its end. The paper names "the pos fields of the buckets
//    accessed", which includes buckets that were found filled by an earlier block.
// 3. Nothing is reported, and nothing is evicted, before the end of the block. The paper lets a signature evict another
//    one as it arrives (algorithm 1, line 22). Then the order of arrival decides what is evicted and when, and the `pos` of
//    an evicted bucket is lost, so that its element is never reported. Here a row in which a signature finds no empty
//    bucket is returned to what it held before the block, and its elements are processed in the order of their positions
//    at the end of the block. A row without evictions ends the same for any order, as the paper says.
// 4. The random bucket is drawn for the element's position in the stream, not for the order of processing.
//
// Where P divides neither C nor the number of rows, the last processors get fewer elements or rows.

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { partsOf } from './signatures.js';
import { rowOf, victimOf } from './sqf.js';
import { numberOf } from './twin.js';

/** What thread t1 of one processor sends to the processor that owns the row. */
export interface Message {
  fingerprint: bigint;
  /** The row of T that the quotient selects. */
  row: bigint;
  /** The position in the block, from 0. */
  pos: number;
}

export interface ParallelOptions {
  settings: DetectorSettings;
  /** C: elements of a block. */
  blockElements: number;
  /** P. */
  processors: number;
  /** The order in which the messages of a block arrive. */
  arrive: (sent: readonly Message[]) => readonly Message[];
}

interface Bucket {
  signature: number;
  /** The lowest position in this block of an element with this signature; undefined if an earlier block filled it. */
  pos: number | undefined;
}

/** Buckets in ascending order of their signatures, as in the sequential twin. */
type Row = Bucket[];

/** The elements that a row got in this block. */
interface Arrivals {
  elements: { signature: number; pos: number }[];
  /** A signature has found no empty bucket. */
  isFull: boolean;
}

/** Thread t2 of a processor, with its rows of T. */
class RowOwner {
  readonly #settings: DetectorSettings;
  readonly #rows = new Map<bigint, Row>();
  readonly #arrivals = new Map<bigint, Arrivals>();

  constructor(settings: DetectorSettings) {
    this.#settings = settings;
  }

  receive({ fingerprint, row: number, pos }: Message): void {
    const { signature } = partsOf(this.#settings, fingerprint);
    const row = this.#rows.get(number) ?? [];
    this.#rows.set(number, row);
    const arrivals = this.#arrivals.get(number) ?? { elements: [], isFull: false };
    this.#arrivals.set(number, arrivals);
    arrivals.elements.push({ signature, pos });
    if (!arrivals.isFull) this.#query(row, arrivals, signature, pos);
  }

  #query(row: Row, arrivals: Arrivals, signature: number, pos: number): void {
    const bucket = row.find((held) => held.signature === signature);
    if (bucket !== undefined) {
      if (bucket.pos !== undefined && pos < bucket.pos) bucket.pos = pos;
    } else if (row.length === numberOf(this.#settings, 'k')) {
      arrivals.isFull = true;
    } else {
      insert(row, { signature, pos });
    }
  }

  /** Returns the positions of the block's distinct elements. The block begins at element number `start` of the stream. */
  endBlock(start: number): number[] {
    const distinct: number[] = [];
    for (const [number, arrivals] of this.#arrivals) {
      const row = this.#rows.get(number) as Row;
      if (arrivals.isFull) distinct.push(...this.#replay(row, arrivals, start));
      else distinct.push(...row.flatMap(({ pos }) => (pos === undefined ? [] : [pos])));
      for (const bucket of row) bucket.pos = undefined;
    }
    this.#arrivals.clear();
    return distinct;
  }

  /** Algorithm 1 over the elements of one row in the order of the stream. Returns the positions of the distinct ones. */
  #replay(row: Row, { elements }: Arrivals, start: number): number[] {
    row.splice(0, row.length, ...row.filter(({ pos }) => pos === undefined));
    const distinct: number[] = [];
    for (const { signature, pos } of elements.toSorted((a, b) => a.pos - b.pos)) {
      if (row.some((held) => held.signature === signature)) continue;
      if (row.length === numberOf(this.#settings, 'k')) row.splice(victimOf(this.#settings, start + pos), 1);
      insert(row, { signature, pos });
      distinct.push(pos);
    }
    return distinct;
  }
}

function insert(row: Row, bucket: Bucket): void {
  row.push(bucket);
  row.sort((a, b) => a.signature - b.signature);
}

export class ParallelSqf {
  readonly #options: ParallelOptions;
  readonly #owners: RowOwner[];
  #observed = 0;

  constructor(options: ParallelOptions) {
    this.#options = options;
    this.#owners = Array.from({ length: options.processors }, () => new RowOwner(options.settings));
  }

  /** Returns 1 (duplicate) or 0 (distinct) for each element of a stream, whose last block may be short. */
  observe(stream: BigUint64Array): Uint8Array {
    const verdicts = new Uint8Array(stream.length).fill(1);
    for (let from = 0; from < stream.length; from += this.#options.blockElements) {
      const block = stream.subarray(from, from + this.#options.blockElements);
      for (const pos of this.#observeBlock(block)) verdicts[from + pos] = 0;
    }
    return verdicts;
  }

  #observeBlock(block: BigUint64Array): number[] {
    const { arrive, processors, settings } = this.#options;
    const share = Math.ceil(block.length / processors);
    const sent = this.#owners.flatMap((_, j) => this.#send(block.subarray(j * share, (j + 1) * share), j * share));
    const rowsOfOwner = Math.ceil(numberOf(settings, 'R_T') / processors);
    for (const message of arrive(sent)) this.#owners[Math.floor(Number(message.row) / rowsOfOwner)]?.receive(message);
    const distinct = this.#owners.flatMap((owner) => owner.endBlock(this.#observed));
    this.#observed += block.length;
    return distinct;
  }

  /** Thread t1: the messages for the elements that a processor was given, the first of which is at position `first`. */
  #send(elements: BigUint64Array, first: number): Message[] {
    return Array.from(elements, (fingerprint, i) => ({
      fingerprint,
      row: rowOf(this.#options.settings, fingerprint),
      pos: first + i,
    }));
  }
}
