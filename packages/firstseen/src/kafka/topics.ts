// The topics of a worker: all have as many partitions as the input, so that a record stays in the partition of its number.

import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { KafkaClient } from '../io/kafka/contract.js';
import { newGroup } from './group/group.js';

/** The topics of a worker. Their partitions correspond: a record stays in the partition of its number. */
export interface Topics {
  /** The topic that a worker reads. */
  input: string;
  /** The topic that is cut into the input, if it is another one. */
  source?: string | undefined;
  output: string;
  /** Duplicates are written here, if it is given. */
  duplicatesTo?: string | undefined;
  pointers: string;
}

/** The option that gives a topic: its name, unless the input is cut into the topic that a worker reads. */
function optionOf(name: keyof Topics, { source }: Pick<Topics, 'source'>): string {
  if (name === 'source') return 'input';
  return name === 'input' && source !== undefined ? 'repartition' : name;
}

/** @throws FirstseenError E_USAGE for a topic that does not exist */
async function partitionsOf(
  client: KafkaClient,
  topic: string,
  option: string,
  remedy = 'make it first',
): Promise<number> {
  const partitions = await client.partitionsOf(topic);
  if (partitions !== undefined) return partitions;
  throw new FirstseenError('E_USAGE', phrase`the topic ${topic} of ${optionName(option)} does not exist`, {
    option,
    given: topic,
    remedy,
  });
}

/** @throws FirstseenError E_USAGE for topics that are named twice */
export function checkDifferent(topics: Topics): void {
  const named = Object.entries(topics).filter(([, topic]) => topic !== undefined);
  for (const [i, [name, topic]] of named.entries()) {
    const other = named.slice(i + 1).find(([, one]) => one === topic);
    if (other === undefined) continue;
    const [one, two] = [name, other[0]].map((each) => optionName(optionOf(each as keyof Topics, topics)));
    throw new FirstseenError('E_USAGE', phrase`${one as never} and ${two as never} are both the topic ${topic}`, {
      remedy: 'give different topics',
    });
  }
}

/** The topics of a worker. That of the pointers may be one that is still to be made. */
type GivenTopics = Omit<Topics, 'pointers'> & Partial<Pick<Topics, 'pointers'>>;

/** The number of partitions of the topic that a worker reads. @throws FirstseenError E_USAGE if a topic that is read does not exist */
export async function inputPartitions(client: KafkaClient, topics: GivenTopics): Promise<number> {
  if (topics.source !== undefined) await partitionsOf(client, topics.source, optionOf('source', topics));
  return partitionsOf(client, topics.input, optionOf('input', topics));
}

/**
 * Checks that all topics are there, with as many partitions as when the worker began.
 * @throws FirstseenError E_USAGE for one that is missing or has another number; E_STATE_DIFFERS for an input that was given more
 */
export async function checkTopics(
  client: KafkaClient,
  { topics, partitions }: { topics: GivenTopics; partitions: number },
): Promise<void> {
  const { input, source: _source, ...outputs } = topics;
  const partitionsNow = await inputPartitions(client, topics);
  if (partitionsNow !== partitions) {
    const problem = `the topic ${input} has ${formatCounted(partitionsNow, 'partition')}, not ${partitions} as when the worker began: keys may now be in other partitions than before, so that repeats would pass`;
    throw new FirstseenError('E_STATE_DIFFERS', problem, {
      remedy: phrase`give the outputs as many partitions, and ${newGroup}`,
    });
  }
  for (const [name, topic] of Object.entries(outputs)) {
    if (topic === undefined) continue;
    const option = optionOf(name as keyof Topics, topics);
    const outputPartitions = await partitionsOf(
      client,
      topic,
      option,
      `make it first, with as many partitions as ${input} has`,
    );
    if (outputPartitions === partitions) continue;
    const problem = phrase`the topic ${topic} of ${optionName(option)} has ${formatCounted(outputPartitions, 'partition')}, but ${input} has ${partitions}`;
    // A group that goes on is first stopped here, because its outputs have as many partitions as the input had.
    const asMany = `give a topic with as many partitions as ${input} has: a record keeps the number of its partition`;
    throw new FirstseenError('E_USAGE', problem, {
      option,
      given: topic,
      remedy:
        outputPartitions < partitions
          ? phrase`${asMany}; if the group began when ${input} had ${outputPartitions}, give ${newGroup} too, because keys may now be in other partitions`
          : asMany,
    });
  }
}
