// The bodies of keys whose answers have left, in fixed memory. A key is in one of many short lists, in which a new one replaces the oldest.

/** Keys of a list at most. */
const MAX_IN_LIST = 8;
/** The fingerprints of a key and of its body. */
const ENTRY_BYTES = 16;
/** An odd number whose product with a fingerprint has its bits mixed. */
const MIXING = 0x9e3779b97f4a7c15n;

/** The memory of the lists. */
interface Lists {
  readonly keys: BigUint64Array;
  readonly bodies: BigUint64Array;
  /** The number of keys of each list. */
  readonly lengths: Uint8Array;
}

export class BodyTable {
  readonly #listLength: number;
  readonly #listCount: number;
  /** Made when the first key comes. */
  #lists: Lists | undefined;
  #size = 0;

  constructor(maxBytes: number) {
    this.#listLength = Math.min(MAX_IN_LIST, Math.floor(maxBytes / (ENTRY_BYTES + 1)));
    this.#listCount = this.#listLength === 0 ? 0 : Math.floor(maxBytes / (ENTRY_BYTES * this.#listLength + 1));
  }

  /** Keys whose body is known. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that it takes now. */
  get bytes(): number {
    return this.#lists ? this.#listCount * (ENTRY_BYTES * this.#listLength + 1) : 0;
  }

  /** The fingerprint of the body of a key, as far as it is known. */
  get(key: bigint): bigint | undefined {
    const at = this.#find(key);
    return at === undefined ? undefined : this.#lists?.bodies[at];
  }

  /** Adds a key, in place of the oldest of its list if that is full. */
  set(key: bigint, body: bigint): void {
    if (this.#listCount === 0) return;
    this.delete(key);
    const list = this.#listOf(key);
    const { keys, bodies, lengths } = this.#made();
    if (lengths[list] === this.#listLength) this.#removeAt(list, list * this.#listLength);
    const at = list * this.#listLength + (lengths[list] as number);
    keys[at] = key;
    bodies[at] = body;
    lengths[list] = (lengths[list] as number) + 1;
    this.#size++;
  }

  delete(key: bigint): void {
    const at = this.#find(key);
    if (at !== undefined) this.#removeAt(this.#listOf(key), at);
  }

  #made(): Lists {
    const entries = this.#listCount * this.#listLength;
    this.#lists ??= {
      keys: new BigUint64Array(entries),
      bodies: new BigUint64Array(entries),
      lengths: new Uint8Array(this.#listCount),
    };
    return this.#lists;
  }

  #listOf(key: bigint): number {
    return Number(BigInt.asUintN(64, key * MIXING) >> 32n) % this.#listCount;
  }

  #find(key: bigint): number | undefined {
    if (!this.#lists) return undefined;
    const list = this.#listOf(key);
    const start = list * this.#listLength;
    const end = start + (this.#lists.lengths[list] as number);
    for (let at = start; at < end; at++) if (this.#lists.keys[at] === key) return at;
    return undefined;
  }

  /** Takes a key out of its list; those after it move up, so that the oldest stays the first. */
  #removeAt(list: number, at: number): void {
    const { keys, bodies, lengths } = this.#made();
    const end = list * this.#listLength + (lengths[list] as number);
    for (const array of [keys, bodies]) array.copyWithin(at, at + 1, end);
    lengths[list] = (lengths[list] as number) - 1;
    this.#size--;
  }
}
