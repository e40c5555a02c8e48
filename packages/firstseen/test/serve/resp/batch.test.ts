import { expect, it } from 'vitest';
import { endOfAlike, KeyBatch } from '../../../src/serve/resp/batch.js';
import { Latest } from '../../../src/serve/resp/latest.js';
import { CommandParser } from '../../../src/serve/resp/parser.js';
import { knownLimits } from '../../../src/serve/session.js';
import { encode } from '../support/client.js';

function parsed(...commands: readonly string[][]) {
  const parser = new CommandParser(knownLimits);
  parser.push(Buffer.concat(commands.map((words) => encode(...words))));
  return parser.next();
}

it('commands are alike if their name and their detector are, and they have as many keys as they may', () => {
  const first = ['BF.ADD', 'seen', 'a'];
  const endAfter = (...others: string[][]) => endOfAlike(parsed(first, ...others), 0, 2);
  expect(endAfter(first, ['BF.ADD', 'seen', 'a longer key'], ['BF.ADD', 'seen', 'b', 'c'])).toBe(4);
  for (const other of [
    ['BF.ADD', 'seem', 'a'],
    ['BF.ADD', 'see', 'a'],
    ['BF.ADDs', 'een', 'a'],
    ['BF.ADE', 'seen', 'a'],
    ['BF.ADD', 'seen'],
    ['BF.ADD'],
    ['BF.ADD', 'seen', 'a', 'b', 'c'],
  ]) {
    expect(endAfter(first, other, first), other.join(' ')).toBe(2);
  }
});

it('a batch has the keys of its commands only, and keeps room for few of them', () => {
  const keys = new KeyBatch();
  const textsAfter = (...commands: readonly string[][]) => {
    const given = parsed(...commands);
    keys.take(given, { from: 0, to: given.count });
    const { bytes, starts, ends, count } = keys;
    return Array.from({ length: count }, (_, i) => Buffer.from(bytes.subarray(starts[i], ends[i])).toString());
  };
  const many = Array.from({ length: 16_000 }, (_, i) => `key ${i}`);
  const most = Array.from({ length: 20_000 }, (_, i) => `key ${i}`);
  const rooms = [many, most, many].map((each) => {
    expect(textsAfter(['BF.MADD', 'seen', ...each])).toEqual(each);
    expect(textsAfter(['BF.MADD', 'seen', 'a', 'b'], ['BF.MADD', 'seen', 'c'])).toEqual(['a', 'b', 'c']);
    expect(keys.verdicts.length).toBe(keys.starts.length);
    return keys.starts.length;
  });
  expect(Math.max(...rooms)).toBeLessThanOrEqual(2 ** 14);
});

it('bytes that were read last are not read again, unless they are long', () => {
  const read: string[] = [];
  const latest = new Latest((bytes) => {
    read.push(bytes.toString());
    return read.length;
  });
  const long = 'x'.repeat(1000);
  const values = ['a', 'a', 'b', 'a', 'ab', 'ab', long, long].map((text) => {
    const bytes = Buffer.from(`--${text}--`);
    const value = latest.of(bytes, 2, 2 + text.length);
    bytes.fill(0);
    return value;
  });
  expect(read).toEqual(['a', 'b', 'a', 'ab', long, long]);
  expect(values).toEqual([1, 1, 2, 3, 4, 4, 5, 6]);
});
