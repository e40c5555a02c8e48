// What a worker takes over from an old group: the positions of its halves, and what its detectors have to observe first.

import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import type { KafkaClient } from '../../io/kafka/contract.js';
import { decidingRows } from '../../options/kafka.js';
import { entryOf } from '../../options/longflag.js';
import { groupOfHalf, repartitionGroup } from '../group/halves.js';
import { openReader } from '../messages/reader.js';
import { notedBeginning } from '../pointers/beginning.js';
import {
  type Beginning,
  type CutPointer,
  decodeCutPointer,
  decodePointer,
  type OutputTopic,
  type Pointer,
  type Silence,
} from '../pointers/pointer.js';
import { changedOptions } from '../pointers/sameoptions.js';
import type { RepartitionSettings } from '../repartition/repartitioner.js';
import { unpacking } from '../repartition/unpacking.js';
import { type OldGroup, pointersOf, type WorkerSettings } from '../settings.js';
import { type Left, takenBefore, takeOver } from './oldgroup.js';
import { type FoundSilence, findSilence, isBlurred, type SilenceContext } from './silence.js';

/** Partitions that a message names. */
const MAX_NAMED = 4;
/** The options of keys, which decide how records are cut. */
const CUTTING = decidingRows.filter(({ agrees }) => agrees === 'record').map(entryOf);

export interface TakingOver {
  /** A client of the new group, and one of the old group whose name is that of the new one. */
  client: KafkaClient;
  old: KafkaClient;
  settings: WorkerSettings;
  oldGroup: OldGroup;
  /** Asks to stop. */
  signal?: AbortSignal | undefined;
  onNotice: (message: string) => void;
  onWarning: (message: string) => void;
}

/** The number of partitions of the topic that has the pointers of an old group. @throws FirstseenError E_USAGE without the topic */
async function oldPointerPartitions(client: KafkaClient, { group, pointers }: OldGroup): Promise<number> {
  const partitions = await client.partitionsOf(pointers);
  if (partitions !== undefined) return partitions;
  const problem = phrase`the topic ${pointers} with the pointers of ${optionName('fromGroup')} ${group} does not exist`;
  throw new FirstseenError('E_USAGE', problem, {
    option: 'fromGroup',
    given: group,
    remedy: phrase`correct the name of the group, or give the topic of its pointers as ${optionName('fromPointers')}`,
  });
}

/** Says what is missing, or refuses it. @throws FirstseenError E_STATE_DIFFERS unless it is allowed */
function tellMissing(
  { settings: { allowsMissing, old }, onWarning }: Pick<TakingOver, 'settings' | 'onWarning'>,
  missing: readonly string[],
  consequence: string,
): void {
  if (missing.length === 0) return;
  const shown = missing.slice(0, MAX_NAMED);
  const more = missing.length > shown.length ? [`and ${missing.length - shown.length} more`] : [];
  const what = [...shown, ...more].join('; ');
  if (allowsMissing) {
    onWarning(`the worker takes over from the group ${old?.group} without what is missing: ${what}; ${consequence}`);
    return;
  }
  throw new FirstseenError(
    'E_STATE_DIFFERS',
    phrase`the group ${String(old?.group)} cannot be taken over as it is: ${what}`,
    {
      option: 'fromGroup',
      remedy: phrase`give ${optionName('allowsMissing')} to go on without it; ${consequence}`,
    },
  );
}

/** The options that the old group began with; none without a pointer. */
function oldOptions({ pointers }: Left<Pointer>): Readonly<Record<string, unknown>> {
  const [pointer] = pointers.values();
  return pointer ? (JSON.parse(pointer.settings) as Record<string, unknown>) : {};
}

/** The topics to which the groups before have written. One that was made again is another one. */
function outputsOf(left: Left<Pointer>): readonly OutputTopic[] {
  const outputs = [...(left.beginning?.takeover?.outputs ?? [])];
  const { output: topic } = oldOptions(left);
  if (typeof topic !== 'string') return outputs;
  for (const { given } of left.pointers.values()) {
    const id = given.outputId;
    if (!outputs.some((one) => one.topic === topic && one.id === id)) outputs.push({ topic, id });
  }
  return outputs;
}

