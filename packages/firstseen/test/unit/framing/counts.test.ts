import { expect, test } from 'vitest';
import { addCounts, Counter, noCounts } from '../../../src/framing/counts.js';

test('counts begin at zero and are added to those of earlier runs', () => {
  const before = { ...noCounts, records: 10, bytesIn: 100, bytesOut: 50 };
  const counter = new Counter();
  counter.addRecords({ records: 3, distinct: 2, duplicates: 1 });
  counter.addBytesIn(30);
  counter.addBytesIn(-5);
  counter.setBytesOut(7);
  counter.setBytesOut(9);
  const here = { ...noCounts, records: 3, distinct: 2, duplicates: 1, bytesIn: 25, bytesOut: 9 };
  expect(counter.snapshot()).toEqual(here);
  const sum = { ...here, records: 13, bytesIn: 125, bytesOut: 59 };
  expect(addCounts(before, counter.counts)).toEqual(sum);
  expect(before.records).toBe(10);
});

test('a snapshot does not change with the counter', () => {
  const counter = new Counter();
  const taken = counter.snapshot();
  counter.addRecords({ records: 1 });
  expect(taken).toEqual(noCounts);
});
