// A run on several threads does what a run on one thread does, byte for byte: every family, format, emission and failure. Threads
// load their code from dist/.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { type RunOptions, type RunStats, runFiles } from '../../dist/node.js';
import { families } from '../../src/detectors/descriptions.js';
import { temporaryFolder } from '../cli/support/command.js';
import { allCases, defaultCases, defaultPartitionedCases } from '../support/cases.js';
import { coverOf, inLongForm, sampleNote, sampleOf, sampleSeed } from '../support/form.js';
import { randomFrom } from '../support/random.js';
import { chosenRuns, expectSame, optionsFor, outcomeOf } from '../support/threadruns.js';

/** Records of an input. Windows are divided from a few hundred kilobytes on. */
const RECORDS = inLongForm(40_000, 32_000);
/** The record at fault of an input. */
const LATE_RECORD = 31_011;
const THREADS = [2, 3];

const random = randomFrom(7);
/** Half of the keys are new, the others repeat one of the last thousands. */
const keys = Array.from({ length: RECORDS }, (_, i) =>
  random() < 0.5 ? i : Math.max(0, i - Math.floor(random() * 9000)),
);

const json = keys.map((key, i) => `{"at":${i},"id":"key-${key}"}`);
const texts: Record<string, string> = {
  'in.txt': keys.map((key) => `https://example.org/pages/${key}\n`).join(''),
  'in.ndjson': json.map((line) => `${line}\n`).join(''),
  'odd.ndjson': json
    .map((line, i) => (i % 5003 === 0 ? '{"at":1}' : i % 7001 === 0 ? '{"id":' : i % 101 === 0 ? '' : line))
    .join('\r\n'),
  'late.ndjson': json.map((line, i) => (i === LATE_RECORD ? 'broken' : line)).join('\n'),
  'in.csv': `at,id,text\n${keys.map((key, i) => `${i},key-${key},plain\n`).join('')}`,
  'quoted.csv': `at,id,text\n${keys.map((key, i) => `${i},key-${key},"a ""note""\nof\n${i % 7} lines"\n`).join('')}`,
  'torn.csv': `at,id,text\n${keys.map((key, i) => `${i},key-${key},${i % 997 === 0 ? 'a " quote' : 'plain'}\n`).join('')}`,
  // Quotes that are not closed, some of which the quotes of a later row seem to close.
  'open.csv': `at,id,text\n${keys.map((key, i) => `${i},key-${key},${i % 4001 === 7 ? '"open' : i % 5003 === 9 ? '"note"' : 'plain'}\n`).join('')}`,
  'in.tsv': `at\tid\n${keys.map((key, i) => `${i}\tkey-${key}\n`).join('')}`,
  'long.txt': keys.map((key, i) => `${i % 20_011 === 9 ? 'long '.repeat(90_000) : ''}page ${key}\n`).join(''),
};

const folder = temporaryFolder(afterAll);
for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
writeFileSync(join(folder, 'in.txt.gz'), gzipSync(texts['in.txt'] as string));
const integers = new BigUint64Array(keys.length);
for (const [i, key] of keys.entries()) integers[i] = BigInt(key) * 0x9e3779b97f4a7c15n;
writeFileSync(join(folder, 'in.u64'), new Uint8Array(integers.buffer));

/** What a run leaves, with the state that it saved. */
function outcomeAt(name: string, threads: number, options: Partial<RunOptions>) {
  return outcomeOf<RunStats>({
    ...{ folder, threads },
    run: (files, onFailure) =>
      runFiles({
        ...optionsFor({ folder, name }, files),
        ...options,
        ...{ threads, onFailure },
      }),
  });
}

function expectSameOf(name: string, options: Partial<RunOptions>, threads: readonly number[]) {
  return expectSame(threads, (several) => outcomeAt(name, several, options));
}

// The short form of threaded.process.test.ts has each family, also in partitions. Parameters decide nothing here, and some take long.
const cases = coverOf(inLongForm(allCases, defaultCases)(300_001), ({ options }) => [`${options.layout}`]);
describe.each(cases)(`$name${sampleNote}`, ({ options: detector }) => {
  test('answers on several threads as on one', async () => {
    const { output, stats } = await expectSameOf('in.ndjson', { keys: ['id'], detector }, [2]);
    expect(stats.records ?? 0).toBeGreaterThan(1000);
    expect(output.length).toBeGreaterThan(1000);
  });
});

const partitioned = [4, 16].flatMap((partitions) => defaultPartitionedCases(300_001, partitions));
describe.each(coverOf(partitioned, ({ options }) => [`${options.layout} ${options.partitions}`]))(
  `$name${sampleNote}`,
  ({ name, options: detector }) => {
    test('answers on several threads as on one', async () => {
      const threads = sampleOf(THREADS, 1, sampleSeed + name.length);
      const { output, stats } = await expectSameOf('in.ndjson', { keys: ['id'], detector }, threads);
      expect(stats.records ?? 0).toBeGreaterThan(1000);
      expect(output.length).toBeGreaterThan(1000);
    });
  },
);

