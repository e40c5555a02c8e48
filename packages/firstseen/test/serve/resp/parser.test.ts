// The parser finds the same commands as its slow twin, however the bytes are cut, within its limits and in linear time.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestLimits } from '../../../src/serve/resp/commands.js';
import { CommandParser } from '../../../src/serve/resp/parser.js';
import { knownLimits, unknownLimits } from '../../../src/serve/session.js';
import { referenceCommands } from '../../reference/resp.js';
import { inLongForm } from '../../support/form.js';
import { Random } from '../../support/streams.js';
import { encode } from '../support/client.js';
import { countedWork } from '../support/countedwork.js';
import { cut, differenceOver, nearRepeats, parsed } from '../support/parsing.js';

const FUZZED = inLongForm(20_000, 3000);

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** A command, in the bytes of one of its two forms. */
const someCommand = fc.oneof(
  fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 6 }).map((words) => ({
    bytes: encode(...words),
    words: words.map((word) => Buffer.from(word).toString('latin1')),
  })),
  fc.array(fc.uint8Array({ maxLength: 10 }), { minLength: 1, maxLength: 4 }).map((words) => {
    const quoted = words.map(
      (word) => `"${Array.from(word, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`,
    );
    return {
      bytes: latin1(`${quoted.join(' ')}\r\n`),
      words: words.map((word) => Buffer.from(word).toString('latin1')),
    };
  }),
);

describe('commands', () => {
  test('are the same wherever they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(someCommand, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (commands, places) => {
          const bytes = Buffer.concat(commands.map((command) => command.bytes));
          const offsets = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
          const expected = { commands: commands.map(({ words }) => words) };
          expect(referenceCommands(bytes, knownLimits)).toEqual(expected);
          expect(parsed(cut(bytes, offsets))).toEqual(expected);
        },
      ),
      { numRuns: inLongForm(1000, 100) },
    );
  });

  test.each([
    '*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nECHO\r\n$5\r\na\r\nb*\r\n',
    'PING\r\n\r\n  ECHO "a \\x41\\n\\"b\\\\"  \nx \'it\\\'s\' "" \'\'\r\n*0\r\n*-1\r\n*1\r\n$0\r\n\r\n',
    '*1\r\n$1\r\na\r\nx\n*1\r\n$1\r\nb\r\nPING "open\r\nPING\r\n',
    '*1\r\n$1\r\na\r\n*3\r\n$1\r\nb\r\n#1\r\n',
    '*1\r\n$2\r\nabc\r\n',
    '*2\r\n$1\r\na\r\n$-1\r\n',
    '*1\r\n$4\r\nPING\r\nECHO abcd e f\r\nECHO abcde fg\r\n',
    '*2\r\n$1\r\na\r\n$10\r\nbbbbbbbbbb\r\n*2\r\n$1\r\na\r\n$10\r\nccc\r\n*2ccc\r\n*2\r\n$1\r\nd\r\n$10\r\ncccccccccc\r\n',
    'a"b c"\r\na"b"c\r\n',
    '*1\r$1\r\na\r\n',
    '*0123\r\n',
    '*1\r\n$-0\r\n',
    '*-99999999999999999999\r\n',
    'a\0b "\\xzz\\q"\r\n\t\v\f \r\n',
    '*123456789012345678901234567890\r\n',
    '*1\r\n$00000000000000000000000001\r\na\r\n',
  ])('%j is the same at every two cuts', (text) => {
    const expected = JSON.stringify(referenceCommands(latin1(text), knownLimits));
    const differing: unknown[] = [];
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const answer = JSON.stringify(parsed(cut(latin1(text), [first, second])));
        if (answer !== expected) differing.push({ first, second, answer });
      }
    }
    expect(differing).toEqual([]);
  });

  test('that repeat the one before them up to a last argument of the same length are marked, and no others', () => {
    const random = new Random(11);
    const rounds = inLongForm(5000, 1500);
    let marked = 0;
    let wronglyMarked = 0;
    for (let round = 0; round < rounds; round++) {
      const parser = new CommandParser(knownLimits);
      parser.push(nearRepeats(random));
      const { bytes, starts, ends, firsts, repeats, count } = parser.next();
      const wordsOf = (command: number) =>
        Array.from({ length: (firsts[command + 1] as number) - (firsts[command] as number) }, (_, i) => {
          const at = (firsts[command] as number) + i;
          return bytes.toString('latin1', starts[at], ends[at]);
        });
      if (repeats[0] !== 0) wronglyMarked++;
      for (let i = 1; i < count; i++) {
        const [before, own] = [wordsOf(i - 1), wordsOf(i)];
        const isRepeat =
          own.length === before.length &&
          own.every((word, j) => (j < own.length - 1 ? word === before[j] : word.length === before[j]?.length));
        // A command is only compared with one that came in one chunk with it, in the same bytes.
        if (repeats[i] !== 1) continue;
        marked++;
        if (!isRepeat) wronglyMarked++;
      }
    }
    expect(wronglyMarked).toBe(0);
    // About one in each round.
    expect(marked).toBeGreaterThan(rounds / 2);
  });

  test('are the same for more than one batch of arguments', () => {
    const commands = Array.from({ length: 9000 }, (_, i) => ['ECHO', 'x'.repeat(i % 50), String(i)]);
    const bytes = Buffer.concat(commands.map((words) => encode(...words)));
    for (const step of [bytes.length, 65_536, 1021]) {
      const offsets = Array.from({ length: Math.floor(bytes.length / step) }, (_, i) => (i + 1) * step);
      expect(isDeepStrictEqual(parsed(cut(bytes, offsets)), { commands }), `steps of ${step} bytes`).toBe(true);
    }
  });
});

