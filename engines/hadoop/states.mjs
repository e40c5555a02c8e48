// The folder of the states. It has one folder for each block, that is, for each job that was committed: 000001, 000002 and so on.
// 000000 has the states before the first job. A block has the states of all partitions and a note. It is written beside the others
// under another name, and renamed when it is complete, so the last block is always complete.

import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const NOTE = 'block.json';
const BLOCK = /^[0-9]{6}$/;
/** Blocks that stay when a job is committed: the new one and the one before. */
const KEPT = 2;

function blockName(number) {
  return String(number).padStart(6, '0');
}

/** Two names for one file, or a copy where the file system has no links. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function moveOrCopy(from, to) {
  try {
    renameSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

export class States {
  #folder;
  #partitions;
  #before;

  constructor(folder, partitions) {
    this.#folder = folder;
    this.#partitions = partitions;
  }

  /**
   * The folder of the states with which a job goes on.
   * @param make writes states without elements to a folder
   * @throws Error when a block has taken one of the inputs
   */
  async open(inputs, { again, make }) {
    mkdirSync(this.#folder, { recursive: true });
    if (this.#blocks().length === 0) {
      const first = join(this.#folder, `${blockName(0)}.${process.pid}`);
      await make(first);
      writeFileSync(join(first, NOTE), JSON.stringify({ inputs: [] }));
      this.#rename(first, blockName(0));
    }
    this.#before = this.#blocks().at(-1);
    if (!again) this.#checkNew(inputs);
    const pieces = this.#pieces();
    if (pieces.length !== this.#partitions) {
      throw new Error(
        `${this.#path()} has ${pieces.length} states, but there are ${this.#partitions} partitions; give the --partitions of the states`,
      );
    }
    return this.#path();
  }

  /**
   * Makes the states of a job, and those of partitions without elements, the last block.
   * @param written the folder of the states that the reduce tasks wrote
   * @throws Error when another job was committed meanwhile
   */
  commit(written, inputs) {
    const name = blockName(Number(this.#before) + 1);
    const next = join(this.#folder, `${name}.${process.pid}`);
    mkdirSync(next);
    for (const piece of this.#pieces()) {
      const changed = join(written, piece);
      if (existsSync(changed)) moveOrCopy(changed, join(next, piece));
      else linkOrCopy(join(this.#path(), piece), join(next, piece));
    }
    const note = { inputs: [...this.#note().inputs, ...inputs.map((input) => ({ ...input, block: name }))] };
    writeFileSync(join(next, NOTE), `${JSON.stringify(note, null, 2)}\n`);
    this.#rename(next, name);
    rmSync(written, { recursive: true, force: true });
    for (const old of this.#blocks().slice(0, -KEPT)) rmSync(join(this.#folder, old), { recursive: true });
  }

  #rename(from, name) {
    try {
      renameSync(from, join(this.#folder, name));
    } catch {
      rmSync(from, { recursive: true, force: true });
      throw new Error(
        `another job was committed to ${this.#folder} meanwhile; remove the output and run the job again`,
      );
    }
  }

  #blocks() {
    return readdirSync(this.#folder)
      .filter((name) => BLOCK.test(name))
      .sort();
  }

  #path() {
    return join(this.#folder, this.#before);
  }

  #pieces() {
    return readdirSync(this.#path()).filter((name) => name.endsWith('.partition'));
  }

  #note() {
    return JSON.parse(readFileSync(join(this.#path(), NOTE), 'utf8'));
  }

  #checkNew(inputs) {
    const known = new Map(this.#note().inputs.map((input) => [input.uri, input]));
    for (const { uri, bytes, modified } of inputs) {
      const same = known.get(uri);
      if (same === undefined || same.bytes !== bytes || same.modified !== modified) continue;
      throw new Error(
        `${this.#folder} has taken ${uri} already, in block ${same.block}; give other inputs, or --again`,
      );
    }
  }
}
