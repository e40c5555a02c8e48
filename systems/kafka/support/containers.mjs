// Reads containers (docs/decisions/111-repartition.md) on its own, so that a defect of what writes them is found.

import { decoded, encoded, nameOf, valueWith } from './values.mjs';

const MAGIC = 'FSKC';
const VERSION = 1;

class Reader {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  number() {
    let [value, factor] = [0n, 1n];
    for (;;) {
      const byte = this.#bytes[this.#at++];
      value += BigInt(byte & 127) * factor;
      if (byte < 128) return Number(value);
      factor *= 128n;
    }
  }

  raw(length) {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  part() {
    const length = this.number();
    return length === 0 ? null : this.raw(length - 1);
  }
}

function readLine(reader, { partition, offset }) {
  const source = `${reader.number()}/${reader.number()}`;
  const time = reader.number() - 1;
  const [key, value] = [encoded(reader.part()), encoded(reader.part())];
  const headers = Array.from({ length: reader.number() }, () => `${reader.part()}=${encoded(reader.part())}`);
  return { source, line: [partition, offset, time, headers.join(',') || '-', key, value].join('\t') };
}

/**
 * The records in the containers of a topic.
 * @param lines as of `Tool.read`
 * @returns a record each: source, as partition/offset, and line, as of `Tool.read`
 */
export function recordsIn(lines) {
  return lines.flatMap((line) => {
    const [partition, offset, , , , value] = line.split('\t');
    const reader = new Reader(Buffer.from(value.slice(1), 'base64'));
    if (reader.raw(MAGIC.length).toString() !== MAGIC || reader.number() !== VERSION)
      throw new Error(`not a container: ${line}`);
    reader.part();
    return Array.from({ length: reader.number() }, () => readLine(reader, { partition, offset }));
  });
}

/** A line as its partition, what does not change when it is cut, and its value. */
function parse(line) {
  const [partition, offset, ...content] = line.split('\t');
  const value = decoded(content.pop());
  return { partition, source: `${partition}/${offset}`, content: content.join('\t'), value };
}

function recordsOf(value, { recordsIn }) {
  return value === null || value.length === 0 ? [] : recordsIn(value).filter(({ key }) => key !== undefined);
}

/** The partition of each identifier. @param onFault told of one that is in two */
function partitionsOf(records, format, onFault) {
  const partitions = new Map();
  for (const { line } of records) {
    const { partition, value } = parse(line);
    for (const name of recordsOf(value, format).map(({ key }) => nameOf(key))) {
      if ((partitions.get(name) ?? partition) !== partition) onFault(`${name} is in two partitions`);
      partitions.set(name, partition);
    }
  }
  return partitions;
}

/** Of a message, what has to be in each partition, by source and partition. A message without a record is in some partition. */
function partsOf(line, format, partitions) {
  const { source, content, value } = parse(line);
  if (value === null || value.length === 0) return [[source, `${content}\t${encoded(value)}`]];
  const byPartition = new Map();
  for (const record of recordsOf(value, format)) {
    const partition = partitions.get(nameOf(record.key));
    byPartition.set(partition, [...(byPartition.get(partition) ?? []), record]);
  }
  return Array.from(byPartition, ([partition, own]) => [
    `${source} in ${partition}`,
    `${content}\t${encoded(valueWith(own))}`,
  ]);
}

/**
 * What is wrong with records that were cut: each record of the input has to be there once, as it was, and equal identifiers in one partition.
 * @param input lines as of `Tool.read`
 * @param records as of `recordsIn`
 * @param format one of `formats`
 * @returns texts
 */
export function faultsOf(input, records, format) {
  const faults = [];
  const partitions = partitionsOf(records, format, (text) => faults.push(text));
  const left = new Map(input.flatMap((line) => partsOf(line, format, partitions)));
  for (const { source, line } of records) {
    const { partition, content, value } = parse(line);
    const place = recordsOf(value, format).length === 0 ? source : `${source} in ${partition}`;
    if (left.get(place) !== `${content}\t${encoded(value)}`)
      faults.push(`${place} is there again, or is another: ${line}`);
    left.delete(place);
  }
  return [...faults, ...Array.from(left.keys(), (place) => `${place} is missing`)];
}