describe('limits', () => {
  const limits: RequestLimits = {
    argumentBytes: 10,
    commandArguments: 4,
    requestBytes: 25,
    batchArguments: 100,
    refusal: 'invalid',
  };
  const problemOf = (bytes: Uint8Array, most = limits) => parsed([bytes], most).problem;

  test('of an argument, the arguments and all their bytes', () => {
    expect(problemOf(encode('x'.repeat(10)))).toBeUndefined();
    expect(problemOf(encode('x'.repeat(11)))).toBe('Protocol error: invalid bulk length');
    expect(problemOf(encode('a', 'b', 'c', 'd'))).toBeUndefined();
    expect(problemOf(encode('a', 'b', 'c', 'd', 'e'))).toBe('Protocol error: invalid multibulk length');
    expect(problemOf(encode('x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)))).toBeUndefined();
    expect(problemOf(encode('x'.repeat(10), 'x'.repeat(10), 'x'.repeat(6)))).toBe(
      'Protocol error: invalid bulk length: the command has more than 25 bytes; send its keys in several commands, or start the server with a larger --max-request',
    );
  });

  test('of an inline command', () => {
    const most = 65_536;
    expect(parsed([latin1(`${'x'.repeat(most)}\n`)]).commands).toEqual([['x'.repeat(most)]]);
    const { problem } = parsed([latin1(`${'x'.repeat(most + 1)}\n`)]);
    expect(problem).toBe('Protocol error: too big inline request');
    expect(parsed([latin1('x'.repeat(most + 1))]).problem).toBe(problem);
  });

  test('are refused before the bytes come', () => {
    expect(problemOf(latin1('*1\r\n$11\r\n'))).toBe('Protocol error: invalid bulk length');
    expect(problemOf(latin1('*5\r\n'))).toBe('Protocol error: invalid multibulk length');
  });

  test('of clients that are not authenticated', () => {
    const words = (count: number) => Array.from({ length: count }, () => 'x');
    expect(problemOf(encode(...words(10)), unknownLimits)).toBeUndefined();
    expect(problemOf(encode(...words(11)), unknownLimits)).toBe('Protocol error: unauthenticated multibulk length');
    expect(problemOf(encode('x'.repeat(16_385)), unknownLimits)).toBe('Protocol error: unauthenticated bulk length');
    expect(problemOf(latin1('*x\r\n'), unknownLimits)).toBe('Protocol error: invalid multibulk length');
  });

  test('change between two commands that came together', () => {
    const parser = new CommandParser(unknownLimits);
    const words = Array.from({ length: 20 }, (_, i) => String(i));
    parser.push(Buffer.concat([encode('AUTH', 'x'), encode(...words)]));
    expect(parser.next().count).toBe(1);
    parser.limits = knownLimits;
    expect(parser.next().count).toBe(1);
    expect(parser.problem).toBeUndefined();
  });
});

describe('work is linear in the bytes', () => {
  /** Bytes that are copied and searched for each byte of an input in chunks. */
  function workOf(bytes: Uint8Array, chunkBytes: number): number {
    const parser = new CommandParser(knownLimits);
    const buffer = Buffer.from(bytes);
    let count = 0;
    const work = countedWork(() => {
      for (let from = 0; from < buffer.length; from += chunkBytes) {
        parser.push(buffer.subarray(from, from + chunkBytes));
        while (parser.next().count > 0) count += parser.count;
      }
    });
    expect(parser.problem).toBeUndefined();
    expect(count).toBeGreaterThan(0);
    return work / bytes.length;
  }

  const LARGE_BYTES = inLongForm(2 ** 20, 2 ** 17);
  /** The number of short arguments, commands and lines. */
  const MANY = inLongForm(100_000, 20_000);

  test.each([
    [
      'a command of large arguments',
      encode('BF.MADD', 'f', ...Array.from({ length: 8 }, () => 'x'.repeat(LARGE_BYTES))),
    ],
    ['a command of many arguments', encode('BF.MADD', 'f', ...Array.from({ length: MANY }, () => 'key'))],
    ['many commands', Buffer.concat(Array.from({ length: MANY / 2 }, (_, i) => encode('BF.ADD', 'f', String(i))))],
    ['long lines', Buffer.from(`${'x'.repeat(60_000)}\r\n`.repeat(20))],
    ['short lines', Buffer.from('PING\r\n'.repeat(MANY))],
  ])('%s', (_, bytes) => {
    for (const chunkBytes of [64, 1460, 65_536]) expect(workOf(bytes, chunkBytes)).toBeLessThan(12);
  });
});

test('random bytes in random chunks mean what they mean to the twin', () => {
  const random = new Random(32);
  for (let i = 0; i < FUZZED; i++) expect(differenceOver(random)).toBeUndefined();
});

test('memory is bounded by the command that is not whole', () => {
  const random = new Random(33);
  const parser = new CommandParser(knownLimits);
  for (let i = 0; i < inLongForm(60, 12); i++) {
    const words = Array.from({ length: 1 + random.below(30_000) }, () => 'x'.repeat(random.below(4)));
    const bytes = encode(...words);
    for (let from = 0; from < bytes.length; from += 30_000) {
      parser.push(bytes.subarray(from, from + 30_000));
      while (parser.next().count > 0);
      expect(parser.bytes.length).toBeLessThanOrEqual(Math.max(2 ** 16, 2 * bytes.length));
    }
    if (i % 20 === 0) {
      parser.push(encode('PING'));
      expect(parser.next().count).toBe(1);
      expect(parser.bytes.length).toBeLessThan(100);
      parser.push(encode('PING'));
      expect(parser.starts.length).toBeLessThan(2 ** 15);
    }
  }
});
