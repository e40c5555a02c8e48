// `firstseen kafka` beside the same pipeline without deduplication, on both interfaces of the client, and beside a deduplication by Kafka
// Streams. It is measured when it is asked for by name, because it fetches Kafka and its client.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cluster } from '../tools/support/kafka/broker.mjs';
import { compileJava, fetchClient, fetchKafka } from '../tools/support/kafka/fetch.mjs';
import { withPackage } from '../tools/support/kafka/program.mjs';
import { median } from '../tools/support/median.mjs';
import {
  bytesIn,
  CHECKED,
  COPY,
  INPUT,
  OURS,
  PARTITIONS,
  plannedFor,
  programsFor,
  SHAPED,
  STREAMS,
  topicBytes,
} from './lib/kafkaprograms.mjs';
import { emptyTopic } from './lib/kafkarates.mjs';
import { loadText } from './lib/machine.mjs';
import { takeAsyncTurns } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const javaFolder = fileURLToPath(new URL('./kafka/java', import.meta.url));
/** The least rate of ours, as a share of that of the pipelines without deduplication. */
const [TARGET_OF_COPY, TARGET_OF_SHAPED] = [0.9, 2];
/** The most memory and disk of ours, as a share of those of Kafka Streams. */
const TARGET_OF_BYTES = 0.1;
/** Of 11 records, one repeats an earlier identifier. */
const RECORDS_OF_IDENTIFIERS = 1.1;
const PERCENT = 100;
const INTEGERS_OF_MESSAGE = 256;
const BATCHES_MEMORY = '256MiB';
/** The least integers in a second, in millions. */
const TARGET_OF_BATCHES = 2;

/** What is needed, or why it is not there as `missing`. */
function needed() {
  const kafka = fetchKafka();
  if (kafka.missing) return kafka;
  const client = fetchClient();
  if (client.missing) return client;
  const { libs } = kafka;
  return {
    ...{ client: client.folder, libs, toolPath: compileJava({ libs }) },
    classPath: compileJava({ libs, folder: javaFolder }),
  };
}

