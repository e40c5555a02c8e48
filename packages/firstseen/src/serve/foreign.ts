// Connections of programs that speak another protocol than the port does: counted, and told of now and then.

const MINUTE_MILLISECONDS = 60_000;

export class ForeignConnections {
  /** Those that have been ended. */
  count = 0;
  readonly #warn: (message: string) => void;
  /** The time of the next warning at the earliest, and the connections since the last one. */
  #nextWarningAt = Number.NEGATIVE_INFINITY;
  #untold = 0;

  constructor(warn: (message: string) => void = () => undefined) {
    this.#warn = warn;
  }

  /** Counts a connection that is ended. A port scanner makes one warning a minute. @param expected the protocol of the port */
  add(address: string, protocol: string, expected = 'the protocol of Redis'): void {
    this.count++;
    this.#untold++;
    if (performance.now() < this.#nextWarningAt) return;
    const before = this.#untold > 1 ? `; ${this.#untold - 1} others since the last warning` : '';
    this.#warn(`${address} speaks ${protocol}, not ${expected}: its connection is ended${before}`);
    this.#nextWarningAt = performance.now() + MINUTE_MILLISECONDS;
    this.#untold = 0;
  }
}
