// Workers of one group, under a load, and the comparison of what they wrote with what one process writes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOf, recordsIn } from './containers.mjs';
import { compare } from './oracle.mjs';
import { waitFor } from './waiting.mjs';
import { Worker } from './worker.mjs';

const PARTITIONS = 4;
/** Each partition has so little memory that what its detector answers depends on all that it has observed. */
const PARTITION_BYTES = 8192;
const DETECTOR = { algorithm: 'bsbf', memory: PARTITION_BYTES };
const SESSION_SECONDS = 6;
const DRAIN_SECONDS = 180;
const READY_SECONDS = 120;

let runs = 0;

/** Whether a worker has committed a transaction. */
async function hasWorked(worker) {
  return (await worker.metrics()).get('firstseen_kafka_transactions_total{outcome="committed"}') > 0;
}

export class Run {
  #cluster;
  #main;
  #flags;
  #detector;
  #load;
  #input;
  #output;
  #isTimed;
  #isSupervised;
  #repartition;
  #workers = new Set();
  /** How often a supervisor has started a worker again. */
  restarts = 0;
  folder = mkdtempSync(join(tmpdir(), 'firstseen-kafka-state-'));

  /** @param options repartition: the partitions of the topic into which the input is cut, if it is cut */
  constructor({ cluster, main, flags = [], detector = {}, isTimed = false, isSupervised = false, repartition }) {
    const number = runs++;
    this.#cluster = cluster;
    this.#main = main;
    this.#flags = flags;
    this.#detector = { ...DETECTOR, ...detector };
    this.#isTimed = isTimed;
    this.#isSupervised = isSupervised;
    this.#repartition = repartition;
    this.group = `dedup-${number}`;
    this.#input = `events-${number}`;
    this.#output = `events-${number}.first`;
  }

  /** The topics of a new run, and its load as of `Tool.produce`. */
  static async begin({ load, ...options }) {
    const run = new Run(options);
    await run.#makeTopics();
    run.startLoad(load);
    return run;
  }

  async #makeTopics() {
    const { tool, nodes } = this.#cluster;
    // The records of a load have times of the past, which a retention would remove.
    const topic = { partitions: PARTITIONS, replicas: nodes.length, settings: { 'retention.ms': -1 } };
    const outputs = { ...topic, partitions: this.#partitions };
    await Promise.all([tool.create(this.#input, topic), tool.create(this.#output, outputs)]);
    if (this.#repartition) await tool.create(this.#cut, outputs);
  }

  /** The folder in which the group has its snapshots. */
  get snapshots() {
    return join(this.folder, this.group);
  }

  get input() {
    return this.#input;
  }

  /** The topic into which the input is cut. */
  get #cut() {
    return `${this.#input}.cut`;
  }

  /** The partitions of the output. */
  get #partitions() {
    return this.#repartition ?? PARTITIONS;
  }

  startLoad(load) {
    this.#load = this.#cluster.tool.startLoad(this.#input, load);
    // A load that fails is found when its end is awaited.
    this.#load.ended.catch(() => undefined);
  }

  get #hasLoadFailed() {
    const { exitCode } = this.#load.child;
    return exitCode !== null && exitCode !== 0;
  }

  /** Ends the load: the records that were sent are the input. @throws Error if it has failed before */
  async #endLoad() {
    if (this.#hasLoadFailed) await this.#load.ended;
    this.#load.child.kill('SIGTERM');
    await this.#load.ended.catch(() => undefined);
  }

  /** Waits until all records of the load are sent. */
  async loaded() {
    await this.#load.ended;
  }

  /** Starts the only worker again if it has ended, as a supervisor does. */
  #supervise() {
    for (const worker of this.#workers) {
      if (!worker.hasEnded) continue;
      this.#workers.delete(worker);
      this.start();
      this.restarts++;
    }
  }

  /** Waits until the only worker has given out records, or the one that takes its place. */
  async supervisedWorks() {
    const hasCommitted = async () => {
      this.#supervise();
      const [worker] = this.#workers;
      return hasWorked(worker);
    };
    await waitFor('the work of a worker', hasCommitted, { seconds: READY_SECONDS, milliseconds: 100 });
  }

