// Random input in random pieces through standard input, compared with a JavaScript Set.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runFirstseen } from '../cli/support/command.js';
import { runCommand } from '../cli/support/runner.js';
import { inLongForm } from '../support/form.js';

const RUNS = inLongForm(40, 15);
const SEED = 2006;
/** A process gets the pieces through a pipe. */
const run = inLongForm(runFirstseen, runCommand);
const exactFlags = (memory = '64KiB') => ['-a', 'exact', '-m', memory];

/** A record as it appears in the input, and the value that identifies it. A record without identity is copied. */
interface FuzzRecord {
  text: string;
  key?: string | undefined;
}

const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n');

/** Bytes that are significant to a scanner, more often than others. */
function textOf(special: readonly string[], maxLength: number): fc.Arbitrary<string> {
  const character = fc.oneof(fc.constantFrom(...special), fc.constantFrom('a', 'b', 'é', '\u{1f600}', '\0'));
  return fc.array(character, { maxLength }).map((parts) => parts.join(''));
}

/** Records that end with `end`. */
type RecordsEnding = (end: fc.Arbitrary<string>) => fc.Arbitrary<FuzzRecord>;

/** The key is the whole line without its newline, including a carriage return. */
const lineRecord: RecordsEnding = (end) =>
  fc
    .tuple(textOf(['\r', '"', ' '], 3), end)
    .map(([text, terminator]) => ({ text: text + terminator, key: text + terminator.slice(0, -1) }));

const blankRecord: fc.Arbitrary<FuzzRecord> = lineEnd.map((text) => ({ text }));

const jsonValue: fc.Arbitrary<string | number | boolean | null> = fc.oneof(
  textOf(['"', '\\', '\n', '{', '}', '[', ']', ',', ':'], 3),
  fc.integer({ min: 0, max: 9 }),
  fc.constantFrom(true, null),
);

/** JSON text with some characters written as escapes. */
function escaped(json: string, isSpelledOut: boolean): string {
  if (!isSpelledOut) return json;
  return json.replace(/[ab]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
}

/** By default, records with an empty key or a null all pass. */
function keyOf(text: string): string | undefined {
  return text === '' ? undefined : text;
}

const jsonRecord: RecordsEnding = (end) =>
  fc
    .record({
      id: jsonValue,
      before: jsonValue,
      after: fc.jsonValue({ maxDepth: 2 }),
      isSpelledOut: fc.boolean(),
      terminator: end,
    })
    .map(({ id, before, after, isSpelledOut, terminator }) => {
      const value = JSON.stringify(id);
      const idText = typeof id === 'string' ? escaped(value, isSpelledOut) : value;
      return {
        text: `{"before":${JSON.stringify(before)}, "x":{"id":${idText} } ,"after":${JSON.stringify(after)}}${terminator}`,
        key: keyOf(id === null || id === '' ? '' : value),
      };
    });

interface Field {
  content: string;
  isQuoted: boolean;
}

const csvField: fc.Arbitrary<Field> = fc
  .tuple(textOf(['"', ',', '\n', '\r', '\r\n'], 3), fc.boolean())
  .map(([content, wish]) => ({ content, isQuoted: wish || /[",\r\n]/.test(content) }));

function fieldText({ content, isQuoted }: Field): string {
  return isQuoted ? `"${content.replaceAll('"', '""')}"` : content;
}

const csvRecord: RecordsEnding = (end) =>
  fc.tuple(csvField, csvField, csvField, end).map(([first, id, last, terminator]) => ({
    text: `${[first, id, last].map(fieldText).join(',')}${terminator}`,
    key: keyOf(id.content),
  }));

/** The expected output of the command. */
function firstOccurrences(records: readonly FuzzRecord[]): string {
  const seen = new Set<string>();
  const kept = records.filter(({ key }) => {
    if (key === undefined) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  // A last record without a newline gets one.
  return kept
    .map(({ text }) => text)
    .join('')
    .replace(/[^\n]$/, '$&\n');
}

/** Cuts bytes at the given fractions of their length. */
function piecesOf(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const cuts = [0, ...shares.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((cut, i) => bytes.subarray(cuts[i], cut));
}

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

async function expectFirstOccurrences(
  records: readonly FuzzRecord[],
  cuts: readonly number[],
  flags: readonly string[],
  header = '',
  memory?: string,
): Promise<void> {
  const input = header + records.map(({ text }) => text).join('');
  const { code, stdout, stderr } = await run([...exactFlags(memory), ...flags], {
    cwd: '.',
    stdin: piecesOf(new TextEncoder().encode(input), cuts),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.toString()).toBe(header + firstOccurrences(records));
}

async function fuzz(
  record: RecordsEnding,
  flags: readonly string[],
  { header = '', hasBlanks = true } = {},
): Promise<void> {
  const terminated = record(lineEnd);
  const records = fc.array(hasBlanks ? fc.oneof({ weight: 8, arbitrary: terminated }, blankRecord) : terminated, {
    maxLength: 60,
  });
  const rest = fc.array(record(fc.constant('')), { maxLength: 1 });
  await fc.assert(
    fc.asyncProperty(records, rest, shares, (drawn, last, cuts) =>
      expectFirstOccurrences([...drawn, ...last], cuts, flags, header),
    ),
    { numRuns: RUNS, seed: SEED },
  );
}

describe('random input in random pieces', () => {
  test('lines', () => fuzz(lineRecord, [], { hasBlanks: false }));
  test('ndjson by a key', () => fuzz(jsonRecord, ['-f', 'ndjson', '-k', 'x.id']));
  test('ndjson, parsed in full', () => fuzz(jsonRecord, ['-f', 'ndjson', '-k', 'x.id', '--strict']));
  test('csv by a column', () => fuzz(csvRecord, ['-f', 'csv', '-k', 'id'], { header: 'first,id,last\n' }));

  test('more input than the command buffers at once', async () => {
    const random = fc.sample(fc.integer({ min: 0, max: 20_000 }), { numRuns: 250_000, seed: SEED });
    const records = random.map((number) => ({ text: `record number ${number}\n`, key: String(number) }));
    const cuts = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: 300, seed: SEED });
    await expectFirstOccurrences(records, cuts, [], '', '1MiB');
  });
});
