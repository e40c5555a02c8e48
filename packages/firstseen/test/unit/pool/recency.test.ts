import { expect, test } from 'vitest';
import { Recency, type RecencyEntry } from '../../../src/pool/recency.js';
import { Random } from '../../support/streams.js';

class Entry implements RecencyEntry {
  older: this | undefined;
  newer: this | undefined;
}

function listed(recency: Recency<Entry>): Entry[] {
  const entries: Entry[] = [];
  for (let entry = recency.oldest; entry; entry = entry.newer) entries.push(entry);
  return entries;
}

test('the order is that of the last uses', () => {
  const recency = new Recency<Entry>();
  const entries = Array.from({ length: 6 }, () => new Entry());
  const random = new Random(1);
  let expected: Entry[] = [];
  for (let i = 0; i < 2000; i++) {
    const entry = entries[random.below(entries.length)] as Entry;
    expected = expected.filter((other) => other !== entry);
    if (random.below(3) === 0) {
      recency.remove(entry);
    } else {
      recency.use(entry);
      expected.push(entry);
    }
    expect(listed(recency)).toEqual(expected);
    expect(recency.oldest).toBe(expected[0]);
  }
});
