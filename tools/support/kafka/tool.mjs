// Calls the tool in Java, which uses Java's own clients: what it finds does not depend on the client that is tested.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

function rowsOf(text) {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'));
}

/** The tool as a process that answers one command after the other, because each start of Java takes a second. */
class Service {
  #child;
  #lines;
  /** Ends when all commands were answered. */
  #last = Promise.resolve();

  constructor(child) {
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.resume();
  }

  /** The answer to a command. @throws Error with what went wrong */
  ask(words) {
    const answer = this.#last.then(() => this.#ask(words));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #ask(words) {
    this.#child.stdin.write(`${words.join('\t')}\n`);
    const answer = [];
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error('the tool in Java has ended');
      if (value === '.') return answer.map((line) => `${line}\n`).join('');
      if (value.startsWith('!')) throw new Error(`${words[0]} failed: ${value.slice(1)}`);
      answer.push(value);
    }
  }

  stop() {
    this.#child.kill('SIGKILL');
  }
}

function wordsOf(options) {
  return Object.entries(options).map(([name, value]) => `${name}=${value}`);
}

export class Tool {
  #classPath;
  #service;

  constructor({ classPath, brokers }) {
    this.#classPath = classPath;
    this.brokers = brokers;
  }

  /** Makes a topic. `settings` are of the topic, as `cleanup.policy`. */
  create(topic, { partitions = 1, replicas = 1, settings = {} } = {}) {
    return this.#ask('create', { topic, partitions, replicas, ...settings });
  }

  remove(topic) {
    return this.#ask('remove', { topic });
  }

  /** Removes the offsets of a group that has no members. @throws Error while it has some */
  forget(group) {
    return this.#ask('forget', { group });
  }

  addPartitions(topic, partitions) {
    return this.#ask('partitions', { topic, partitions });
  }

  /** Removes the records of a partition before an offset. */
  deleteRecords(topic, { partition, offset }) {
    return this.#ask('delete', { topic, partition, offset });
  }

  /**
   * Writes a load to its end. Options are those of `produce` in Tool.java: records, keys, seed, rate (records a second); of a thousand
   * records: keyless, tombstones, headers, early; abort; scattered: 1 for identifiers that are in all partitions; batch: `u64` or
   * `ndjson` for messages that hold many records.
   */
  produce(topic, options) {
    return this.#run('produce', { topic, ...options });
  }

  /** Starts a load, as `produce`. @returns its process, and `ended`: when it has ended */
  startLoad(topic, options) {
    const { child, text } = this.#start('produce', { topic, ...options });
    return { child, ended: text };
  }

  /** The committed records of a topic, by partition and offset: a line each, with the columns partition, offset, time, headers, key, value. */
  async read(topic) {
    const text = await this.#run('read', { topic });
    return text.split('\n').slice(0, -1);
  }

  /** Of each partition: first offset, end of what is committed, end. */
  async ends(topic) {
    return rowsOf(await this.#ask('ends', { topic })).map(([, first, stable, end]) => ({
      first: Number(first),
      stable: Number(stable),
      end: Number(end),
    }));
  }

  /** The offsets of a group, as rows of topic, partition, offset. */
  async offsets(group) {
    return rowsOf(await this.#ask('offsets', { group }));
  }

  /** Rows of a role and the id of its node: controller, leader of partition 0, group, transactions (with their id and state). */
  async roles(options) {
    return rowsOf(await this.#ask('roles', options));
  }

  /** Rows of a word, a node, and of a transaction the id, the state and the timeout in milliseconds, for ids that begin with a text. */
  async transactions(id) {
    return rowsOf(await this.#ask('transactions', { id }));
  }

  /** Waits until the transaction of an id has been in each of these states, one after the other. */
  async awaitTransaction(id, states) {
    await this.#ask('await', { id, states });
  }

  /** Gives a user a right: { type, name, operation, pattern }, as Kafka names them. */
  allow(user, right) {
    return this.#ask('allow', { user, ...right });
  }

  /** Takes a right from a user. */
  forbid(user, right) {
    return this.#ask('forbid', { user, ...right });
  }

  stop() {
    this.#service?.stop();
  }

  #ask(command, options) {
    this.#service ??= new Service(this.#java('serve', {}, 'pipe'));
    return this.#service.ask([command, ...wordsOf(options)]);
  }

  #run(command, options) {
    return this.#start(command, options).text;
  }

  #start(command, options) {
    const child = this.#java(command, options);
    return { child, text: textOf(child, command) };
  }

  #java(command, options, input = 'ignore') {
    const flags = ['-Xmx256m', '-XX:+UseSerialGC', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
    const args = [...flags, '-cp', this.#classPath, 'Tool', command, this.brokers, ...wordsOf(options)];
    return spawn('java', args, { stdio: [input, 'pipe', 'pipe'] });
  }
}

/** The output of a process. @throws Error with what it says if it fails */
async function textOf(child, command) {
  const [output, errors] = [[], []];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => errors.push(chunk));
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} failed (${code ?? signal}): ${Buffer.concat(errors)}`);
  return Buffer.concat(output).toString('latin1');
}
