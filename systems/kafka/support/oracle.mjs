// What the output has to be: one process over the committed input, with a detector for each partition.

import { create } from '../../../packages/firstseen/dist/index.js';
import { decoded, encoded, formats, nameOf, valueWith } from './values.mjs';

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

/** What a message holds; undefined for one without a record, which is passed on. */
function recordsOf({ rest: { value } }, { recordsIn }) {
  const bytes = decoded(value);
  return bytes === null || bytes.length === 0 ? undefined : recordsIn(bytes);
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

/** The messages that are passed on, with those of their records whose key is new. */
async function firsts(messages, { isTimed, detector: options, format }) {
  const detector = await create({ ...options, clock: 'manual' });
  return messages.flatMap((message) => {
    const records = recordsOf(message, format);
    if (records === undefined) return [message];
    const found = records.filter(({ key }) => {
      if (key === undefined) return false;
      if (isTimed) detector.advance(message.time);
      return detector.observe(key) !== 'duplicate';
    });
    return found.length === 0 ? [] : [{ ...message, rest: { ...message.rest, value: encoded(valueWith(found)) } }];
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
 * that of the records; groups: how many have written it; format: one of `formats`
 * @returns differences: texts; read and given: the numbers of messages of both; records: that of the output has; identifiers: how many different ones the input has
 * @throws Error for an empty input
 */
export async function compare({ input, output }, { partitions, groups = 1, format = formats.object, ...options }) {
  if (input.length === 0) throw new Error('the input is empty, so nothing is compared');
  const [inputs, outputs] = [byPartition(input, partitions), byPartition(output, partitions)];
  const differences = [];
  for (let partition = 0; partition < partitions; partition++) {
    const expected = await firsts(inputs[partition], { ...options, format });
    for (let group = 0; group < groups; group++) {
      differences.push(...differencesOf(expected, ofGroup(outputs[partition], group, groups), partition));
    }
  }
  const keysOf = (messages) =>
    messages
      .flat()
      .flatMap((message) => recordsOf(message, format) ?? [])
      .flatMap(({ key }) => key ?? []);
  const identifiers = new Set(keysOf(inputs).map(nameOf)).size;
  return { differences, read: input.length, given: output.length, records: keysOf(outputs).length, identifiers };
}
