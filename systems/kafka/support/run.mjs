// Workers of one group, under a load, and the comparison of what they wrote with what one process writes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultsOf, recordsIn } from './containers.mjs';
import { compare } from './oracle.mjs';
import { formats } from './values.mjs';
import { waitFor } from './waiting.mjs';
import { Worker } from './worker.mjs';

const PARTITIONS = 4;
/** Each partition has so little memory that what its detector answers depends on all that it has observed. */
const PARTITION_BYTES = 8192;
const DETECTOR = { algorithm: 'bsbf', memory: PARTITION_BYTES };
const SESSION_SECONDS = 6;
/** Members learn soon that their group changes. */
const HEARTBEAT_MILLISECONDS = 500;
/** What a recovery may take in addition to the timeouts of the session and the transaction. */
const RECOVERY_SECONDS = 5;
const DRAIN_SECONDS = 180;
const READY_SECONDS = 120;

let runs = 0;

/** Whether a worker has emitted records. */
async function hasWorked(worker) {
  return (await worker.given()) > 0;
}

export class Run {
  #cluster;
  #main;
  #flags;
  #brokers;
  #detector;
  #load;
  #input;
  #output;
  #isTimed;
  #isSupervised;
  #repartition;
  #format;
  #outputSettings;
  #workers = new Set();
  #groups = new Map();
  /** What workers said last that a supervisor has started again. */
  ends = [];
  folder = mkdtempSync(join(tmpdir(), 'firstseen-kafka-state-'));

