// What `firstseen kafka` does: from its options to a worker that has stopped.

import { join } from 'node:path';
import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { type ClientOptions, ConfluentClient } from '../io/kafka/client.js';
import type { KafkaClient } from '../io/kafka/contract.js';
import { isUnanswered } from '../io/kafka/errors.js';
import { makeFolder } from '../io/system/makefolder.js';
import { repartitionGroup, runTogether } from '../kafka/group/halves.js';
import { checkPointers, preparePointers } from '../kafka/partition/opening.js';
import { snapshotInProcess } from '../kafka/partition/replay.js';
import { stepOf } from '../kafka/repartition/instep.js';
import { Repartitioner } from '../kafka/repartition/repartitioner.js';
import { unpacking } from '../kafka/repartition/unpacking.js';
import type { WorkerSettings } from '../kafka/settings.js';
import { takeOverCuts, takeOverWorker, withEarlier } from '../kafka/takeover/takingover.js';
import { inputPartitions } from '../kafka/topics.js';
import { Holdups } from '../kafka/watch/holdups.js';
import type { Watched, WatchedHoldups } from '../kafka/watch/metrics.js';
import { watching } from '../kafka/watch/watching.js';
import { Worker } from '../kafka/worker.js';
import * as rows from '../options/kafka.js';
import type { Settings } from '../options/settings.js';
import { settingsWithKeys } from '../plan/keys.js';
import { bandText } from '../plan/text.js';
import { packageVersion } from './commandline.js';
import { clientProperties } from './kafka/properties.js';
import {
  instanceOf,
  type KafkaValues,
  readKafkaSettings,
  repartitionSettings,
  topicsOf,
  workerSettings,
} from './kafka/settings.js';
import type { GivenValues } from './options.js';
import { checkPort } from './port.js';
import { endSoon, endUnread, type StopListener } from './signals.js';
import { writeGreeting, writeMessage } from './streams.js';

/** Time that the process has for its end, once all is closed. */
const END_MILLISECONDS = 10_000;

/** The longest time that the client takes. */
const SILENT_MILLISECONDS = 86_400_000;

const onWarning = (message: string) => writeMessage(`firstseen: ${message}`);
const onNotice = onWarning;

function keyText({ place, keys }: WorkerSettings['keys']): string {
  const where = typeof place === 'string' ? `the ${place}` : `the header ${place.header}`;
  return keys.length === 0 ? where : `${keys.join(', ')} in ${where}, as JSON`;
}

function windowText({ parameters: { band, isTimed } }: DetectorSettings): string[] {
  if (band === undefined) return [];
  return [`window: ${bandText(band)}${isTimed ? ', by the timestamps of the records' : ''}`];
}

function inputText({ topics: { input, source }, partitions, group }: WorkerSettings): string[] {
  const read = `${input}, ${formatCounted(partitions, 'partition')}`;
  if (source === undefined) return [`input: ${read}`];
  return [`input: ${source}, by the group ${repartitionGroup(group)}`, `repartition: ${read}`];
}

interface Greeting {
  settings: WorkerSettings;
  detector: DetectorSettings;
  instance: string;
  http: string | undefined;
}

function greeting({ settings, detector, instance, http }: Greeting): string {
  const { topics, group, keys, folder, snapshotEvery } = settings;
  const { family, memoryBytes } = detector;
  return `${[
    `firstseen ${packageVersion()}`,
    ...inputText(settings),
    `output: ${topics.output}`,
    `duplicates: ${topics.duplicatesTo ?? 'dropped'}`,
    `group: ${group}, worker ${instance}, pointers in ${topics.pointers}`,
    `key: ${keyText(keys)}`,
    `detector: ${family.name}, ${formatBytes(memoryBytes)} for each partition`,
    ...windowText(detector),
    `state: ${folder}, a snapshot every ${formatCounted(snapshotEvery, 'record')}, or every hour`,
    ...(http === undefined ? [] : [`http: ${http}`]),
  ].join('\n')}\n`;
}

