// What the output has to be: one process over the committed input, with a detector for each partition.

import { create, keyOf } from '../../packages/firstseen/dist/index.js';

const SHOWN = 3;

/** A line of `Tool.read` as an object. */
function parse(line) {
  const [partition, offset, time, headers, key, value] = line.split('\t');
  return {
    partition: Number(partition),
    offset: Number(offset),
    time: Number(time),
    rest: { time, headers, key, value },
  };
}

/** What of a record has to be the same in the output: all but its offset. */
function contentOf({ rest: { time, headers, key, value } }) {
  return [time, headers, key, value].join('\t');
}

function keyIn({ rest: { value } }) {
  return keyOf(['id'], Buffer.from(value.slice(1), 'base64'), { format: 'ndjson' });
}

/** The records of lines by partition, in the order of their offsets. */
function byPartition(lines, partitions) {
  const found = Array.from({ length: partitions }, () => []);
  for (const line of lines) {
    const record = parse(line);
    found[record.partition].push(record);
  }
  return found;
}

/** The records that are passed on. A record without a value is always; another one by its `id`. */
async function firsts(records, { isTimed, detector: options }) {
  const detector = await create({ ...options, clock: 'manual' });
  return records.filter((record) => {
    if (record.rest.value === '-') return true;
    if (isTimed) detector.advance(record.time);
    return detector.observe(keyIn(record)) !== 'duplicate';
  });
}

/** The first places at which two lists differ, as texts. */
function differencesOf(expected, found, partition) {
  const texts = [];
  if (expected.length !== found.length) {
    texts.push(`partition ${partition} has ${found.length} records instead of ${expected.length}`);
  }
  for (let i = 0; i < Math.min(expected.length, found.length) && texts.length < SHOWN; i++) {
    const [one, other] = [contentOf(expected[i]), contentOf(found[i])];
    if (one !== other)
      texts.push(`record ${i} of partition ${partition} is ${other} instead of ${one} (offset ${expected[i].offset})`);
  }
  return texts;
}

/** The records of one of several groups that write the same: each has written one of equal records. What is too many is of the last one. */
function ofGroup(records, group, groups) {
  const counts = new Map();
  return records.filter((record) => {
    const content = contentOf(record);
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    return Math.min(count, groups - 1) === group;
  });
}

/**
 * Compares an output with what one process makes of the input.
 * @param lines `input` and `output` as of `Tool.read`
 * @param options partitions; detector: the options of the detector of each partition; isTimed: whether its window is a time, which is then
 * that of the records; groups: how many have written it
 * @returns differences: texts; read and given: the numbers of records of both; identifiers: how many different ones the input has
 */
export async function compare({ input, output }, { partitions, groups = 1, ...options }) {
  const [inputs, outputs] = [byPartition(input, partitions), byPartition(output, partitions)];
  const differences = [];
  for (let partition = 0; partition < partitions; partition++) {
    const expected = await firsts(inputs[partition], options);
    for (let group = 0; group < groups; group++) {
      differences.push(...differencesOf(expected, ofGroup(outputs[partition], group, groups), partition));
    }
  }
  const identified = inputs.flat().filter(({ rest: { value } }) => value !== '-');
  const identifiers = new Set(identified.map((record) => Buffer.from(keyIn(record)).toString('latin1'))).size;
  return { differences, read: input.length, given: output.length, identifiers };
}
