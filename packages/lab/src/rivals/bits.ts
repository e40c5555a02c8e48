// Bits, packed.

export class Bits {
  readonly length: number;
  readonly #words: Uint32Array;

  constructor(length: number) {
    this.length = length;
    this.#words = new Uint32Array(Math.ceil(length / 32));
  }

  has(at: number): boolean {
    return (((this.#words[at >>> 5] as number) >>> (at & 31)) & 1) === 1;
  }

  set(at: number): void {
    this.#words[at >>> 5] = (this.#words[at >>> 5] as number) | (1 << (at & 31));
  }

  clear(at: number): void {
    this.#words[at >>> 5] = (this.#words[at >>> 5] as number) & ~(1 << (at & 31));
  }

  clearAll(): void {
    this.#words.fill(0);
  }
}
