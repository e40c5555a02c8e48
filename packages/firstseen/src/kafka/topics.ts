// The topics of a worker: all have as many partitions as the input, so that a record stays in the partition of its number.

import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, type Phrase, phrase } from '../base/errors.js';
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

/** The code of errors: E_USAGE for a start, and E_KAFKA for a worker that runs, whose topics were there. */
type TopicCode = 'E_USAGE' | 'E_KAFKA';

/** @throws FirstseenError for a topic that does not exist */
async function partitionsOf(
  client: KafkaClient,
  topic: string,
  option: string,
  { code = 'E_USAGE', as = '' }: { code?: TopicCode; as?: string } = {},
): Promise<number> {
  const partitions = await client.partitionsOf(topic);
  if (partitions !== undefined) return partitions;
  const isStart = code === 'E_USAGE';
  const problem = phrase`the topic ${topic} of ${optionName(option)} ${isStart ? 'does not exist' : 'was removed while the worker runs'}`;
  throw new FirstseenError(code, problem, {
    ...{ option, given: topic },
    remedy: isStart ? `make it first${as}` : removedRemedy(option, as),
  });
}

/** Returns the remedy for a topic that was removed. The pointers in it are not written again by a start. */
function removedRemedy(option: string, as: string): Phrase {
  return option === 'pointers'
    ? phrase`give another ${optionName('group')} without ${optionName('fromGroup')}, which begins with nothing seen: the positions of this group are lost`
    : phrase`make it again${as}, and start the worker again`;
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
export async function inputPartitions(
  client: KafkaClient,
  topics: GivenTopics,
  code: TopicCode = 'E_USAGE',
): Promise<number> {
  if (topics.source !== undefined) await partitionsOf(client, topics.source, optionOf('source', topics), { code });
  return partitionsOf(client, topics.input, optionOf('input', topics), { code });
}

/**
 * Checks that all topics are there, with as many partitions as when the worker began.
 * @param code the code of an error for one that is missing or has another number
 * @throws FirstseenError E_USAGE or E_KAFKA for one that is missing or has another number; E_STATE_DIFFERS for an input that was given more
 */
export async function checkTopics(
  client: KafkaClient,
  { topics, partitions }: { topics: GivenTopics; partitions: number },
  code: TopicCode = 'E_USAGE',
): Promise<void> {
  const { input, source: _source, ...outputs } = topics;
  const partitionsNow = await inputPartitions(client, topics, code);
  if (partitionsNow !== partitions) {
    const problem = `the topic ${input} has ${formatCounted(partitionsNow, 'partition')}, not ${partitions} as when the worker began: keys may now be in other partitions than before, so that repeats would pass`;
    throw new FirstseenError('E_STATE_DIFFERS', problem, {
      remedy: phrase`give the outputs as many partitions, and ${newGroup}`,
    });
  }
  for (const [name, topic] of Object.entries(outputs)) {
    if (topic === undefined) continue;
    const option = optionOf(name as keyof Topics, topics);
    const as = `, with as many partitions as ${input} has`;
    const outputPartitions = await partitionsOf(client, topic, option, { code, as });
    if (outputPartitions === partitions) continue;
    const problem = phrase`the topic ${topic} of ${optionName(option)} has ${formatCounted(outputPartitions, 'partition')}, but ${input} has ${partitions}`;
    // A group that goes on is first stopped here, because its outputs have as many partitions as the input had.
    const asMany = `give a topic with as many partitions as ${input} has: a record keeps the number of its partition`;
    throw new FirstseenError(code, problem, {
      option,
      given: topic,
      remedy:
        outputPartitions < partitions
          ? phrase`${asMany}; if the group began when ${input} had ${outputPartitions}, give ${newGroup} too, because keys may now be in other partitions`
          : asMany,
    });
  }
}