/** @throws FirstseenError E_STATE_DIFFERS for containers that were cut by other keys */
function checkCut({ settings: { unpacks, asked, topics } }: TakingOver, left: Left<Pointer>): void {
  if (unpacks === undefined || left.pointers.size === 0) return;
  const keysOf = (options: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(CUTTING.filter((name) => name in options).map((name) => [name, options[name]]));
  const changed = changedOptions(keysOf(oldOptions(left)), keysOf(asked));
  if (changed.length === 0) return;
  const problem = phrase`the topic ${topics.input} of ${optionName('repartition')} was partitioned by other keys: ${changed.join('; ')}`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`give the same keys; other keys need another topic, and a group without ${optionName('fromGroup')}`,
  });
}

/** Finds what the detectors have to observe. What was found is kept until the old group goes on. */
class Silences {
  readonly #taking: TakingOver;
  readonly #context: SilenceContext;
  readonly #found = new Map<number, FoundSilence & { position: number }>();

  constructor(taking: TakingOver, context: SilenceContext) {
    this.#taking = taking;
    this.#context = context;
  }

  async find(left: Left<Pointer>): Promise<{ silences: readonly Silence[]; outputs: readonly OutputTopic[] }> {
    checkCut(this.#taking, left);
    const outputs = outputsOf(left);
    const silences: Silence[] = [];
    for (const partition of left.positions.keys()) silences.push(await this.#of(partition, left, outputs));
    return { silences, outputs };
  }

  async #of(partition: number, left: Left<Pointer>, outputs: readonly OutputTopic[]): Promise<Silence> {
    const { client, settings } = this.#taking;
    const { input: topic } = settings.topics;
    const position = left.positions[partition] as number;
    const pointer = left.pointers.get(partition);
    if (pointer === undefined) {
      // Nothing of it was emitted. If its group has taken over itself, it has observed nothing yet.
      return left.beginning?.takeover?.silences[partition] ?? { topic, from: position, to: position };
    }
    const since = left.beginning?.takeover?.since ?? left.beginning?.positions ?? [];
    const place = { partition, position, since: since[partition] ?? 0, given: pointer.given };
    const output = outputs.length === 1 ? outputs[0] : undefined;
    const before = this.#found.get(partition);
    const foundSilence =
      before?.position === position ? before : await findSilence(this.#context, { ...place, output });
    this.#found.set(partition, { ...foundSilence, position });
    const { silence } = foundSilence;
    const to = silence.topic === topic ? position : (await client.bounds(silence.topic, partition)).high;
    return { ...silence, to };
  }

  /** Says what is missing, and where the window begins otherwise. @throws FirstseenError E_STATE_DIFFERS unless it is allowed */
  tell(): void {
    const { settings, onWarning } = this.#taking;
    const missing = Array.from(this.#found, ([partition, found]) =>
      found.missing.length === 0 ? [] : [`partition ${partition} of ${found.missing.join(', and of ')}`],
    );
    tellMissing(this.#taking, missing.flat(), 'repeats of what is missing pass');
    const blurred = Array.from(this.#found).filter(([, { silence }]) =>
      isBlurred(settings, this.#context.detector, silence),
    );
    if (blurred.length === 0) return;
    const partitions = blurred.map(([partition]) => partition).join(', ');
    const reasons = new Set(blurred.flatMap(([, { unusable }]) => unusable ?? []));
    const why = Array.from(reasons, (reason) => `${reason}; `).join('');
    onWarning(
      `${why}the worker observes the input of the partitions ${partitions}, which does not show what was emitted: a key that repeats all the time may be emitted once, up to a window too early or too late`,
    );
  }
}

/** The same is found again when a try is repeated. */
function tellingOnce(taking: TakingOver): TakingOver {
  const warnings = new Set<string>();
  const onWarning = (message: string) => {
    if (warnings.has(message)) return;
    warnings.add(message);
    taking.onWarning(message);
  };
  return { ...taking, onWarning };
}

/** Returns a function that reports lost offsets, which nobody emits. */
function lost(taking: TakingOver, topic: string): (partition: number, offsets: number) => void {
  return (partition, offsets) =>
    tellMissing(
      taking,
      [`partition ${partition} of ${topic} has lost ${offsets} offsets that were not emitted`],
      'no group emits them',
    );
}

/** Takes over the positions of a group, and finds what its detectors have to observe. @throws FirstseenError E_STATE_DIFFERS, E_STATE_FILE or E_KAFKA */
export async function takeOverWorker(request: TakingOver, detector: DetectorSettings): Promise<Beginning> {
  const taking = tellingOnce(request);
  const { client, old, settings, oldGroup, signal, onNotice } = taking;
  const { input } = settings.topics;
  const of = pointersOf(settings);
  const inputPartitions = settings.partitions;
  // The topics of the old group may be gone later.
  const done = await takenBefore({ client, of, oldOf: oldGroup, inputPartitions });
  if (done) return done;
  const oldPartitions = await oldPointerPartitions(client, oldGroup);
  const oldOf = { group: oldGroup.group, input, topic: oldGroup.pointers, partitions: oldPartitions };
  const inputId = await client.topicId(input);
  const before = await notedBeginning({ client, of: oldOf, inputId });
  const earlier = [oldGroup.group, ...(before?.takeover?.groups ?? [])];
  const reading = unpacking(client, input, settings.unpacks && { ...settings.unpacks, earlier });
  const reader = await openReader(settings.keys);
  const silences = new Silences(taking, { client: reading, settings, detector, reader });
  const beginning = await takeOver<Pointer>({
    ...{ client, old, signal, onNotice, of, oldOf, inputPartitions },
    decode: decodePointer,
    findSilences: async (left) => {
      const takeover = await silences.find(left);
      silences.tell();
      return takeover;
    },
    onLost: lost(taking, input),
  });
  const { positions, takeover } = beginning;
  const left = (takeover?.silences ?? []).map(({ from, to }) => to - from);
  const sum = left.reduce((one, other) => one + other, 0);
  const topics = [...new Set((takeover?.silences ?? []).map(({ topic }) => topic))].join(' and ');
  onNotice(
    `the worker takes over from the group ${oldGroup.group} (${formatCounted(positions.length, 'partition')}): it first observes ${formatCounted(sum, 'offset')} of ${topics}, and emits none of them`,
  );
  return beginning;
}

/**
 * The settings of a worker that repartitions and has taken over: the topic has containers of groups before its own, and its other half may not
 * have taken over yet.
 * @throws FirstseenError E_STATE_FILE or E_KAFKA
 */
export async function withEarlier(client: KafkaClient, settings: WorkerSettings): Promise<WorkerSettings> {
  const { unpacks, topics } = settings;
  // A group that has no pointers has taken nothing over.
  if (unpacks === undefined || (await client.partitionsOf(topics.pointers)) === undefined) return settings;
  const beginning = await notedBeginning({
    client,
    of: pointersOf(settings),
    inputId: await client.topicId(topics.input),
  });
  if (beginning?.takeover === undefined) return settings;
  const { groups: earlier, pointers } = beginning.takeover;
  const old = { group: earlier[0] as string, pointers };
  return { ...settings, unpacks: { ...unpacks, earlier }, old: settings.old ?? old };
}

/** Takes over the positions of the half that cuts. @throws FirstseenError E_STATE_DIFFERS, E_STATE_FILE or E_KAFKA */
export async function takeOverCuts(
  request: TakingOver,
  { group, source: input, pointers: topic, partitions }: RepartitionSettings,
  inputPartitions: number,
): Promise<void> {
  const taking = tellingOnce(request);
  const { client, old, oldGroup, signal, onNotice } = taking;
  const of = { group, input, topic, partitions };
  const oldName = repartitionGroup(oldGroup.group);
  if (await takenBefore({ client, of, oldOf: { group: oldName }, inputPartitions })) return;
  const oldPartitions = await oldPointerPartitions(client, oldGroup);
  await takeOver<CutPointer>({
    ...{ client, old, signal, onNotice, of, inputPartitions },
    oldOf: { group: oldName, input, topic: oldGroup.pointers, partitions: oldPartitions },
    decode: decodeCutPointer,
    givenAs: groupOfHalf,
    findSilences: async () => ({ silences: [], outputs: [] }),
    onLost: lost(taking, input),
  });
}
