// The names of documents, as JSON writes them, and those of the documents that were added to the table last.

import { FirstseenError } from '../../base/errors.js';

/** The maximum length of a name that is kept, in characters. Longer names are cut, so that memory has a bound. */
const MAX_NAME_LENGTH = 1024;

/** A name as text of JSON: a string, or a number. */
export type NameJson = string;

function isNames(value: unknown): value is NameJson[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Cuts a name that is too long to be kept. */
export function shortened(name: NameJson): NameJson {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const value: unknown = JSON.parse(name);
  return JSON.stringify((typeof value === 'string' ? value : name).slice(0, MAX_NAME_LENGTH));
}

/**
 * A ring with the names of as many documents as the table remembers. Runs that keep no names leave no names in the state, so
 * a document that was added before the names began has none.
 */
export class AddedNames {
  readonly #capacity: number;
  /** Names by slot. */
  #names: NameJson[] = [];
  /** The slot of the next name. In a full ring it has the oldest. */
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  add(name: NameJson): void {
    this.#names[this.#next] = shortened(name);
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** The name of the document of an age, 1 for the one that was added last; undefined if it is not known. */
  ofAge(age: number): NameJson | undefined {
    const count = this.#names.length;
    if (age < 1 || age > count) return undefined;
    return this.#names[(this.#next - age + count) % count];
  }

  /** Returns the names from the oldest to the newest. */
  note(): NameJson[] {
    const oldest = this.#names.length === this.#capacity ? this.#next : 0;
    return [...this.#names.slice(oldest), ...this.#names.slice(0, oldest)];
  }

  /** Takes the names from what a state keeps for the job, if it has some. @throws FirstseenError E_SNAPSHOT when they are not valid. */
  restore(rest: unknown): void {
    const { names = [] } = (rest ?? {}) as { names?: unknown };
    if (!isNames(names) || names.length > this.#capacity || !names.every(isJson)) {
      throw new FirstseenError('E_SNAPSHOT', 'the state has no valid names of documents', {
        remedy: 'restore the file from a copy',
      });
    }
    this.#names = [...names];
    this.#next = names.length % this.#capacity;
  }
}
