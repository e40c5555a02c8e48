// The folder of the states. It has one folder for each block, that is, for each job that was committed: 000001, 000002 and so on.
// 000000 has the states before the first job. A block has the states of all partitions and a note. It is written beside the others
// under another name, and renamed when it is complete, so the last block is always complete. Attempts of tasks whose engine has no
// folder for them write to a folder `attempts` beside the blocks. It has a folder for each attempt.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Refusal } from './shell.mjs';
import { FolderExists, storageOf, upload } from './storage.mjs';

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

/** The file in which a reduce task lists the states that it wrote. */
export function listName(task) {
  return `states-of-task-${task}`;
}

/** The states that a list names. @throws Refusal for a list that is not whole */
function listedStates(path) {
  const text = readFileSync(path, 'utf8');
  const names = text.split('\n').slice(0, -1);
  const count = names.pop();
  if (text.endsWith('\n') && count === String(names.length)) return names;
  throw new Refusal(`${basename(path)} is not whole`);
}

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
    const pieces = (await this.#storage.names(this.#path())).filter(isPiece);
    if (pieces.length !== this.#partitions) {
      throw new Refusal(
        `${this.#path()} has ${pieces.length} states, but there are ${this.#partitions} partitions; give the --partitions of the states`,
      );
    }
  }

  /** Lets `use` read the state of the first partition, in a folder of this machine. */
  async withFirst(use) {
    return this.#storage.withLocal(this.#path(), [this.#pieceName(0)], use);
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
   * Commits the states that the tasks wrote to one folder. Each task lists there what it wrote, so that no state is missed.
   * @param tasks number of the reduce tasks
   * @throws Refusal when a list or a state is missing, or another job was committed meanwhile
   */
  async commitFolder(written, tasks, inputs) {
    const names = await this.#listed(written, tasks);
    const pieces = names.map((name) => `${written}/${name}`);
    await this.#commit(pieces, inputs);
    await this.#removeOld([written]);
  }

  /** The states that the tasks say that they wrote. @throws Refusal unless all tasks say it */
  async #listed(written, tasks) {
    const lists = Array.from({ length: tasks }, (_, task) => listName(task));
    try {
      return await this.#storage.withLocal(written, lists, (local) =>
        lists.flatMap((list) => listedStates(join(local, list))),
      );
    } catch (cause) {
      throw new Refusal(
        `cannot read in ${written} which states the reduce tasks wrote: ${cause.message}; ${this.#folder} is as it was before the job, so remove the output and run the job again`,
        { cause },
      );
    }
  }

  /**
   * Commits the states that attempts of tasks wrote.
   * @param folder of the attempts
   * @param succeeded the name of each attempt that succeeded, and the numbers of the partitions that it wrote
   * @throws Refusal when another job was committed meanwhile
   */
  async commitAttempts(folder, succeeded, inputs) {
    const pieces = succeeded.flatMap(([attempt, partitions]) =>
      partitions.map((partition) => `${folder}/${attempt}/${this.#pieceName(partition)}`),
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
      await this.#removeOld([next]);
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
    const all = Array.from({ length: this.#partitions }, (_, partition) => this.#pieceName(partition));
    const unchanged = all.filter((piece) => !changed.has(piece));
    const paths = unchanged.map((piece) => `${this.#path()}/${piece}`);
    await storage.shareInto(paths, folder);
    const note = { inputs: [...(await this.#note()).inputs, ...taken] };
    await storage.write(`${folder}/${NOTE}`, `${JSON.stringify(note, null, 2)}\n`);
  }

  /** Removes old blocks, and the attempts of all jobs: those that still run are refused when they end. */
  async #clean() {
    const names = await this.#storage.names(this.#folder).catch(() => []);
    const old = names.filter((name) => BLOCK.test(name)).sort();
    const attempts = names.filter((name) => name.startsWith(`${ATTEMPTS}.`));
    await this.#removeOld([...old.slice(0, -KEPT), ...attempts].map((name) => this.#path(name)));
  }

  /**
   * Removes folders that no job needs. What cannot be removed stays, because the states are committed by now, or another error is
   * reported: a task that was given up may write to its folder at this moment. The next job removes old blocks and attempts.
   */
  async #removeOld(folders) {
    for (const folder of folders) await this.#storage.remove(folder).catch(() => undefined);
  }

  async #rename(from, name) {
    try {
      await this.#storage.rename(from, this.#path(name));
    } catch (cause) {
      await this.#removeOld([from]);
      throw cause instanceof FolderExists ? this.#overtaken(cause) : cause;
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

  /** The name of the state of a partition, as `firstseen split` gives it: 07-of-16.partition. */
  #pieceName(partition) {
    const count = String(this.#partitions);
    return `${String(partition).padStart(count.length, '0')}-of-${count}.partition`;
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
