// The folder of the states. It has one folder for each block, that is, for each job that was committed: 000001, 000002 and so on.
// 000000 has the states before the first job. A block has the states of all partitions and a note. It is written beside the others
// under another name, and renamed when it is complete, so the last block is always complete.

import { randomUUID } from 'node:crypto';
import { Refusal } from './shell.mjs';
import { storageOf, upload } from './storage.mjs';

const NOTE = 'block.json';
const BLOCK = /^[0-9]{6}$/;
/** Blocks that stay when a job is committed: the new one and the one before. */
const KEPT = 2;

function blockName(number) {
  return String(number).padStart(6, '0');
}

/** A name that no other job has, also on other machines. */
function besideName(name) {
  return `${name}.${randomUUID()}`;
}

const isPiece = (name) => name.endsWith('.partition');

export class States {
  #folder;
  #partitions;
  #fs;
  #storage;
  #before;

  constructor(folder, { partitions, fs }) {
    this.#folder = folder;
    this.#partitions = partitions;
    this.#fs = fs;
    this.#storage = storageOf(folder, fs);
  }

  /**
   * The folder of the states with which a job goes on.
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
    return this.#path();
  }

  /** Lets `use` read the state of the first partition, in a folder of this machine. */
  async withFirst(use) {
    const name = (await this.#pieces()).find((piece) => piece.startsWith('0-of-'));
    await this.#storage.withLocal(this.#path(), name, use);
  }

  /**
   * Makes the states of a job, and those of partitions without elements, the last block.
   * @param written the folder of the states that the reduce tasks wrote
   * @throws Refusal when another job was committed meanwhile
   */
  async commit(written, inputs) {
    const storage = this.#storage;
    if ((await this.#blocks()).at(-1) !== this.#before) throw this.#overtaken();
    const name = blockName(Number(this.#before) + 1);
    const next = this.#path(besideName(name));
    await storage.makeFolder(next);
    const changed = (await storage.names(written)).filter(isPiece);
    await storage.moveInto(written, changed, next);
    const unchanged = (await this.#pieces()).filter((piece) => !changed.includes(piece));
    await storage.shareInto(this.#path(), unchanged, next);
    const taken = inputs.map((input) => ({ ...input, block: name }));
    const note = { inputs: [...(await this.#note()).inputs, ...taken] };
    await storage.write(`${next}/${NOTE}`, `${JSON.stringify(note, null, 2)}\n`);
    await this.#rename(next, name);
    await storage.remove(written);
    for (const old of (await this.#blocks()).slice(0, -KEPT)) await storage.remove(this.#path(old));
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