test('every blocked family is among the cases', () => {
  const blocked = families.filter(({ layouts }) => layouts.includes('blocked')).map(({ name }) => name);
  const covered = new Set(allCases().map(({ options }) => `${options.algorithm} ${options.layout}`));
  expect(blocked.length).toBeGreaterThan(5);
  for (const name of blocked) expect(covered).toContain(`${name} blocked`);
});

const detector = { memory: '1MiB' };

const formats: [string, Partial<RunOptions>][] = [
  ['in.txt', {}],
  ['in.txt.gz', {}],
  ['in.ndjson', { keys: ['id'] }],
  ['in.csv', { keys: ['id'] }],
  ['quoted.csv', { keys: ['id'] }],
  ['torn.csv', { keys: ['id'], onError: 'pass' }],
  ['open.csv', { keys: ['id'], onError: 'drop' }],
  ['open.csv', { keys: ['id'], onError: 'drop', emit: 'verdicts', maxRecordBytes: 400 }],
  ['torn.csv', { keys: ['id'] }],
  ['in.tsv', { keys: ['id', 'at'] }],
  ['in.u64', { format: 'u64' }],
  ['odd.ndjson', { keys: ['id'], missingKey: 'distinct', onError: 'pass' }],
  ['odd.ndjson', { keys: ['id'], missingKey: 'drop', onError: 'drop' }],
  ['odd.ndjson', { keys: ['id'], missingKey: 'drop', onError: 'drop', emit: 'verdicts' }],
  ['late.ndjson', { keys: ['id'] }],
  ['late.ndjson', { keys: ['id'], isStrict: true }],
  ['long.txt', { maxRecordBytes: 100_000, onError: 'pass' }],
  ['long.txt', { maxRecordBytes: 100_000, onError: 'drop', emit: 'verdicts' }],
  ['long.txt', {}],
  ['in.ndjson', { keys: ['id'], shard: '2/3' }],
  ['in.ndjson', { keys: ['id'], emit: 'duplicates' }],
  ['in.ndjson', { keys: ['id'], detector: { memory: '1MiB', secret: '0123456789abcdef0123456789abcdef' } }],
  ['in.ndjson', { keys: ['id'], detector: { memory: '16KiB', partitions: 4 } }],
  ['in.ndjson', { keys: ['id'], detector: { memory: '1MiB', partitions: 128, witness: true } }],
  ['odd.ndjson', { keys: ['id'], missingKey: 'drop', onError: 'drop', detector: { memory: '1MiB', partitions: 8 } }],
  ['in.ndjson', { keys: ['id'], detector: { memory: '16KiB', algorithm: 'exact' } }],
  ['in.ndjson', { keys: ['id'], detector: { memory: '128KiB', algorithm: 'exact', partitions: 4 } }],
  ['in.ndjson', { keys: ['id'], detector: { memory: '4MiB', algorithm: 'exact', partitions: 16 } }],
  ['in.txt', { detector: { memory: '64KiB', window: 1000 } }],
  ['in.txt', { detector: { memory: '1MiB', window: 20_000, refresh: true } }],
  ['in.txt', { detector: { memory: '4KiB', algorithm: 'bloom', fpr: 0.01, distinctElements: 1000, witness: true } }],
];

describe.each(chosenRuns(formats, THREADS))(
  `$name $options on $several threads${sampleNote}`,
  ({ name, options, several }) => {
    test('gives what it gives on one', async () => {
      const { error } = await expectSameOf(name, { detector, ...options }, several);
      if (name === 'late.ndjson') expect(error).toContain(`line ${LATE_RECORD + 1}:`);
    });
  },
);

describe('a detector that one thread observes', () => {
  /** Long enough for threads to make a difference. */
  const long = join(folder, 'warned.txt');
  writeFileSync(long, `${'long '.repeat(2 ** 11)}\n`.repeat(2 ** 10));

  const warningsOf = async (options: Partial<RunOptions>) => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => void warnings.push(message);
    const output = join(folder, `warned-${Math.floor(random() * 1e9)}`);
    await runFiles({ inputs: [long], output, ...options, onWarning });
    return warnings;
  };

  test.each([
    [{ algorithm: 'exact' as const }, 'exact in layout classic is observed by one thread; give partitions to divide'],
    [{ partitions: 256 }, 'a detector of 256 partitions is observed by one thread; give partitions 128 or less'],
    [
      { window: '1h', partitions: 4 },
      'partitions whose window is a duration is observed by one thread; give window as a number',
    ],
  ])('%o is told once', async (own, message) => {
    const asked = { detector: { memory: '4MiB', ...own } };
    expect(await warningsOf({ ...asked, threads: 2 })).toEqual([expect.stringContaining(message)]);
    expect(await warningsOf({ ...asked, threads: 'auto' })).toEqual([]);
    expect(await warningsOf({ ...asked, threads: 1 })).toEqual([]);
    expect(await warningsOf({ ...asked, threads: 2, inputs: [join(folder, 'in.txt')] })).toEqual([]);
  });

  test.each([{ algorithm: 'exact' as const, partitions: 4 }, {}, { window: '1h' }])(
    '%o has no warning',
    async (own) => {
      expect(await warningsOf({ detector: { memory: '4MiB', ...own }, threads: 2 })).toEqual([]);
    },
  );
});
