// Reads containers (docs/decisions/111-repartition.md) on its own, so that a defect of what writes them is found.

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

function encoded(bytes) {
  return bytes === null ? '-' : `:${bytes.toString('base64')}`;
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

/** What of a record does not change when it is cut: time, headers, key and value. */
function contentOf(line) {
  return line.split('\t').slice(2).join('\t');
}

/** The identifier of a record as text; undefined without one. */
function identifierOf(line) {
  const value = line.split('\t').at(-1);
  return value === '-' ? undefined : JSON.parse(Buffer.from(value.slice(1), 'base64')).id;
}

/**
 * What is wrong with records that were cut: each record of the input has to be there once, as it was, and equal identifiers in one partition.
 * @param input lines as of `Tool.read`
 * @param records as of `recordsIn`
 * @returns texts
 */
export function faultsOf(input, records) {
  const left = new Map(input.map((line) => [line.split('\t').slice(0, 2).join('/'), contentOf(line)]));
  const partitions = new Map();
  const faults = [];
  for (const { source, line } of records) {
    if (left.get(source) !== contentOf(line)) faults.push(`${source} is there again, or is another: ${line}`);
    left.delete(source);
    const [identifier, partition] = [identifierOf(line), line.split('\t')[0]];
    if (identifier === undefined) continue;
    if ((partitions.get(identifier) ?? partition) !== partition) faults.push(`${identifier} is in two partitions`);
    partitions.set(identifier, partition);
  }
  return [...faults, ...Array.from(left.keys(), (source) => `${source} is missing`)];
}
