// The programs that are compared on a topic of Kafka, and what each is given.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plan } from '../../packages/firstseen/dist/plan.js';

const copyProgram = fileURLToPath(new URL('../kafka/copy.mjs', import.meta.url));
export const [OURS, CHECKED, COPY, SHAPED, STREAMS] = [
  'firstseen kafka',
  'firstseen kafka, keys of messages checked',
  'without deduplication',
  'without deduplication, interface of KafkaJS',
  'Kafka Streams, window store',
];
export const INPUT = 'events';
export const PARTITIONS = 4;
const FAMILY = 'pocketwindow';
const TARGET_FPR = 0.001;
/** Bytes of our detectors for each identifier that is expected. */
const BYTES_OF_IDENTIFIER = 3;
const BLOCK_BYTES = 512;
/** Kafka Streams has as much as a broker of the tests has; without a limit, it takes what the machine has. */
const HEAP = '-Xmx512m';

/**
 * What the planner advises for the detector of a partition, and predicts of it.
 * @returns flags, and what is predicted: fpr and fnr
 */
export async function plannedFor({ records, identifiers }) {
  const [lengthElements, distinctElements] = [records, identifiers].map((count) => Math.round(count / PARTITIONS));
  const bytes = identifiers * BYTES_OF_IDENTIFIER;
  const asked = { memory: Math.floor(bytes / PARTITIONS), fpr: TARGET_FPR, windowElements: lengthElements };
  const { families } = await plan({ ...asked, lengthElements, distinctElements });
  const { parameters, prediction } = families.find(({ algorithm }) => algorithm === FAMILY);
  // The worker takes W, the length of the window, from --window, as a time.
  const { W: _, ...sizes } = parameters;
  const texts = Object.entries(sizes).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
  const flags = ['-k', 'id', '--window', '1h', '--memory', String(bytes), '-a', FAMILY, ...texts];
  return { flags, predicted: prediction };
}

/** The bytes that files take in a folder and the folders in it. A file with holes takes less than its length. */
export function bytesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() ? Math.min(found.size, found.blocks * BLOCK_BYTES) : 0), 0);
}

/** The bytes of topics on the brokers, with all replicas. */
export function topicBytes(cluster, isWanted) {
  const folders = cluster.nodes.map(({ folder }) => join(folder, 'data'));
  return folders
    .flatMap((data) => readdirSync(data).map((name) => ({ name, folder: join(data, name) })))
    .filter(({ name }) => isWanted(name))
    .reduce((sum, { folder }) => sum + bytesIn(folder), 0);
}

/** @returns the programs by name, each with command, args, and the beginning of the names of its own topics */
export function programsFor({ client, main, classPath, replicas, flags }) {
  const copy = (kind) => (place) => ({
    command: process.execPath,
    args: [copyProgram, kind, client, place.brokers, place.group, INPUT, place.output],
  });
  const ours =
    (...more) =>
    ({ brokers, group, output, folder }) => ({
      command: process.execPath,
      args: [
        ...[main, 'kafka', '--brokers', brokers, '--input', INPUT, '--output', output],
        ...[...flags, ...more, '--group', group, '--state', folder],
      ],
      topics: `${group}-pointers-`,
    });
  const quiet = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
  return {
    [OURS]: ours('--partitioned'),
    [CHECKED]: ours(),
    [COPY]: copy('plain'),
    [SHAPED]: copy('shaped'),
    [STREAMS]: ({ brokers, group, output, folder }) => ({
      command: 'java',
      args: [HEAP, quiet, '-cp', classPath, 'Distinct', brokers, group, INPUT, output, folder, String(replicas)],
      topics: `${group}-identifiers-`,
    }),
  };
}
