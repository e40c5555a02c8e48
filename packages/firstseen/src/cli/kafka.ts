// What `firstseen kafka` does: from its options to a worker that has stopped.

import { join } from 'node:path';
import { formatCounted } from '../base/count.js';
import { formatBytes } from '../base/memory.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { ConfluentClient } from '../io/kafka/client.js';
import { makeFolder } from '../io/system/makefolder.js';
import { snapshotInProcess } from '../kafka/process.js';
import type { WorkerSettings } from '../kafka/settings.js';
import { checkTopics, inputPartitions, makePointers } from '../kafka/topics.js';
import { Worker } from '../kafka/worker.js';
import * as rows from '../options/kafka.js';
import { settingsWithKeys } from '../plan/keys.js';
import { bandText } from '../plan/text.js';
import { packageVersion } from './commandline.js';
import { clientProperties } from './kafka/properties.js';
import {
  type GivenFlags,
  instanceOf,
  type KafkaValues,
  readKafkaSettings,
  topicsOf,
  workerSettings,
} from './kafka/settings.js';
import { stopListener } from './signals.js';
import { writeMessage, writeOutput } from './streams.js';

export type { GivenFlags } from './kafka/settings.js';

const onWarning = (message: string) => writeMessage(`firstseen: ${message}`);

function keyText({ place, keys }: WorkerSettings['keys']): string {
  const where = typeof place === 'string' ? `the ${place}` : `the header ${place.header}`;
  return keys.length === 0 ? where : `${keys.join(', ')} in ${where}, as JSON`;
}

function windowText({ parameters: { band, isTimed } }: DetectorSettings): string[] {
  if (band === undefined) return [];
  return [`window: ${bandText(band)}${isTimed ? ', by the timestamps of the records' : ''}`];
}

interface Greeting {
  settings: WorkerSettings;
  detector: DetectorSettings;
  instance: string;
  http: string | undefined;
}

function greeting({ settings, detector, instance, http }: Greeting): string {
  const { topics, partitions, group, keys, folder, snapshotEvery } = settings;
  const { family, memoryBytes } = detector;
  return `${[
    `firstseen ${packageVersion()}`,
    `input: ${topics.input}, ${formatCounted(partitions, 'partition')}`,
    `output: ${topics.output}`,
    `duplicates: ${topics.duplicates ?? 'dropped'}`,
    `group: ${group}, worker ${instance}, pointers in ${topics.pointers}`,
    `key: ${keyText(keys)}`,
    `detector: ${family.name}, ${formatBytes(memoryBytes)} for each partition`,
    ...windowText(detector),
    `state: ${folder}, a snapshot every ${formatCounted(snapshotEvery, 'record')}`,
    ...(http === undefined ? [] : [`http: ${http}`]),
  ].join('\n')}\n`;
}

/** The settings of the detector of a partition. @throws FirstseenError E_BOUND and others when no detector can be what is asked */
function plannedDetector({ detector }: WorkerSettings): Promise<DetectorSettings> {
  return settingsWithKeys({ ...detector, clock: 'manual' });
}

/** Answers monitors, if that is asked for. */
async function startHealth({ host = rows.httpHost.default, httpPort }: KafkaValues, watched: WatchedWorker) {
  if (httpPort === undefined) return undefined;
  const { serveHealth } = await import('../kafka/health.js');
  const { port, close } = await serveHealth(host, httpPort, { ...watched, version: packageVersion() });
  return { address: `http://${host.includes(':') ? `[${host}]` : host}:${port}/`, close };
}

interface WatchedWorker {
  worker: Worker;
  client: ConfluentClient;
  settings: WorkerSettings;
}

/** Runs a worker until a signal asks it to stop. */
export async function runKafka(flags: GivenFlags): Promise<void> {
  const asked = readKafkaSettings(flags);
  const values = asked.values as unknown as KafkaValues;
  const topics = topicsOf(values);
  const stop = stopListener();
  const instance = instanceOf(values);
  const reached = { properties: await clientProperties(asked, onWarning), group: values.group, instance };
  // What contradicts itself is refused before anything is reached.
  await plannedDetector(workerSettings(values, 1));
  const client = await ConfluentClient.connect({ ...reached, onWarning });
  try {
    const partitions = await inputPartitions(client, topics.input);
    const settings = workerSettings(values, partitions);
    const detector = await plannedDetector(settings);
    await makePointers(client, topics, partitions);
    await checkTopics(client, settings);
    await makeFolder(join(settings.folder));
    const worker = new Worker({
      ...{ client, settings, snapshotter: snapshotInProcess(reached), onWarning },
      onNotice: (message) => writeMessage(`firstseen: ${message}`),
    });
    const health = await startHealth(values, { worker, client, settings });
    stop.listen();
    await writeOutput(greeting({ settings, detector, instance, http: health?.address }));
    try {
      await worker.run(stop.signal);
    } finally {
      health?.close();
    }
  } finally {
    await client.close();
  }
}
