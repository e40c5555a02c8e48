// Messages whose values hold many records: the records of many messages are found and hashed by the kernel at once, and no record has an
// object.

import { FirstseenError } from '../../base/errors.js';
import type { Scanner } from '../../framing/scanner.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { recordClasses } from '../../records/classes.js';
import { NEWLINE } from '../../records/formats.js';
import { DROPPED } from '../../records/keyof.js';
import { invalidRecord, type KeyFound, type KeyOptions, keyFinder, locationOf } from './keys.js';
import {
  emptyRecords,
  type Hashing,
  kinds,
  type MessageRecords,
  type ReadMessages,
  type ReadOptions,
  type Reads,
} from './records.js';
import { configure, openKeyScanner } from './scanning.js';

/** Bytes of messages that are scanned at a time. A longer message is invalid. */
const PIECE_BYTES = 2 ** 23;
const INTEGER_BYTES = 8;
const FIRST_CAPACITY = 2 ** 14;

/** Records with room for so many more. */
function grown(records: MessageRecords, more: number): MessageRecords {
  const { count, owners, starts, ends, kinds: ofRecords, fingerprints } = records;
  if (count + more <= owners.length) return records;
  const larger = emptyRecords(Math.max(count + more, 2 * owners.length));
  larger.owners.set(owners.subarray(0, count));
  larger.starts.set(starts.subarray(0, count));
  larger.ends.set(ends.subarray(0, count));
  larger.kinds.set(ofRecords.subarray(0, count));
  larger.fingerprints.set(fingerprints.subarray(0, count));
  return Object.assign(larger, { count });
}

/** Messages in the memory of the scanner. */
interface Piece {
  numbers: number[];
  starts: number[];
  lengths: number[];
  end: number;
}

export class BatchReader implements Reads {
  readonly #scanner: Scanner;
  readonly #keys: KeyOptions;
  readonly #keyOf: (record: KafkaRecord) => KeyFound;
  #records = emptyRecords(FIRST_CAPACITY);

  private constructor(scanner: Scanner, keys: KeyOptions) {
    this.#scanner = scanner;
    this.#keys = keys;
    this.#keyOf = keyFinder(keys);
  }

  /** @throws FirstseenError E_MEMORY when the machine does not grant the memory */
  static async open(keys: KeyOptions): Promise<BatchReader> {
    return new BatchReader(await openKeyScanner(keys, PIECE_BYTES), keys);
  }

  read(messages: readonly KafkaRecord[], hashing: Hashing, options: ReadOptions): ReadMessages {
    configure(this.#scanner, this.#keys, hashing.settings);
    this.#records.count = 0;
    this.#scanAll(messages);
    return this.#settle(messages, hashing, options);
  }

  #scanAll(messages: readonly KafkaRecord[]): void {
    const { kernel, input } = this.#scanner;
    let piece: Piece = { numbers: [], starts: [], lengths: [], end: input };
    const scanPiece = () => {
      this.#scan(piece);
      piece = { numbers: [], starts: [], lengths: [], end: input };
    };
    const isInteger = this.#keys.format === 'u64';
    for (const [number, { value }] of messages.entries()) {
      if (value === null || value.length === 0) continue;
      const length = isInteger ? value.length - (value.length % INTEGER_BYTES) : value.length;
      if (length > PIECE_BYTES - 1 || piece.end + length + 1 - input > PIECE_BYTES) scanPiece();
      if (length < PIECE_BYTES) {
        kernel.bytes.set(length === value.length ? value : value.subarray(0, length), piece.end);
        piece.numbers.push(number);
        piece.starts.push(piece.end);
        piece.lengths.push(length);
        piece.end += length;
        if (!isInteger && value[length - 1] !== NEWLINE) kernel.bytes[piece.end++] = NEWLINE;
      }
      if (length < value.length || length >= PIECE_BYTES) {
        // What is before it has its place among the records first.
        scanPiece();
        this.#add(number, length >= PIECE_BYTES ? 0 : length, value.length);
      }
    }
    scanPiece();
  }

  /** Adds a record that the scanner does not find. */
  #add(owner: number, start: number, end: number): void {
    this.#records = grown(this.#records, 1);
    const { count, owners, starts, ends, kinds: ofRecords } = this.#records;
    owners[count] = owner;
    starts[count] = start;
    ends[count] = end;
    ofRecords[count] = kinds.unknown;
    this.#records.count++;
  }

  #scan({ numbers, starts: texts, lengths, end }: Piece): void {
    const { kernel, input } = this.#scanner;
    const { recordStarts, recordEnds, recordClasses: classes } = kernel;
    let text = 0;
    for (let at = input; at < end; at = kernel.exports.scanPosition() >>> 0) {
      const framed = kernel.exports.scan(at, end, 1);
      if (framed === 0) return;
      this.#records = grown(this.#records, framed);
      const { count, owners, starts, ends, kinds: ofRecords, fingerprints } = this.#records;
      fingerprints.set(kernel.fingerprints.subarray(0, framed), count);
      for (let i = 0; i < framed; i++) {
        const start = recordStarts[i] as number;
        while (text + 1 < texts.length && (texts[text + 1] as number) <= start) text++;
        const begin = texts[text] as number;
        const place = count + i;
        owners[place] = numbers[text] as number;
        starts[place] = start - begin;
        ends[place] = Math.min((recordEnds[i] as number) - begin, lengths[text] as number);
        ofRecords[place] = kindOf(classes[i] as number);
      }
      this.#records.count += framed;
    }
  }

  /** Decides on the records that the scanner has left, one by one. */
  #settle(messages: readonly KafkaRecord[], hashing: Hashing, { topic, isReplay }: ReadOptions): ReadMessages {
    const records = this.#records;
    const { owners, kinds: ofRecords, fingerprints } = records;
    for (
      let i = ofRecords.indexOf(kinds.unknown);
      i !== -1 && i < records.count;
      i = ofRecords.indexOf(kinds.unknown, i + 1)
    ) {
      const number = owners[i] as number;
      const message = messages[number] as KafkaRecord;
      const key = this.#keyAt(message, i);
      if (key instanceof FirstseenError && !isReplay) {
        let first = i;
        while (first > 0 && owners[first - 1] === number) first--;
        records.count = first;
        const place = `${locationOf(topic, message)}, record ${i - first + 1}`;
        return { records, taken: number, failure: key.at(place) };
      }
      if (key instanceof Uint8Array) fingerprints[i] = hashing.fingerprint(key);
      ofRecords[i] = key instanceof Uint8Array ? kinds.keyed : key === DROPPED ? kinds.dropped : kinds.passed;
    }
    return { records, taken: messages.length };
  }

  #keyAt(message: KafkaRecord, i: number): KeyFound {
    const { starts, ends } = this.#records;
    const value = message.value as Uint8Array;
    const bytes = value.subarray(starts[i], ends[i]);
    const isLine = this.#keys.format !== 'u64' && bytes.length < PIECE_BYTES;
    if (isLine) return this.#keyOf({ ...message, value: bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes });
    const problem =
      bytes.length < PIECE_BYTES
        ? `the last integer has ${bytes.length} bytes, not ${INTEGER_BYTES}`
        : `the message has more than ${PIECE_BYTES} bytes`;
    return invalidRecord(this.#keys, problem);
  }
}

function kindOf(code: number): number {
  if (code === recordClasses.KEYED.code) return kinds.keyed;
  return code === recordClasses.BLANK.code ? kinds.dropped : kinds.unknown;
}
