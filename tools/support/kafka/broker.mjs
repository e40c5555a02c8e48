// Brokers on the loopback: one, or three whose topics have three replicas.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../ports.mjs';
import { Tool } from './tool.mjs';

const WAIT_MILLISECONDS = 100;
/** A machine that is busy takes long. */
const MAX_WAITS = 3000;
const SHOWN_CHARACTERS = 2000;
/** With several nodes, what one of them had goes to others within seconds. */
const failover = { 'broker.session.timeout.ms': 6000, 'broker.heartbeat.interval.ms': 1000 };

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** The settings of a node. Its own topics have few partitions, so that it starts fast. */
function propertiesOf(node, nodes, others) {
  const replicas = nodes.length;
  const inSync = Math.min(2, replicas);
  const ports = Object.entries(node.ports);
  const addresses = ports.map(([name, port]) => `${name}://127.0.0.1:${port}`);
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': nodes.map(({ id, controller }) => `${id}@127.0.0.1:${controller}`).join(','),
    'controller.listener.names': 'CONTROLLER',
    listeners: [...addresses, `CONTROLLER://127.0.0.1:${node.controller}`].join(','),
    'advertised.listeners': addresses.join(','),
    'listener.security.protocol.map': ['CONTROLLER:PLAINTEXT', ...ports.map(([name]) => `${name}:${name}`)].join(','),
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': join(node.folder, 'data'),
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.num.partitions': 6,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.num.partitions': 6,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': inSync,
    'group.initial.rebalance.delay.ms': 0,
    'auto.create.topics.enable': false,
    'log.cleaner.dedupe.buffer.size': 8_388_608,
    ...(replicas > 1 ? failover : {}),
    ...others,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** A node of a cluster: a process that can be killed, stopped and started again with its folder. */
class Node {
  #libs;
  #child;

  constructor({ id, ports, controller, folder, libs }) {
    Object.assign(this, { id, ports, controller, folder });
    this.#libs = libs;
  }

  get pid() {
    return this.#child?.pid;
  }

  get isRunning() {
    return this.#child !== undefined;
  }

  get #file() {
    return join(this.folder, 'node.properties');
  }

  async format(cluster, properties, flags) {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(this.#file, properties);
    const words = ['format', '-t', cluster, '-c', this.#file, ...flags];
    const child = this.#java('format.log', 'kafka.tools.StorageTool', ...words);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`the folder of a broker cannot be formatted: ${this.#log('format.log')}`);
  }

  /** Starts the process. It answers later. */
  start() {
    const child = this.#java('broker.log', 'kafka.Kafka', this.#file);
    this.#child = child;
    child.on('close', () => {
      if (this.#child === child) this.#child = undefined;
    });
  }

  async answers() {
    for (let i = 0; i < MAX_WAITS; i++) {
      if (!this.isRunning) break;
      if (await isListening(this.ports.PLAINTEXT)) return;
      await sleep(WAIT_MILLISECONDS);
    }
    throw new Error(`a broker does not answer: ${this.#log('broker.log')}`);
  }

  async kill(signal = 'SIGKILL') {
    const child = this.#child;
    if (child === undefined) return;
    const ended = once(child, 'close');
    child.kill(signal);
    await ended;
  }

  /** Lets the process stand still, as a machine that hangs. */
  pause() {
    this.#child.kill('SIGSTOP');
  }

  resume() {
    this.#child.kill('SIGCONT');
  }

  #java(log, ...words) {
    const file = openSync(join(this.folder, log), 'a');
    const flags = ['-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
    return spawn('java', [...flags, '-cp', `${this.#libs}/*`, ...words], { stdio: ['ignore', file, file] });
  }

  #log(name) {
    return readFileSync(join(this.folder, name), 'utf8').slice(-SHOWN_CHARACTERS);
  }
}

/** Brokers that know each other. */
export class Cluster {
  #root;

  /** Asks the brokers with Java's own clients. */
  tool;

  constructor({ root, nodes }) {
    this.#root = root;
    this.nodes = nodes;
  }

  /**
   * Starts brokers with an empty folder, and waits until they answer.
   * @param options libs: the jars; classPath: that of the tool; count of brokers: 1 or 3; settings: others of the brokers; listeners: the
   * protocols of others than PLAINTEXT; formatFlags: flags by which a broker begins with users
   */
  static async start({ libs, classPath, count = 1, settings = {}, listeners = [], formatFlags = [] }) {
    const root = mkdtempSync(join(tmpdir(), 'firstseen-kafka-'));
    const names = ['PLAINTEXT', ...listeners];
    const free = await freePorts((names.length + 1) * count);
    const nodes = Array.from({ length: count }, (_, i) => {
      const id = i + 1;
      const ports = Object.fromEntries(names.map((name) => [name, free.pop()]));
      return new Node({ id, ports, controller: free.pop(), folder: join(root, `node-${id}`), libs });
    });
    const cluster = new Cluster({ root, nodes });
    cluster.tool = new Tool({ classPath, brokers: cluster.brokers });
    const id = randomBytes(16).toString('base64url').replace(/^-/, 'A');
    try {
      await Promise.all(nodes.map((node) => node.format(id, propertiesOf(node, nodes, settings), formatFlags)));
      for (const node of nodes) node.start();
      await Promise.all(nodes.map((node) => node.answers()));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** The addresses of all brokers, for clients. */
  get brokers() {
    return this.brokersOf('PLAINTEXT');
  }

  /** Their addresses for clients of a protocol. */
  brokersOf(protocol) {
    return this.nodes.map(({ ports }) => `127.0.0.1:${ports[protocol]}`).join(',');
  }

  node(id) {
    return this.nodes.find((node) => node.id === id);
  }

  /** Ends the brokers, and removes their folders. */
  async stop() {
    this.tool.stop();
    await Promise.all(this.nodes.map((node) => node.kill()));
    rmSync(this.#root, { recursive: true, force: true });
  }
}