/** The settings of the detector of a partition. @throws FirstseenError E_BOUND and others when no detector can be what is asked */
async function plannedDetector({ detector, partitions }: WorkerSettings): Promise<DetectorSettings> {
  try {
    return await settingsWithKeys({ ...detector, clock: 'manual' });
  } catch (error) {
    if (partitions === 1 || !(error instanceof FirstseenError)) throw error;
    throw error.at(`each of ${partitions} partitions has its share of the memory and of the elements`);
  }
}

/** Answers monitors, if that is asked for. @param watchedNow gives the worker, once there is one */
async function startHealth(
  { host, httpPort }: KafkaValues,
  client: ConfluentClient,
  watchedNow: () => Watched | undefined,
  starting: WatchedHoldups,
) {
  if (httpPort === undefined) return undefined;
  const { serveHealth } = await import('../kafka/watch/health.js');
  const { port, close } = await serveHealth({ host, port: httpPort }, client, watchedNow, starting);
  return { address: `http://${host.includes(':') ? `[${host}]` : host}:${port}/`, close };
}

/** The options by which a client of the group of this worker is connected. */
type ConnectionOptions = Omit<ClientOptions, 'onWarning'>;

interface TakingAll {
  client: KafkaClient;
  settings: WorkerSettings;
  first: OpenedHalf | undefined;
  detector: DetectorSettings;
  connection: ConnectionOptions;
}

interface OpenedHalf {
  repartitioner: Repartitioner;
  client: ConfluentClient;
  holdups: Holdups;
}

/** The first half of a worker that repartitions. It has a connection of its own, because its group is another one. */
async function openFirstHalf(
  options: Settings,
  { settings, detector }: Pick<Greeting, 'settings' | 'detector'>,
  connection: ConnectionOptions,
): Promise<OpenedHalf | undefined> {
  const cutterSettings = repartitionSettings(options, settings);
  if (cutterSettings === undefined) return undefined;
  const stepMilliseconds = stepOf(detector.parameters);
  const client = await ConfluentClient.connect({ ...connection, group: cutterSettings.group, onWarning });
  const holdups = new Holdups({ half: 'the first half', topic: cutterSettings.source, client, onWarning });
  const watchedClient = watching(client, holdups);
  const inStep = { ...cutterSettings, stepMilliseconds };
  return { client, holdups, repartitioner: new Repartitioner({ client: watchedClient, settings: inStep, onWarning }) };
}

/** A member does not ask for records while it observes a window in silence. Brokers hear of it all the same, by its heartbeats. */
function silentProperties({ fromGroup }: KafkaValues): ClientOptions['properties'] {
  return fromGroup === undefined ? {} : { 'max.poll.interval.ms': SILENT_MILLISECONDS };
}

/** Work that needs a client of an old group. */
async function withOldClient<Value>(
  group: string,
  connection: ConnectionOptions,
  work: (old: ConfluentClient) => Promise<Value>,
): Promise<Value> {
  // All workers of the new group have one name in the old one, so that only one of them takes over.
  const old = await ConfluentClient.connect({ ...connection, group, instance: connection.group, onWarning });
  try {
    return await work(old);
  } finally {
    await old.close();
  }
}

/**
 * Takes over from an old group, if that is asked for. A worker that repartitions has two halves to take over.
 * @returns the settings with which it goes on
 */
