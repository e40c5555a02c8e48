// How much of the next inputs is read ahead.

import { expect, test } from 'vitest';
import { AHEAD_BYTES, beginAhead, endAhead } from '../../../src/io/readahead.js';
import type { Source } from '../../../src/io/source.js';

/** Inputs whose beginnings have these bytes; those with none are not read ahead. `events` gets what happens to them. */
function inputsOf(sizes: readonly (number | undefined)[], events: string[]): Source[] {
  return sizes.map((bytes, i) => {
    const ahead = { bytes, begin: () => events.push(`begin ${i}`), end: () => events.push(`end ${i}`) };
    return (bytes === undefined ? {} : { ahead }) as unknown as Source;
  });
}

test('inputs are begun in their order until the next one would take too many bytes', () => {
  const events: string[] = [];
  beginAhead(inputsOf([1, undefined, AHEAD_BYTES / 2 - 1, AHEAD_BYTES / 2, 1, 1], events));
  expect(events).toEqual(['begin 0', 'begin 2', 'begin 3']);
});

test('all are ended, whether or not they were begun', () => {
  const events: string[] = [];
  endAhead(inputsOf([1, undefined, 2], events));
  expect(events).toEqual(['end 0', 'end 2']);
});