  /** Starts a worker. @param name its instance in the group */
  start(name = 'a') {
    const flags = [
      ...['--brokers', this.#cluster.brokers, '--input', this.#input, '--output', this.#output],
      ...['-f', 'ndjson', '-k', 'id', '-a', this.#detector.algorithm],
      ...['--memory', String(this.#partitions * PARTITION_BYTES)],
      // Records of a load are in the partition of their identifier, also those without a key, unless they are scattered.
      ...(this.#repartition ? ['--repartition', this.#cut] : ['--partitioned']),
      ...['--group', this.group, '--instance', name, '--state', this.folder],
      ...['--config', `session.timeout.ms=${SESSION_SECONDS * 1000}`],
      ...this.#flags,
    ];
    const worker = Worker.start({ main: this.#main, flags });
    this.#workers.add(worker);
    return worker;
  }

  /** Waits until a worker has given out records. @throws Error with what it says if it has ended */
  async works(worker) {
    await waitFor(
      'the work of a worker',
      async () => {
        this.#check(worker);
        if (this.#hasLoadFailed) await this.#load.ended;
        return hasWorked(worker);
      },
      { seconds: READY_SECONDS, milliseconds: 100, told: () => worker.output },
    );
  }

  #check(worker) {
    if (worker.hasEnded) throw new Error(`a worker ended: ${worker.output}`);
  }

  async kill(worker, options) {
    this.#workers.delete(worker);
    await worker.kill(options);
  }

  /** Ends a worker as its users do. @throws Error if it does not end well */
  async stop(worker) {
    this.#workers.delete(worker);
    const code = await worker.stop();
    if (code !== 0) throw new Error(`a worker ended with ${code}: ${worker.output}`);
  }

  /** The states of the transactions of the group, as the broker has them. */
  async transactions() {
    const roles = await this.#cluster.tool.roles({ topic: this.#input });
    return roles.filter(([role, , id]) => role === 'transactions' && id.includes(this.group)).map((row) => row[3]);
  }

  /**
   * Ends the load, waits until all of it was given out, stops the workers, and compares.
   * @returns as of `compare`
   */
  async finish() {
    await this.#endLoad();
    const { tool } = this.#cluster;
    const input = await tool.read(this.#input);
    if (this.#repartition) await this.#awaitCut();
    const read = this.#repartition ? await tool.read(this.#cut) : input;
    await this.#drain(read);
    for (const worker of this.#workers) await this.stop(worker);
    return this.#repartition ? this.#compareCut(input, read) : this.compareWith(input);
  }

  /** Waits until all records of the input are cut. */
  async #awaitCut() {
    const isCut = async () => {
      for (const worker of this.#workers) this.#check(worker);
      const metrics = await Promise.all(Array.from(this.#workers, (worker) => worker.metrics()));
      const lagOf = (found, partition) =>
        found.get(`firstseen_kafka_repartition_lag_records{partition="${partition}"}`);
      return Array.from({ length: PARTITIONS }, (_, partition) => partition).every((partition) =>
        metrics.some((found) => lagOf(found, partition) === 0),
      );
    };
    const told = () => Array.from(this.#workers, ({ output }) => output).join('\n');
    await waitFor('the cut of the input', isCut, { seconds: DRAIN_SECONDS, milliseconds: 100, told });
  }

  /** Compares the output with what one process makes of the records that were cut, and these with the input. */
  async #compareCut(input, containers) {
    const records = recordsIn(containers);
    const { differences, ...numbers } = await this.compareWith(records.map(({ line }) => line));
    return { differences: [...faultsOf(input, records), ...differences], containers: containers.length, ...numbers };
  }

  async compareWith(input) {
    const output = await this.#cluster.tool.read(this.#output);
    return compare(
      { input, output },
      { partitions: this.#partitions, detector: this.#detector, isTimed: this.#isTimed },
    );
  }

  /** Waits until all records of an input were given out. */
  async #drain(input) {
    // The last line of a partition is its last record.
    const last = new Map(input.map((line) => line.split('\t').slice(0, 2)));
    const isGivenOut = async () => {
      if (this.#isSupervised) this.#supervise();
      for (const worker of this.#workers) this.#check(worker);
      const metrics = await Promise.all(Array.from(this.#workers, (worker) => worker.metrics()));
      const positionOf = (partition) =>
        Math.max(
          ...metrics.map((found) => found.get(`firstseen_kafka_position_offset{partition="${partition}"}`) ?? 0),
        );
      return [...last].every(([partition, offset]) => positionOf(partition) > Number(offset));
    };
    const told = () => Array.from(this.#workers, ({ output }) => output).join('\n');
    await waitFor('the end of the input', isGivenOut, { seconds: DRAIN_SECONDS, milliseconds: 100, told });
  }

  /** Ends what still runs, and removes the state. */
  async end() {
    this.#load.child.kill('SIGKILL');
    await Promise.all([...this.#workers].map((worker) => worker.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
