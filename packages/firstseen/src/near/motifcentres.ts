// The centre of a set: for every bit, the value of most of its first members.

/** The number of members that count; odd, so that no bit is tied. */
const MAX_MEMBERS = 1023;

interface Centre {
  members: number;
  /** For each bit, the number of members in which it is 1. */
  ones: Uint16Array;
}

export class MotifCentres {
  readonly #recordBytes: number;
  readonly #centres: Centre[] = [];

  constructor(recordBytes: number) {
    this.#recordBytes = recordBytes;
  }

  /** Counts record number `index` of consecutive ones for a set, as long as the set has few members. */
  add(set: number, records: Uint8Array, index: number): void {
    const centre = this.#centreOf(set);
    if (centre.members === MAX_MEMBERS) return;
    centre.members++;
    const { ones } = centre;
    for (let at = 0; at < this.#recordBytes; at++) {
      const byte = records[index * this.#recordBytes + at] as number;
      for (let bit = 0; bit < 8; bit++) ones[8 * at + bit] = (ones[8 * at + bit] as number) + ((byte >> bit) & 1);
    }
  }

  /** The centre of a set. A bit that is 1 in half of the members is 0. */
  centre(set: number): Uint8Array {
    const { members, ones } = this.#centreOf(set);
    const centre = new Uint8Array(this.#recordBytes);
    ones.forEach((count, bit) => {
      if (2 * count > members) centre[bit >> 3] = (centre[bit >> 3] as number) | (1 << (bit & 7));
    });
    return centre;
  }

  #centreOf(set: number): Centre {
    this.#centres[set] ??= { members: 0, ones: new Uint16Array(8 * this.#recordBytes) };
    return this.#centres[set] as Centre;
  }
}
