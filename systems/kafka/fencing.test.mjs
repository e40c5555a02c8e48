// What the exactness of several workers rests on: one transactional producer for each worker is fenced by the generation of its group, as long as
// the worker gives up its partitions only after its transaction has ended (docs/decisions/110-tests-against-brokers.md).

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Cluster } from '../../tools/support/kafka/broker.mjs';
import { needed, skips } from './support/options.mjs';
import { waitFor } from './support/waiting.mjs';

const path = fileURLToPath(new URL('./support/member.mjs', import.meta.url));
const [INPUT, OUTPUT] = ['events', 'events.first'];
const PARTITIONS = 2;
/** The error of the broker for a member that it does not know. */
const UNKNOWN_MEMBER = 25;

/** A process that does what it is asked, see member.mjs. */
class Member {
  #child;
  #waiting = new Map();
  #asked = 0;

  constructor(args) {
    this.#child = fork(path, args);
    this.isReady = new Promise((resolve) => {
      this.#child.on('message', ({ id, value, isReady }) => (isReady ? resolve() : this.#waiting.get(id)(value)));
    });
  }

  ask(name, ...args) {
    const id = this.#asked++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, name, args });
    });
  }

  has(count) {
    return waitFor(`${count} partitions of a member`, async () => (await this.ask('partitions')).length === count);
  }

  kill(signal) {
    this.#child.kill(signal);
  }
}

describe('a producer of a member of a group', { skip: skips.inFull }, () => {
  let cluster;
  const members = [];
  before(async () => {
    cluster = await Cluster.start(needed);
    for (const topic of [INPUT, OUTPUT]) await cluster.tool.create(topic, { partitions: PARTITIONS });
  });
  after(async () => {
    for (const member of members) member.kill('SIGKILL');
    await cluster?.stop();
  });

  async function join(group, instance) {
    const member = new Member([needed.client, cluster.brokers, group, instance, INPUT, OUTPUT]);
    members.push(member);
    await member.isReady;
    return member;
  }

  /** Two members, the first of which has begun a transaction for its partition and is stopped until the other one has that partition. */
  async function zombieOf(group, names, { holds }) {
    const zombie = await join(group, names[0]);
    await zombie.has(PARTITIONS);
    const other = await join(group, names[1]);
    await Promise.all([zombie.has(1), other.has(1)]);
    if (holds) await zombie.ask('hold');
    const [partition] = await zombie.ask('partitions');
    await zombie.ask('begin');
    await zombie.ask('send', partition, group);
    zombie.kill('SIGSTOP');
    await other.has(PARTITIONS);
    zombie.kill('SIGCONT');
    await waitFor('the loss of a partition', () => zombie.ask('isLost'));
    return { zombie, partition };
  }

  async function outputOf(text) {
    const value = `:${Buffer.from(text).toString('base64')}`;
    return (await cluster.tool.read(OUTPUT)).filter((line) => line.endsWith(value)).length;
  }

  for (const [kind, names] of [
    ['with a name', ['a', 'b']],
    ['without a name', ['', '']],
  ]) {
    test(`is refused after another member ${kind} got its partition`, async () => {
      const group = `refused ${kind}`;
      const { zombie, partition } = await zombieOf(group, names, { holds: true });
      assert.deepEqual(await zombie.ask('sendOffset', partition, 1), { code: UNKNOWN_MEMBER });
      assert.deepEqual(await zombie.ask('commit'), { code: UNKNOWN_MEMBER });
      assert.deepEqual(await zombie.ask('abort'), {});
      assert.equal(await outputOf(group), 0);
      await zombie.ask('release');
    });
  }

  test('is not refused if it gave up the partition before: it has the next generation then', async () => {
    const group = 'not refused';
    const { zombie, partition } = await zombieOf(group, ['a', 'b'], { holds: false });
    await zombie.has(1);
    await zombie.ask('sendOffset', partition, 1);
    await zombie.ask('commit');
    assert.equal(await outputOf(group), 1);
  });
});
