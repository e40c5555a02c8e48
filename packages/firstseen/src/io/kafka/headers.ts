// Headers of records, as the client of Kafka has them.

import type { Headers } from './contract.js';

/** The client sets a value by its name: with this one, it sets the prototype of the header, which then has no member. */
const PROTOTYPE = '__proto__';

/** Each header as its name and value, in their order. */
export function headerPairs(headers: Headers | undefined): [name: string, value: Uint8Array][] {
  return (headers ?? []).flatMap((header): [string, Uint8Array][] => {
    const pairs = Object.entries(header);
    return pairs.length > 0 ? pairs : [[PROTOTYPE, Object.getPrototypeOf(header) as Uint8Array]];
  });
}
