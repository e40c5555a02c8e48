// The folder of the states. It has one folder for each block, that is, for each job that was committed: 000001, 000002 and so on.
// 000000 has the states before the first job. A block has the states of all partitions and a note. It is written beside the others
// under another name, and renamed when it is complete, so the last block is always complete. Attempts of tasks whose engine has no
// folder for them write to a folder `attempts` beside the blocks. It has a folder for each attempt.

import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { Refusal } from './shell.mjs';
import { storageOf, upload } from './storage.mjs';

const NOTE = 'block.json';
const BLOCK = /^[0-9]{6}$/;
/** Blocks that stay when a job is committed: the new one and the one before. */
const KEPT = 2;
const ATTEMPTS = 'attempts';

function blockName(number) {
  return String(number).padStart(6, '0');
}

/** A name that no other job has, also on other machines. */
function besideName(name) {
  return `${name}.${randomUUID()}`;
}

const isPiece = (name) => name.endsWith('.partition');

/** The number of the partition that a piece has: 7 for 07-of-16.partition. */
const partitionOf = (name) => Number.parseInt(name, 10);

export class States {
  #folder;
  #partitions;
  #fs;
  #storage;
  #before;

  constructor(folder, { partitions, fs }) {
    this.#folder = folder.replace(/\/+$/, '');
    this.#partitions = partitions;
    this.#fs = fs;
    this.#storage = storageOf(folder, fs);
  }

  /** The folder of the states with which the job goes on. */
  get before() {
    return this.#path();
  }

  /**
   * Finds the last block.
   * @param make writes states without elements to a new folder of this machine, and returns it
   * @throws Refusal when a block has taken one of the inputs
   */
  async open(inputs, { again, make }) {
    const storage = this.#storage;
    await storage.makeFolder(this.#folder);
    if ((await this.#blocks()).length === 0) {
      const first = this.#path(besideName(blockName(0)));
      await upload(await make(), first, this.#fs);
      await storage.write(`${first}/${NOTE}`, JSON.stringify({ inputs: [] }));
      await this.#rename(first, blockName(0));
    }
    this.#before = (await this.#blocks()).at(-1);
    if (!again) await this.#checkNew(inputs);
    const pieces = await this.#pieces();
    if (pieces.length !== this.#partitions) {
      throw new Refusal(
        `${this.#path()} has ${pieces.length} states, but there are ${this.#partitions} partitions; give the --partitions of the states`,
      );
    }
  }

  /** Lets `use` read the state of the first partition, in a folder of this machine. */
  async withFirst(use) {
    const name = (await this.#pieces()).find((piece) => partitionOf(piece) === 0);
    return this.#storage.withLocal(this.#path(), name, use);
  }

  /** A new folder for the attempts of a job. */
  attemptsFolder() {
    return `${this.#folder}/${besideName(ATTEMPTS)}`;
  }

  /** Removes the attempts of a job that failed. */
  async discard(attempts) {
    await this.#storage.remove(attempts);
  }

  /**
   * Commits the states that the tasks wrote to one folder.
   * @throws Refusal when another job was committed meanwhile
   */
  async commitFolder(written, inputs) {
    const names = (await this.#storage.names(written)).filter(isPiece);
    const pieces = names.map((name) => `${written}/${name}`);
    await this.#commit(pieces, inputs);
    await this.#storage.remove(written);
  }

  /**
   * Commits the states that attempts of tasks wrote.
   * @param folder of the attempts
   * @param succeeded the name of each attempt that succeeded, and the numbers of the partitions that it wrote
   * @throws Refusal when another job was committed meanwhile
   */
  async commitAttempts(folder, succeeded, inputs) {
    const nameOf = new Map((await this.#pieces()).map((name) => [partitionOf(name), name]));
    const pieces = succeeded.flatMap(([attempt, partitions]) =>
      partitions.map((partition) => `${folder}/${attempt}/${nameOf.get(partition)}`),
    );
    await this.#commit(pieces, inputs);
  }

  /** Makes the states of a job, and those of partitions without elements, the last block. */
  async #commit(pieces, inputs) {
    if ((await this.#blocks()).at(-1) !== this.#before) throw this.#overtaken();
    const name = blockName(Number(this.#before) + 1);
    const next = this.#path(besideName(name));
    const taken = inputs.map((input) => ({ ...input, block: name }));
    try {
      await this.#write(next, pieces, taken);
    } catch (error) {
      await this.#storage.remove(next);
      throw error;
    }
    await this.#rename(next, name);
    await this.#clean();
  }

  /** Puts a block together in a new folder. */
  async #write(folder, pieces, taken) {
    const storage = this.#storage;
    await storage.makeFolder(folder);
    await storage.moveInto(pieces, folder);
    const changed = new Set(pieces.map((path) => basename(path)));
    const unchanged = (await this.#pieces()).filter((piece) => !changed.has(piece));
    const paths = unchanged.map((piece) => `${this.#path()}/${piece}`);
    await storage.shareInto(paths, folder);
    const note = { inputs: [...(await this.#note()).inputs, ...taken] };
    await storage.write(`${folder}/${NOTE}`, `${JSON.stringify(note, null, 2)}\n`);
  }

  /** Removes old blocks, and the attempts of all jobs: those that still run are refused when they end. */
  async #clean() {
    const old = (await this.#blocks()).slice(0, -KEPT);
    const attempts = (await this.#storage.names(this.#folder)).filter((name) => name.startsWith(`${ATTEMPTS}.`));
    // A task that was given up may write to its folder at this moment. The next job removes it then.
    for (const name of [...old, ...attempts]) await this.#storage.remove(this.#path(name)).catch(() => undefined);
  }

  async #rename(from, name) {
    try {
      await this.#storage.rename(from, this.#path(name));
    } catch (cause) {
      await this.#storage.remove(from);
      throw this.#overtaken(cause);
    }
  }

  #overtaken(cause) {
    const problem = `another job was committed to ${this.#folder} meanwhile; remove the output and run the job again`;
    return new Refusal(problem, { cause });
  }

  async #blocks() {
    return (await this.#storage.names(this.#folder)).filter((name) => BLOCK.test(name)).sort();
  }

  #path(block = this.#before) {
    return `${this.#folder}/${block}`;
  }

  async #pieces() {
    return (await this.#storage.names(this.#path())).filter(isPiece);
  }

  async #note() {
    return JSON.parse(await this.#storage.readText(`${this.#path()}/${NOTE}`));
  }

  async #checkNew(inputs) {
    const known = new Map((await this.#note()).inputs.map((input) => [input.uri, input]));
    for (const { uri, bytes, modified } of inputs) {
      const same = known.get(uri);
      if (same === undefined || same.bytes !== bytes || same.modified !== modified) continue;
      throw new Refusal(
        `${this.#folder} has taken ${uri} already, in block ${same.block}; give other inputs, or --again`,
      );
    }
  }
}
