// Clients that change a server, and what they were told. What was acknowledged must be there after each restart.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client, fieldsOf } from './client.mjs';
import { fingerprintOf } from './reader.mjs';
import { SentDetectors } from './sent.mjs';

/** Leases that end while a test runs, and leases that do not. */
const [SHORT_LEASE, LONG_LEASE] = ['400', '3600000'];
/** A window after which a key is free again, and a longer wait. */
const WINDOW = '100ms';
const AFTER_WINDOW_MILLISECONDS = 150;
/** Keys of one question. */
const ASKED = 1000;
const CLIENTS = 4;
/** How often a detector is sent. */
const SENT_SHARE = 0.1;

/** A claim: what was asked last, and what was acknowledged. */
const HELD = 'held';
const COMMITTED = 'committed';
const FREE = 'free';
const UNKNOWN = 'unknown';

function emptyKeys() {
  return { acknowledged: new Set(), sent: new Set() };
}

export class Load {
  #random;
  #next = 0;
  #isRunning = false;
  #working = [];
  #clients = [];
  /** Keys that were acknowledged, and all that were sent, of each detector. Those of claims are acknowledged when they are committed. */
  keys = { seen: emptyKeys(), filter: emptyKeys(), work: emptyKeys() };
  /** The answers to requests with an id. */
  requests = new Map();
  /** By key: { token, state, lease, expiresAt }. */
  claims = new Map();
  /** Keys that were committed, left their window, and are held again. */
  heldAgain = new Set();
  #sent = new SentDetectors();

  constructor(random) {
    this.#random = random;
  }

  get acknowledged() {
    return Object.values(this.keys).reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  }

  /** Whether a detector that was sent since the last start was acknowledged. */
  get hasSent() {
    return this.#sent.hasSent;
  }

  async create({ port, httpPort }) {
    const client = await Client.open(port);
    const made = await Promise.all([
      client.send('FS.CREATE', 'seen', 'ALGORITHM', 'exact', 'MEMORY', '1MiB'),
      client.send('BF.RESERVE', 'filter', '0.0001', '100000'),
      client.send('FS.CREATE', 'work', 'CLAIMS', 'MEMORY', '256KiB'),
      client.send('FS.CREATE', 'again', 'CLAIMS', 'WINDOW', WINDOW, 'MEMORY', '256KiB'),
      client.send('FS.CREATE', 'origin', 'CLAIMS', 'MEMORY', '64KiB'),
      client.send('FS.OBSERVE', 'origin', 'a', 'b'),
      client.send('FS.CLAIM', 'origin', 'c', 'LEASE', LONG_LEASE),
    ]);
    client.close();
    const wrong = made.find((reply) => reply instanceof Error);
    if (wrong) throw wrong;
    await this.#sent.take(httpPort, 'origin');
  }

  async begin({ port, httpPort }) {
    this.#isRunning = true;
    this.#sent.begin();
    this.#clients = await Promise.all(Array.from({ length: CLIENTS + 1 }, () => Client.open(port)));
    const [last, ...others] = this.#clients;
    this.#working = [this.#waitForWindows(last), ...others.map((client) => this.#work(client, httpPort))];
  }

