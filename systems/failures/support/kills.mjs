// A server under load that is killed again and again, and what it knows after each start.

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, signal } from '../../../tools/processes.mjs';
import { randomOf } from '../../support/random.mjs';
import { Load } from './load.mjs';
import { beginNotes, losePower } from './power.mjs';
import { readFolder } from './reader.mjs';
import { newFolder, remove, Server } from './server.mjs';
import { beginSave, waitFor } from './waiting.mjs';

/** Kills after which a server begins with an empty folder, so that the keys do not become too many. */
const KILLS_OF_FOLDER = 25;
const MAX_LOAD_MILLISECONDS = 400;
const MAX_CHILD_MILLISECONDS = 250;
const MAX_STEP_SECONDS = 600;

/** The result of a step. @throws Error if it does not end, with what it is: a server that hangs fails the test */
async function within(what, step) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} takes more than ${MAX_STEP_SECONDS} seconds`)),
      MAX_STEP_SECONDS * 1000,
    );
  });
  try {
    return await Promise.race([step, late]);
  } finally {
    clearTimeout(timer);
  }
}

const filesOf = (folder, kind) =>
  readdirSync(folder)
    .filter((name) => name.startsWith(kind))
    .sort();

/** The moments at which a server is killed. Each kills it, and may return what is to be done after the next start. */
const moments = {
  async 'any moment'() {},
  async 'after a detector was sent'({ load }) {
    await waitFor(() => load.hasSent, 'the sending of a detector');
  },
  async 'while the log is compacted'({ server, random }) {
    await beginSave(server);
    await sleep(random() * MAX_CHILD_MILLISECONDS);
  },
  async 'after the process that compacts was killed'({ server, random }) {
    const { child, reply } = await beginSave(server);
    await sleep(random() * MAX_CHILD_MILLISECONDS);
    signal(child, 'SIGKILL');
    await reply;
    await sleep(random() * MAX_CHILD_MILLISECONDS);
  },
  async 'between the rename and the drop of the log'({ server, folder }) {
    const logs = filesOf(folder, 'log');
    const { child } = await beginSave(server);
    signal(server.pid, 'SIGSTOP');
    await waitFor(() => hasEnded(child), 'the end of the compaction');
    const isBetween = filesOf(folder, 'snapshot').length > 0 && filesOf(folder, 'log')[0] === logs[0];
    if (!isBetween) throw new Error('the server was not stopped between the rename and the drop of the log');
  },
  async 'with a process that compacts and is stopped'({ server }) {
    const { child } = await beginSave(server);
    signal(child, 'SIGSTOP');
    return () => signal(child, 'SIGCONT');
  },
};

/** Moments that need the process to go on after a loss of power. */
const WITHOUT_POWER_LOSS = ['with a process that compacts and is stopped'];

/**
 * Kills a server a number of times.
 * @param options kills; seed; hasPowerLoss: whether only what was synced is left; program: the folder of a server with a defect; moment: the
 * name of the only one; onKill is told of each kill
 * @returns the number of kills by moment, the keys that were acknowledged, and the differences: texts, with the first of which it ends
 */
export async function killAgainAndAgain({
  kills,
  seed,
  hasPowerLoss = false,
  program,
  moment,
  onKill = () => undefined,
}) {
  const random = randomOf(seed);
  const counts = new Map();
  let acknowledged = 0;
  for (let killed = 0; killed < kills; ) {
    const epoch = new Epoch({ random, hasPowerLoss, program });
    try {
      await epoch.begin();
      for (let i = 0; i < KILLS_OF_FOLDER && killed < kills; i++) {
        const name = moment ?? nameOfMoment(random, hasPowerLoss);
        const differences = await epoch.killAndCompare(moments[name]);
        killed++;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        onKill({ killed, name, acknowledged: epoch.acknowledged });
        if (differences.length > 0) {
          return {
            counts,
            acknowledged: acknowledged + epoch.acknowledged,
            differences: [...differences, ...epoch.keep()],
          };
        }
      }
    } finally {
      await epoch.end();
    }
    acknowledged += epoch.acknowledged;
  }
  return { counts, acknowledged, differences: [] };
}

function nameOfMoment(random, hasPowerLoss) {
  const names = Object.keys(moments).filter((name) => !hasPowerLoss || !WITHOUT_POWER_LOSS.includes(name));
  // Half of the kills are at any moment.
  return random() < 0.5 ? names[0] : names[Math.floor(random() * names.length)];
}

/** A data folder from its beginning on. */
class Epoch {
  #random;
  #hasPowerLoss;
  #program;
  #root = newFolder();
  #load;
  #server;
  #isKept = false;

  constructor({ random, hasPowerLoss, program }) {
    this.#random = random;
    this.#hasPowerLoss = hasPowerLoss;
    this.#program = program;
    this.#load = new Load(random);
  }

  get #folder() {
    return join(this.#root, 'data');
  }

  get #disk() {
    return this.#hasPowerLoss ? join(this.#root, 'disk') : undefined;
  }

  get acknowledged() {
    return this.#load.acknowledged;
  }

  async begin() {
    await this.#start();
    await this.#load.create(this.#server);
  }

  /** @returns the differences after the start that follows */
  async killAndCompare(moment) {
    const server = this.#server;
    const before = this.acknowledged;
    await within('connecting', this.#load.begin(server));
    // A kill before the first answer would show nothing.
    await waitFor(() => this.acknowledged > before, 'an answer');
    await sleep(this.#random() * MAX_LOAD_MILLISECONDS);
    const after = await within(
      'the moment of the kill',
      moment({ server, folder: this.#folder, random: this.#random, load: this.#load }),
    );
    await within('the end of the server', server.kill());
    await within('the end of the clients', this.#load.end());
    if (this.#hasPowerLoss) losePower(this.#folder, this.#disk, this.#random);
    try {
      const expected = readFolder(this.#folder);
      await within('the start', this.#start());
      after?.();
      return await within('the comparison', this.#load.differences(this.#server.port, expected));
    } catch (error) {
      return [String(error)];
    }
  }

  /** Keeps the folder after a failure, unless the server has a defect on purpose. @returns where it is, as a text */
  keep() {
    this.#isKept = this.#program === undefined;
    return this.#isKept ? [`the folder is ${this.#root}`] : [];
  }

  async end() {
    await this.#server?.kill();
    if (!this.#isKept) remove(this.#root);
  }

  async #start() {
    mkdirSync(this.#folder, { recursive: true });
    if (this.#disk) beginNotes(this.#folder, this.#disk);
    const flags = ['--durability', 'always'];
    const options = { folder: this.#folder, flags, disk: this.#disk };
    this.#server = await Server.start(this.#program ? { ...options, program: this.#program } : options);
  }
}
