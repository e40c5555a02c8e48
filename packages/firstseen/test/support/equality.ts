// Vitest compares arrays item by item, which takes half a minute for four megabytes. Before each file of tests, this has it compare
// arrays of bytes at once.

import { expect } from 'vitest';

function areSameBytes(one: unknown, other: unknown): boolean | undefined {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return undefined;
  return one.constructor === other.constructor && Buffer.compare(one, other) === 0;
}

expect.addEqualityTesters([areSameBytes]);