  /** Waits until all clients have seen the end of the server. */
  async end() {
    this.#isRunning = false;
    for (const client of this.#clients) client.close();
    await Promise.all(this.#working);
  }

  #key(prefix) {
    return `${prefix}-${this.#next++}`;
  }

  async #work(client, httpPort) {
    const works = [
      () => this.#observe(client),
      () => this.#add(client),
      () => this.#request(client),
      () => this.#claim(client),
      () => (this.#random() < SENT_SHARE ? this.#sent.send(httpPort) : this.#add(client)),
    ];
    while (this.#isRunning && !client.hasEnded) {
      await Promise.all(Array.from({ length: 1 + Math.floor(this.#random() * 4) }, () => this.#some(works)()));
    }
  }

  #some(items) {
    return items[Math.floor(this.#random() * items.length)];
  }

  async #observe(client) {
    const { sent, acknowledged } = this.keys.seen;
    const keys = Array.from({ length: 1 + Math.floor(this.#random() * 8) }, () => this.#key('k'));
    for (const key of keys) sent.add(key);
    const reply = await client.send('FS.OBSERVE', 'seen', ...keys);
    if (Array.isArray(reply)) for (const key of keys) acknowledged.add(key);
  }

  async #add(client) {
    const { sent, acknowledged } = this.keys.filter;
    const key = this.#key('b');
    sent.add(key);
    if (typeof (await client.send('BF.ADD', 'filter', key)) === 'number') acknowledged.add(key);
  }

  async #request(client) {
    const { sent, acknowledged } = this.keys.seen;
    const [id, ...keys] = [this.#key('id'), this.#key('k'), this.#key('k')];
    for (const key of keys) sent.add(key);
    const reply = await client.send('FS.OBSERVEID', 'seen', id, ...keys);
    if (!Array.isArray(reply)) return;
    this.requests.set(id, { keys, reply });
    for (const key of keys) acknowledged.add(key);
  }

  /** Claims a key, and settles some of the claims. */
  async #claim(client) {
    const [key, token] = [this.#key('c'), this.#key('t')];
    const lease = this.#random() < 0.3 ? SHORT_LEASE : LONG_LEASE;
    const claim = { token, state: UNKNOWN };
    this.claims.set(key, claim);
    const { acknowledged } = this.keys.work;
    const before = Date.now();
    const reply = await client.send('FS.CLAIM', 'work', key, 'TOKEN', token, 'LEASE', lease);
    if (reply?.[0] !== 'distinct') return;
    Object.assign(claim, { state: HELD, expiresAt: before + Number(lease) });
    const [command, state] = this.#some([
      ['FS.COMMIT', COMMITTED],
      ['FS.COMMIT', COMMITTED],
      ['FS.ABORT', FREE],
      [undefined, HELD],
    ]);
    if (command === undefined) return;
    claim.state = UNKNOWN;
    const settled = await client.send(command, 'work', key, token);
    if (settled === 1) claim.state = state;
    if (claim.state === COMMITTED) acknowledged.add(key);
    else if (settled === 0) claim.state = HELD;
  }

  /** Keys that wait for the end of their window do not let others wait. */
  async #waitForWindows(client) {
    while (this.#isRunning && !client.hasEnded) {
      await Promise.all(Array.from({ length: CLIENTS }, () => this.#claimAgain(client)));
    }
  }

  /** Claims a key, commits it, and claims it again after its window. */
  async #claimAgain(client) {
    const key = this.#key('w');
    const claim = () => client.send('FS.CLAIM', 'again', key, 'TOKEN', key, 'LEASE', LONG_LEASE);
    await claim();
    if ((await client.send('FS.COMMIT', 'again', key, key)) !== 1) return;
    await sleep(AFTER_WINDOW_MILLISECONDS);
    if ((await claim())?.[0] === 'distinct') this.heldAgain.add(key);
    // Long enough that a kill may come before the window moves on with the next key.
    await sleep(AFTER_WINDOW_MILLISECONDS);
  }

  /**
   * Asks a server that was started again, and compares its answers with what was acknowledged, and with what another reader of its folder
   * says.
   * @param expected the detectors as the reader found them before the start
   * @returns the differences, as texts
   */
  async differences(port, expected) {
    const client = await Client.open(port);
    const found = [
      ...(await this.#forgotten(client)),
      ...(await this.#againstReader(client, expected)),
      ...(await this.#changedRequests(client)),
      ...(await this.#wrongClaims(client, expected)),
      ...(await this.#freeAgain(client)),
      ...this.#sent.differences(await client.send('FS.LIST'), expected),
    ];
    client.close();
    return found;
  }

  /** The answers to FS.TEST, in the order of the keys. */
  async #tested(client, detector, keys) {
    const answers = [];
    for (let i = 0; i < keys.length; i += ASKED) {
      const reply = await client.send('FS.TEST', detector, ...keys.slice(i, i + ASKED));
      if (!Array.isArray(reply)) throw new Error(`FS.TEST ${detector}: ${reply}`);
      answers.push(...reply);
    }
    return answers;
  }

  async #forgotten(client) {
    const found = [];
    for (const [detector, { acknowledged }] of Object.entries(this.keys)) {
      const keys = [...acknowledged];
      const answers = await this.#tested(client, detector, keys);
      const lost = keys.filter((_, i) => answers[i] !== 'duplicate');
      if (lost.length > 0)
        found.push(`${detector} has forgotten ${lost.length} of ${keys.length} keys, the first ${lost[0]}`);
    }
    return found;
  }

  async #againstReader(client, expected) {
    const found = [];
    for (const [name, detector] of expected) {
      const stats = fieldsOf(await client.send('FS.STATS', name));
      for (const count of detector.isExact ? ['observed', 'duplicates'] : ['observed']) {
        if (stats.get(count) !== detector[count])
          found.push(`${name}: ${count} is ${stats.get(count)}, not ${detector[count]}`);
      }
    }
    const seen = expected.get('seen');
    const keys = [...this.keys.seen.sent];
    const answers = await this.#tested(client, 'seen', keys);
    const other = keys.filter((key, i) => seen.elements.has(fingerprintOf(seen, key)) !== (answers[i] === 'duplicate'));
    if (other.length > 0) found.push(`seen differs from its log in ${other.length} keys, the first ${other[0]}`);
    return found;
  }

  async #changedRequests(client) {
    const found = [];
    for (const [id, { keys, reply }] of [...this.requests].slice(-200)) {
      const again = await client.send('FS.OBSERVEID', 'seen', id, ...keys);
      if (JSON.stringify(again) !== JSON.stringify(reply))
        found.push(`the request ${id} is ${again}, and was ${reply}`);
    }
    return found;
  }

  /** Claims keys that are held since they left their window. */
  async #freeAgain(client) {
    const found = [];
    for (const key of this.heldAgain) {
      const [verdict] = (await client.send('FS.CLAIM', 'again', key, 'TOKEN', 'another')) ?? ['no reply'];
      if (verdict !== 'pending') found.push(`${key} is held since it left its window, and ${verdict}`);
    }
    return found;
  }

  /** Claims keys that others hold, or have settled. */
  async #wrongClaims(client, expected) {
    const work = expected.get('work');
    const found = [];
    for (const [key, claim] of this.claims) {
      const asked = Date.now();
      const [verdict] = (await client.send('FS.CLAIM', 'work', key, 'TOKEN', 'another', 'LEASE', '1')) ?? ['no reply'];
      const { state, expiresAt } = claim;
      const isHeld = state === HELD && expiresAt > Date.now();
      const isOver = state === HELD && expiresAt < asked;
      const fingerprint = fingerprintOf(work, key);
      if (state === COMMITTED && verdict !== 'duplicate') found.push(`${key} is committed, and ${verdict}`);
      if (isHeld && verdict !== 'pending') found.push(`${key} is held, and ${verdict}`);
      if ((state === FREE || isOver) && verdict === 'duplicate') found.push(`${key} is free, and ${verdict}`);
      if (work.elements.has(fingerprint) !== (verdict === 'duplicate'))
        found.push(`${key} differs from its log: ${verdict}`);
      const held = work.held.get(fingerprint);
      if (held && held.expiresAt > Date.now() && verdict !== 'pending')
        found.push(`${key} is held in the log, and ${verdict}`);
      // The claim of this question ends at once.
      if (verdict === 'distinct') await client.send('FS.ABORT', 'work', key, 'another');
      if (isOver || state !== HELD) this.claims.delete(key);
    }
    return found;
  }
}
