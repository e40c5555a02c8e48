// How fast a program empties a topic, by what it commits for its group, and what it takes meanwhile.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processorSeconds, residentBytes } from './processgroups.mjs';

const POLL_MILLISECONDS = 50;
const TIMEOUT_MILLISECONDS = 5000;
const STOP_MILLISECONDS = 30_000;
/** A program that commits nothing for so long has failed. */
const STUCK_MILLISECONDS = 120_000;
/** The part of the topic after which time is measured: a program joins its group and fills its buffers before. */
const BEGINNING = 0.1;

/** Reads how far groups are, without being a member. */
class Progress {
  #consumer;
  #topic;
  #partitions;

  static async open({ client, brokers, group, topic, partitions }) {
    const { RdKafka } = createRequire(join(client, 'progress.js'))('@confluentinc/kafka-javascript');
    const progress = new Progress();
    // A transaction that is open must not keep the offsets from it.
    const properties = { 'bootstrap.servers': brokers, 'group.id': group, 'isolation.level': 'read_uncommitted' };
    progress.#consumer = new RdKafka.KafkaConsumer(properties, {});
    progress.#topic = topic;
    progress.#partitions = partitions;
    await progress.#call('connect', {});
    return progress;
  }

  #call(method, ...args) {
    return new Promise((resolve, reject) => {
      this.#consumer[method](...args, (error, value) => (error ? reject(error) : resolve(value)));
    });
  }

  /** The records that the group has committed, of all partitions; 0 while no broker knows the group. */
  async records() {
    const asked = Array.from({ length: this.#partitions }, (_, partition) => ({ topic: this.#topic, partition }));
    const found = await this.#call('committed', asked, TIMEOUT_MILLISECONDS).catch(() => []);
    return found.reduce((sum, { offset }) => sum + Math.max(0, offset ?? 0), 0);
  }

  close() {
    return this.#call('disconnect');
  }
}

/** A program that does not end by itself, in a process group of its own. */
class Running {
  #child;
  #ended;
  #output = '';

  constructor({ command, args }) {
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.#ended = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (chunk) => (this.#output += chunk));
    }
  }

  get group() {
    return this.#child.pid;
  }

  /** @throws Error when it has ended */
  check() {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) throw this.failure('a program has ended');
  }

  failure(problem) {
    return new Error(`${problem}: ${this.#output}`);
  }

  /** Ends it. It ends its transaction first. */
  async stop() {
    const kill = () => {
      try {
        process.kill(-this.group, 'SIGKILL');
      } catch {
        // All of the group has ended.
      }
    };
    const timer = setTimeout(kill, STOP_MILLISECONDS);
    this.#child.kill('SIGTERM');
    await this.#ended;
    clearTimeout(timer);
    kill();
  }
}

/** Waits until a group has committed so many records. */
async function waitUntil(records, { progress, running, sample }) {
  let [found, since] = [0, performance.now()];
  for (;;) {
    running.check();
    sample();
    const now = await progress.records();
    if (now >= records) return;
    if (now > found) [found, since] = [now, performance.now()];
    if (performance.now() - since > STUCK_MILLISECONDS) throw running.failure('a program does not go on');
    await sleep(POLL_MILLISECONDS);
  }
}

/**
 * Runs a program until it has read a topic.
 * @param options command, args: the program; place: client, brokers, group, topic, partitions; records: of the topic; diskBytes: what the
 * program has on disk
 * @returns seconds and processorSeconds of a record; memoryBytes and diskBytes: the most that was seen
 */
export async function emptyTopic({ command, args, place, records, diskBytes }) {
  const running = new Running({ command, args });
  const most = { memoryBytes: 0, diskBytes: 0 };
  const sample = () => {
    most.memoryBytes = Math.max(most.memoryBytes, residentBytes(running));
    most.diskBytes = Math.max(most.diskBytes, diskBytes());
  };
  let progress;
  try {
    progress = await Progress.open(place);
    const waiting = { progress, running, sample };
    await waitUntil(records * BEGINNING, waiting);
    const first = await progress.records();
    const begin = performance.now();
    const processor = await processorSeconds(running, () => waitUntil(records, waiting));
    const seconds = (performance.now() - begin) / 1000;
    const measured = records - first;
    return { seconds: seconds / measured, processorSeconds: processor / measured, ...most };
  } finally {
    await progress?.close();
    await running.stop();
  }
}