  /**
   * @param options repartition: the partitions of the topic into which the input is cut, if it is cut; holds: the name of what a message holds, of
   * `formats`; outputSettings: of the topic of the output; brokers: their addresses for workers
   */
  constructor({
    cluster,
    main,
    flags = [],
    detector = {},
    isTimed = false,
    isSupervised = false,
    repartition,
    holds = 'object',
    outputSettings = {},
    brokers = cluster.brokers,
  }) {
    const number = runs++;
    this.#cluster = cluster;
    this.#main = main;
    this.#flags = flags;
    this.#brokers = brokers;
    this.#detector = { ...DETECTOR, ...detector };
    this.#isTimed = isTimed;
    this.#isSupervised = isSupervised;
    this.#repartition = repartition;
    this.#format = formats[holds];
    this.#outputSettings = outputSettings;
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
    const { tool } = this.#cluster;
    const topic = this.#inputOptions;
    const outputs = { ...topic, partitions: this.#partitions };
    const settings = { ...topic.settings, ...this.#outputSettings };
    await Promise.all([tool.create(this.#input, topic), tool.create(this.#output, { ...outputs, settings })]);
    if (this.#repartition) await tool.create(this.cut, outputs);
  }

  /** The folder in which the group has its snapshots. */
  get snapshots() {
    return join(this.folder, this.group);
  }

  get input() {
    return this.#input;
  }

  get output() {
    return this.#output;
  }

  /** The topic of its pointers. */
  get pointers() {
    return `${this.group}-pointers`;
  }

  /** The topic into which the input is cut. */
  get cut() {
    return `${this.#input}.cut`;
  }

  /** Removes the input, and makes it again without records. */
  async remake(whenRemoved = async () => undefined) {
    await this.#cluster.tool.remove(this.#input);
    await whenRemoved();
    await this.#cluster.tool.create(this.#input, this.#inputOptions);
  }

  /** Waits until the sessions of workers that were killed are over, and removes the offsets of their groups. */
  async forgetOffsets() {
    for (const group of [this.group, ...(this.#repartition ? [`${this.group}-repartition`] : [])]) {
      const isForgotten = () =>
        this.#cluster.tool.forget(group).then(
          () => true,
          () => false,
        );
      await waitFor('the end of the sessions', isForgotten, { seconds: READY_SECONDS, milliseconds: 500 });
    }
  }

  get #inputOptions() {
    // The records of a load have times of the past, which a retention would remove.
    return { partitions: PARTITIONS, replicas: this.#cluster.nodes.length, settings: { 'retention.ms': -1 } };
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
      this.ends.push(worker.lastLine);
      this.start();
    }
  }

  /** Waits until the only worker has emitted records, or the one that takes its place. */
  async supervisedWorks() {
    const hasCommitted = async () => {
      this.#supervise();
      const [worker] = this.#workers;
      return hasWorked(worker);
    };
    const waiting = { seconds: READY_SECONDS, milliseconds: 100, told: () => this.#told };
    await waitFor('the work of a worker', hasCommitted, waiting);
  }

  /**
   * Starts a worker.
   * @param name its instance in the group
   * @param options group: another one than that of the run; main: another program; brokers: other addresses;
   * more: more flags; wordsOf: as of `Worker`
   */
  start(name = 'a', { group = this.group, main = this.#main, brokers = this.#brokers, more = [], wordsOf } = {}) {
    const flags = [
      ...['--brokers', brokers, '--input', this.#input, '--output', this.#output],
      ...[...this.#format.flags, '-a', this.#detector.algorithm],
      ...['--memory', String(this.#partitions * PARTITION_BYTES)],
      // Records of a load are in the partition of their identifier, also those without a key, unless they are scattered.
      ...(this.#repartition ? ['--repartition', this.cut] : ['--partitioned']),
      ...['--group', group, '--instance', name, '--state', this.folder],
      ...['--config', `session.timeout.ms=${SESSION_SECONDS * 1000}`],
      ...['--config', `heartbeat.interval.ms=${HEARTBEAT_MILLISECONDS}`],
      ...this.#flags,
      ...more,
    ];
    const worker = Worker.start({ main, flags, wordsOf });
    this.#workers.add(worker);
    this.#groups.set(worker, group);
    return worker;
  }

  /** Waits until a worker has emitted records. @throws Error with what it says if it has ended */
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

  /** What the workers say. */
  get #told() {
    return Array.from(this.#workers, ({ output }) => output).join('\n');
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

  /** The id of the transactions of a worker. */
  transactionOf(name) {
    return `${this.group}/${name}`;
  }

  /** The states of the transactions of a worker, or of the group, as the broker has them. */
  async transactions(name = '') {
    return (await this.#cluster.tool.transactions(this.transactionOf(name))).map((row) => row[3]);
  }

  /** Waits until the transaction of a worker has been in each of these states. */
  awaitTransaction(name, states) {
    return this.#cluster.tool.awaitTransaction(this.transactionOf(name), states);
  }

  /** The time that a recovery may take, in seconds: timeouts of the worker as it told them, and some seconds. */
  async maxRecoverySeconds() {
    const rows = await this.#cluster.tool.transactions(this.transactionOf(''));
    return SESSION_SECONDS + Math.max(...rows.map((row) => Number(row[4]))) / 1000 + RECOVERY_SECONDS;
  }

  /** Waits until the workers have all partitions, each of them some, and have committed outputs of each partition. */
  async shared() {
    const seen = new Map();
    const isShared = async () => {
      const workers = [...this.#workers];
      for (const worker of workers) this.#check(worker);
      const found = await Promise.all(workers.map((worker) => worker.positions()));
      const places = found.flatMap((positions, number) =>
        [...positions].map(([partition, position]) => ({ place: `${number} ${partition}`, position })),
      );
      for (const { place, position } of places) seen.set(place, (seen.get(place) ?? new Set()).add(position));
      // A worker moves on once it has committed what it moved over before.
      const hasCommitted = places.every(({ place }) => seen.get(place).size > 2);
      return hasCommitted && places.length === PARTITIONS && found.every(({ size }) => size > 0);
    };
    await waitFor('the work of all workers', isShared, {
      seconds: READY_SECONDS,
      milliseconds: 50,
      told: () => this.#told,
    });
  }

  /**
   * Ends the load, waits until all of it was emitted, stops the workers, and compares.
   * @param options as of `compare`
   * @returns as of `compare`
   */
  async finish(options) {
    await this.#endLoad();
    const { tool } = this.#cluster;
    const input = await tool.read(this.#input);
    if (this.#repartition) await this.#awaitCut();
    const read = this.#repartition ? await tool.read(this.cut) : input;
    await this.#drain(read);
    for (const worker of this.#workers) await this.stop(worker);
    return this.#repartition ? this.#compareCut(input, read, options) : this.#compareWith(input, options);
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
    await waitFor('the cut of the input', isCut, {
      seconds: DRAIN_SECONDS,
      milliseconds: 100,
      told: () => this.#told,
    });
  }

  /** Compares the output with what one process makes of the records that were cut, and these with the input. */
  async #compareCut(input, containers, options) {
    const records = recordsIn(containers);
    const { differences, ...numbers } = await this.#compareWith(
      records.map(({ line }) => line),
      options,
    );
    return {
      differences: [...faultsOf(input, records, this.#format), ...differences],
      containers: containers.length,
      ...numbers,
    };
  }

  async #compareWith(input, options) {
    const output = await this.#cluster.tool.read(this.#output);
    const ofRun = {
      partitions: this.#partitions,
      detector: this.#detector,
      isTimed: this.#isTimed,
      format: this.#format,
    };
    return compare({ input, output }, { ...ofRun, ...options });
  }

  /** Waits until all records of an input were emitted. */
  async #drain(input) {
    // The last line of a partition is its last record.
    const last = new Map(input.map((line) => line.split('\t').slice(0, 2)));
    const isGivenOut = async () => {
      if (this.#isSupervised) this.#supervise();
      for (const worker of this.#workers) this.#check(worker);
      const found = await Promise.all(
        Array.from(this.#workers, async (worker) => [this.#groups.get(worker), await worker.positions()]),
      );
      const isOf = (group, [partition, offset]) =>
        found.some(([name, positions]) => name === group && positions.get(partition) > Number(offset));
      return found.every(([group]) => [...last].every((place) => isOf(group, place)));
    };
    await waitFor('the end of the input', isGivenOut, {
      seconds: DRAIN_SECONDS,
      milliseconds: 100,
      told: () => this.#told,
    });
  }

  /** Ends what still runs, and removes the state. */
  async end() {
    this.#load.child.kill('SIGKILL');
    await Promise.all([...this.#workers].map((worker) => worker.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