async function takeOverAll(options: Settings, taking: TakingAll): Promise<WorkerSettings> {
  const { client, first, detector, connection } = taking;
  if (taking.settings.old) {
    const { old: oldGroup } = taking.settings;
    const takingOver = { client, settings: taking.settings, oldGroup, signal: connection.signal, onWarning, onNotice };
    // The second half is first: workers of the old group that start again are refused by it before they cut anything.
    await withOldClient(oldGroup.group, connection, (old) => takeOverWorker({ ...takingOver, old }, detector));
  }
  const settings = await withEarlier(client, taking.settings);
  const { old: oldGroup } = settings;
  const cuts = repartitionSettings(options, settings);
  if (cuts === undefined || first === undefined || oldGroup === undefined) return settings;
  const sourcePartitions = (await client.partitionsOf(cuts.source)) ?? 0;
  const { signal } = connection;
  await withOldClient(repartitionGroup(oldGroup.group), { ...connection, group: cuts.group }, (old) =>
    takeOverCuts(
      { client: first.client, old, settings, oldGroup, signal, onWarning, onNotice },
      cuts,
      sourcePartitions,
    ),
  );
  return settings;
}

/**
 * Runs a worker until a signal asks it to stop. One that starts, or waits for brokers, then ends as one that works.
 * @param stop listens already, because a start may take long
 */
export async function runKafka(flags: GivenValues, stop: StopListener): Promise<void> {
  try {
    await runWorker(flags, stop);
  } catch (error) {
    if (!stop.signal.aborted || !isUnanswered(error)) throw error;
    onWarning(
      `the worker stops while it waits for brokers; what is not committed is read again: ${(error as Error).message}`,
    );
  }
}

async function runWorker(flags: GivenValues, stop: StopListener): Promise<void> {
  const options = readKafkaSettings(flags);
  const values = options.valuesOf(rows.kafkaRows);
  const topics = topicsOf(values);
  if (values.httpPort !== undefined) checkPort(values.httpPort, options.originOf(rows.httpPort));
  const instance = instanceOf(values);
  const properties = { ...silentProperties(values), ...(await clientProperties(options, onWarning)) };
  const clientRequest = { properties, group: values.group, instance };
  // What contradicts itself is refused before anything is reached.
  await plannedDetector(workerSettings(options, 1));
  const connection = { ...clientRequest, signal: stop.signal };
  const client = await ConfluentClient.connect({ ...connection, onWarning });
  let first: OpenedHalf | undefined;
  try {
    const partitions = await inputPartitions(client, topics);
    const asIfNew = workerSettings(options, partitions);
    const detector = await plannedDetector(asIfNew);
    await makeFolder(join(asIfNew.folder));
    first = await openFirstHalf(options, { settings: asIfNew, detector }, connection);
    const { repartitioner } = first ?? {};
    let watchedWorker: Watched | undefined;
    const half = first && 'the second half';
    const holdups = new Holdups({ half, topic: asIfNew.topics.input, client, onWarning });
    const halves = { worker: holdups, ...(first ? { repartition: first.holdups } : {}) };
    const health = await startHealth(values, client, () => watchedWorker, halves);
    const watchedClient = watching(client, holdups);
    try {
      await preparePointers(watchedClient, asIfNew, onWarning);
      if (first) {
        // Options that contradict those of the group are found before records are cut by them. The pointers are read to their ends, so the
        // transactions of the worker before this one would be waited for.
        await Promise.all([client, first.client].map((one) => one.endOwnTransaction()));
        await checkPointers(watchedClient, asIfNew);
      }
      const settings = await takeOverAll(options, {
        client: watchedClient,
        first,
        settings: asIfNew,
        detector,
        connection,
      });
      const worker = new Worker({
        client: unpacking(watchedClient, settings.topics.input, settings.unpacks),
        ...{ settings, snapshotter: snapshotInProcess(clientRequest), onWarning },
        onNotice,
      });
      watchedWorker = { worker, repartitioner, client, settings, holdups: halves, version: packageVersion() };
      writeGreeting(greeting({ settings, detector, instance, http: health?.address }));
      const parts = [worker, ...(repartitioner ? [repartitioner] : []), ...Object.values(halves)];
      await runTogether(parts, stop.signal);
    } finally {
      health?.close();
    }
  } finally {
    await Promise.all([first?.client.close(), client.close()]);
    // A call of the client that never returns would keep the process: Node waits for its thread.
    endSoon('SIGKILL', END_MILLISECONDS);
    endUnread();
  }
}
