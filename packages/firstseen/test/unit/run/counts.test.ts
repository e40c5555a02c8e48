import { expect, test } from 'vitest';
import { Counter, noCounts } from '../../../src/run/counts.js';

test('counts continue from those of an earlier process and do not change them', () => {
  const before = { ...noCounts, records: 10, bytesIn: 100, bytesOut: 50 };
  const counter = new Counter(before);
  counter.addRecords({ records: 3, distinct: 2, duplicates: 1 });
  counter.addBytesIn(30);
  counter.addBytesIn(-5);
  counter.setBytesOut(7);
  counter.setBytesOut(9);
  expect(counter.snapshot()).toEqual({
    ...before,
    records: 13,
    distinct: 2,
    duplicates: 1,
    bytesIn: 125,
    bytesOut: 59,
  });
  expect(counter.recordsHere).toBe(3);
  expect(before.records).toBe(10);
});

test('a snapshot does not change with the counter', () => {
  const counter = new Counter();
  const taken = counter.snapshot();
  counter.addRecords({ records: 1 });
  expect(taken).toEqual(noCounts);
});