/** Runs the Java program that writes and counts events. */
function events(classPath, ...words) {
  return execFileSync('java', ['-Xmx512m', '-cp', classPath, 'Events', ...words.map(String)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Records of one identifier each, and flags of ours for them. */
async function eventsOf(identifiers) {
  const records = Math.round(identifiers * RECORDS_OF_IDENTIFIERS);
  const planned = await plannedFor({ records, identifiers });
  return { command: 'write', words: [records, identifiers], records, identifiers, ...planned };
}

/** Messages of many integers, and flags of ours for them. */
function batchesOf(messages) {
  const flags = ['-f', 'u64', '--batches', '--window', '1h', '--memory', BATCHES_MEMORY];
  return { command: 'batches', words: [messages, INTEGERS_OF_MESSAGE], records: messages, flags };
}

/** A topic of events on brokers, and programs that empty it. */
class Bench {
  #place;
  #turns = 0;

  constructor(place) {
    this.#place = place;
  }

  /** Starts brokers and fills a topic, for as long as some work takes. */
  static async with({ replicas, load, ...tools }, work) {
    const cluster = await Cluster.start({ libs: tools.libs, classPath: tools.toolPath, count: replicas });
    try {
      await cluster.tool.create(INPUT, topicOptions(replicas));
      events(tools.classPath, load.command, cluster.brokers, INPUT, ...load.words);
      return await withPackage({ client: tools.client }, ({ main }) => {
        const programs = programsFor({ ...tools, main, replicas, flags: load.flags });
        return work(new Bench({ ...tools, ...load, cluster, replicas, programs }));
      });
    } finally {
      await cluster.stop();
    }
  }

  get predicted() {
    return this.#place.predicted;
  }

  get input() {
    const { cluster, records, identifiers, replicas } = this.#place;
    const bytes = topicBytes(cluster, (name) => name.startsWith(`${INPUT}-`)) / replicas;
    return { records, identifiers, bytes };
  }

  /** Programs take turns. @returns the results of each, one for each round */
  async measure(names, rounds) {
    const results = Object.fromEntries(names.map((name) => [name, []]));
    const contenders = names.map((name) => ({
      name,
      turn: async () => {
        const result = await this.#turnOf(name);
        results[name].push(result);
        return result.seconds;
      },
    }));
    await takeAsyncTurns(contenders, rounds);
    return results;
  }

  /** Runs a program once over the whole topic, with a group of its own. */
  async #turnOf(name) {
    const { cluster, programs, client, replicas, records, predicted } = this.#place;
    const { brokers } = cluster;
    const group = `bench${this.#turns++}`;
    const output = `${group}-output`;
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-kafka-bench-'));
    await cluster.tool.create(output, topicOptions(replicas));
    try {
      const place = { client, brokers, group, topic: INPUT, partitions: PARTITIONS };
      const { topics, ...program } = programs[name]({ brokers, group, output, folder });
      const result = await emptyTopic({ ...program, place, records, diskBytes: () => bytesIn(folder) });
      const ownTopicBytes = topics ? topicBytes(cluster, (one) => one.startsWith(topics)) / replicas : 0;
      return { ...result, topicBytes: ownTopicBytes, ...(topics && predicted ? this.#errors(output) : {}) };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** The rates of false positives and false negatives, by what is in an output. */
  #errors(output) {
    const { classPath, cluster, records, identifiers } = this.#place;
    const [found, repeats] = events(classPath, 'count', cluster.brokers, output, identifiers).split('\t').map(Number);
    return { fpr: (identifiers - found) / identifiers, fnr: repeats / (records - identifiers) };
  }
}

function topicOptions(replicas) {
  return { partitions: PARTITIONS, replicas, settings: { 'retention.ms': -1 } };
}

const medianOf = (results, field) => median(results.map((result) => result[field]));
const MEBIBYTE = 2 ** 20;

/** The row of a program, with `more` of a row. */
function rowOf(name, results, more = {}) {
  const mebibytes = (field) => medianOf(results, field) / MEBIBYTE;
  const beside = {
    'CPU of a record, µs': medianOf(results, 'processorSeconds') * 1e6,
    'memory, MiB': mebibytes('memoryBytes'),
    'folder, MiB': mebibytes('diskBytes'),
    'own topics, MiB': mebibytes('topicBytes'),
  };
  return row({ name, measured: 1e-3 / medianOf(results, 'seconds'), unit: 'k records/s', beside, ...more });
}

/** How many times as fast the first is. Within a round, all ran at nearly the same time. */
function speedOf(results, other) {
  return median(results.map(({ seconds }, round) => other[round].seconds / seconds));
}

function judged(to, value, bound, target) {
  return { compared: { to, value }, target: { bound, value: target } };
}

const percent = (share) => `${Number((share * PERCENT).toPrecision(2))} %`;

function streamText({ input: { records, identifiers, bytes } }) {
  return (
    `One worker, ${PARTITIONS} partitions, ${records} records of JSON with ${identifiers} identifiers and a window of an hour; ` +
    `${(bytes / records).toFixed(0)} bytes a record on the broker.`
  );
}

function errorText({ predicted }, results) {
  const shown = ({ fpr, fnr }) => `${percent(fpr)} of new records are lost and ${percent(fnr)} of repeats pass`;
  const measured = { fpr: medianOf(results[OURS], 'fpr'), fnr: medianOf(results[OURS], 'fnr') };
  const others = { fpr: medianOf(results[STREAMS], 'fpr'), fnr: medianOf(results[STREAMS], 'fnr') };
  return `Of ours, the planner says that ${shown(predicted)}; measured: ${shown(measured)}. Of Kafka Streams: ${shown(others)}.`;
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureKafka({ isQuick }) {
  const title = 'Kafka';
  const tools = needed();
  if (tools.missing) return { title, text: `Not measured: ${tools.missing}.`, rows: [] };
  const { identifiers, rounds } = isQuick ? { identifiers: 100_000, rounds: 1 } : { identifiers: 1_000_000, rounds: 3 };
  const load = await eventsOf(identifiers);
  const one = await Bench.with({ ...tools, load, replicas: 1 }, async (bench) => {
    const results = await bench.measure([OURS, CHECKED, COPY, SHAPED], rounds);
    Object.assign(results, await bench.measure([STREAMS], 1));
    return { results, text: `${streamText(bench)} ${errorText(bench, results)}` };
  });
  const three = await Bench.with({ ...tools, load, replicas: 3 }, (bench) => bench.measure([OURS, COPY], 1));
  const text = `${one.text} Medians of ${rounds} rounds; one of Kafka Streams and with three brokers. ${loadText()}`;
  return { title, text, rows: rowsOf(one.results, three) };
}

function rowsOf(one, three) {
  const speed = (name) => speedOf(one[OURS], one[name]);
  return [
    rowOf(OURS, one[OURS], judged('of the rate without deduplication', speed(COPY), 'least', TARGET_OF_COPY)),
    rowOf(CHECKED, one[CHECKED], {
      compared: { to: 'of the rate without deduplication', value: speedOf(one[CHECKED], one[COPY]) },
    }),
    rowOf(COPY, one[COPY]),
    rowOf(SHAPED, one[SHAPED], judged(`times as fast is ${OURS}`, speed(SHAPED), 'least', TARGET_OF_SHAPED)),
    rowOf(STREAMS, one[STREAMS], {
      compared: {
        to: `times as fast is ${OURS}`,
        value: medianOf(one[STREAMS], 'seconds') / medianOf(one[OURS], 'seconds'),
      },
    }),
    rowOf(`${OURS}, three brokers`, three[OURS], {
      compared: { to: 'of the rate without deduplication', value: speedOf(three[OURS], three[COPY]) },
    }),
    rowOf(`${COPY}, three brokers`, three[COPY]),
  ];
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureKafkaLarge({ isQuick }) {
  const title = 'Kafka, many identifiers';
  const tools = needed();
  if (tools.missing) return { title, text: `Not measured: ${tools.missing}.`, rows: [] };
  const identifiers = isQuick ? 200_000 : 10_000_000;
  return Bench.with({ ...tools, load: await eventsOf(identifiers), replicas: 1 }, async (bench) => {
    const results = await bench.measure([OURS, STREAMS], 1);
    const bytes = ([{ memoryBytes, diskBytes }]) => memoryBytes + diskBytes;
    const share = bytes(results[OURS]) / bytes(results[STREAMS]);
    const rows = [
      rowOf(OURS, results[OURS], judged('of the memory and folder of Kafka Streams', share, 'most', TARGET_OF_BYTES)),
      rowOf(STREAMS, results[STREAMS]),
    ];
    return { title, text: `${streamText(bench)} ${errorText(bench, results)} One run. ${loadText()}`, rows };
  });
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureKafkaBatches({ isQuick }) {
  const title = 'Kafka, batches of identifiers';
  const tools = needed();
  if (tools.missing) return { title, text: `Not measured: ${tools.missing}.`, rows: [] };
  const messages = isQuick ? 4000 : 80_000;
  const rounds = isQuick ? 1 : 3;
  return Bench.with({ ...tools, load: batchesOf(messages), replicas: 1 }, async (bench) => {
    const results = (await bench.measure([OURS], rounds))[OURS];
    const millions = (seconds) => INTEGERS_OF_MESSAGE / seconds / 1e6;
    const beside = {
      'CPU of an identifier, µs': (medianOf(results, 'processorSeconds') * 1e6) / INTEGERS_OF_MESSAGE,
      'memory, MiB': medianOf(results, 'memoryBytes') / MEBIBYTE,
    };
    const measured = millions(medianOf(results, 'seconds'));
    const rate = judged('million a second', measured, 'least', TARGET_OF_BATCHES);
    const text =
      `One worker, ${PARTITIONS} partitions, ${messages} messages of ${INTEGERS_OF_MESSAGE} integers, a window of an hour, ${BATCHES_MEMORY}. ` +
      `Medians of ${rounds} rounds. ${loadText()}`;
    return { title, text, rows: [row({ name: OURS, measured, unit: 'M identifiers/s', beside, ...rate })] };
  });
}
