// A second implementation of the witness's watch list, with lists of ways.

import { GOLDEN, mix64 } from './random.js';

const WATCH_STREAM = 0xbe5466cf34e90c6cn;
const STRATUM_ELEMENTS = 256;
const BLOCK_ELEMENTS = 64;
const ENTRY_STEP = 4;
const SET_BYTES = 16;
const WAYS = 2;
const HIT_CREDIT = 8;
const MAX_CREDIT = 255;

export interface TwinWay {
  /** The lower 56 bits of the hash. */
  hash: bigint;
  /** 0 marks an empty way. */
  credit: number;
}

export class WatchTwin {
  readonly tableBytes: number;
  readonly sets: TwinWay[][];
  /** Misses of watched elements in the blocks that were looked at, and elements with at least one since they entered. */
  readonly counts = { misses: 0, found: 0 };
  readonly #key: bigint;
  readonly #factor: bigint;
  #index = 0;

  constructor(seed: bigint, memoryBytes: number) {
    this.#key = mix64(seed ^ WATCH_STREAM);
    this.#factor = mix64(this.#key + GOLDEN) | 1n;
    this.tableBytes = 2 ** Math.floor(Math.log2(memoryBytes / 32));
    this.sets = Array.from({ length: this.tableBytes / SET_BYTES }, () =>
      Array.from({ length: WAYS }, () => ({ hash: 0n, credit: 0 })),
    );
  }

  #hashOf(fingerprint: bigint): bigint {
    return BigInt.asUintN(64, (fingerprint ^ this.#key) * this.#factor);
  }

  #setOf(hash: bigint): TwinWay[] {
    return this.sets[Number((hash * BigInt(this.sets.length)) >> 64n)] as TwinWay[];
  }

  #wayOf(hash: bigint): TwinWay | undefined {
    return this.#setOf(hash).find((way) => way.credit > 0 && way.hash === BigInt.asUintN(56, hash));
  }

  has(fingerprint: bigint): boolean {
    return this.#wayOf(this.#hashOf(fingerprint)) !== undefined;
  }

  /** Looks at the next element of the stream if it is in the block of its stratum. */
  observe(fingerprint: bigint, verdict: number): void {
    const index = this.#index++;
    const bits = mix64(this.#key ^ BigInt.asUintN(64, BigInt(Math.floor(index / STRATUM_ELEMENTS)) * GOLDEN));
    const position = (index % STRATUM_ELEMENTS) - Number(bits % 4n) * BLOCK_ELEMENTS;
    if (position < 0 || position >= BLOCK_ELEMENTS || verdict === 1) return;
    const hash = this.#hashOf(fingerprint);
    const way = this.#wayOf(hash);
    if (way !== undefined) {
      this.counts.misses++;
      if (way.credit === 1) this.counts.found++;
      way.credit = Math.min(way.credit + HIT_CREDIT, MAX_CREDIT);
    } else if ((BigInt(position) + (bits >> 8n)) % BigInt(ENTRY_STEP) === 0n) {
      const number = (bits >> BigInt(16 + Math.floor(position / ENTRY_STEP))) % 2n;
      this.#enter(this.#setOf(hash)[Number(number)] as TwinWay, hash);
    }
  }

  #enter(way: TwinWay, hash: bigint): void {
    if (way.credit > 1) {
      way.credit--;
      return;
    }
    way.hash = BigInt.asUintN(56, hash);
    way.credit = 1;
  }
}
