// Near-duplicate detection on several threads does what it does on one thread, byte for byte: every family of hashes, rule, format and
// failure. Threads load their code from dist/.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { DocumentOptions, DocumentStats } from '../../src/jobs/near/documentoptions.js';
import { runDocuments } from '../../src/jobs/near/run.js';
import { lshFamilies } from '../../src/near/registry.js';
import { temporaryFolder } from '../cli/support/command.js';
import { drawWords, editWords } from '../support/documents.js';
import { coverOf, inLongForm, sampleNote, sampleOf } from '../support/form.js';
import { Random } from '../support/streams.js';
import { chosenRuns, expectSame, optionsFor, outcomeOf } from '../support/threadruns.js';

vi.mock('node:worker_threads', async (original) => (await import('../support/distthreads.js')).threadsOfDist(original));

const DOCUMENTS = inLongForm(6000, 2400);
const DIGESTS = 4 * DOCUMENTS;
const WORDS = 30;
/** The document at fault of an input. */
const LATE_DOCUMENT = DOCUMENTS - 997;
const THREADS = [2, 3];

const random = new Random(11);
const below = (count: number) => Math.floor((random.nextWord() / 2 ** 32) * count);
const words: string[][] = [];
for (let i = 0; i < DOCUMENTS; i++) {
  const isCopy = i > 0 && below(10) < 4;
  words.push(isCopy ? editWords(words[below(i)] as string[], 0.02, random) : drawWords(WORDS, random));
}
const texts = words.map((own) => own.join(' '));
/** JSON with letters that must be decoded. */
const json = words.map((own, i) => `{"id":"d\\u002d${i}","text":"${own.join('\\n')} \\u00e9"}`);

/** 16 bytes, of which half are an earlier document with a bit changed. */
const digests: Buffer[] = [];
for (let i = 0; i < DIGESTS; i++) {
  const digest =
    i > 0 && below(2) === 0
      ? Buffer.from(digests[below(i)] as Buffer)
      : Buffer.from(Uint32Array.from({ length: 4 }, () => random.nextWord()).buffer);
  digest[below(16)] = (digest[below(16)] as number) ^ (1 << below(8));
  digests.push(digest);
}
/** Digests as 16 letters, because a line has no newline inside. */
const letters = digests.map((digest) => Buffer.from(digest.map((byte) => 0x40 + (byte & 0x3f))).toString('latin1'));

const inputs: Record<string, string | Uint8Array> = {
  'in.txt': texts.map((text) => `${text}\n`).join(''),
  'in.ndjson': json.map((line) => `${line}\n`).join(''),
  'odd.ndjson': json
    .map((line, i) => (i % 503 === 0 ? '{"id":1}' : i % 701 === 0 ? '{"text":null}' : i % 401 === 0 ? '{' : line))
    .join('\n'),
  'late.ndjson': json.map((line, i) => (i === LATE_DOCUMENT ? '{"text":null}' : line)).join('\n'),
  'in.csv': `id,text\n${texts.map((text, i) => `${i},"a ""b""\n${text}"\n`).join('')}`,
  'in.tsv': `id\ttext\n${texts.map((text, i) => `${i}\t${text}\n`).join('')}`,
  'long.txt': texts.map((text, i) => `${i % 1009 === 7 ? `${text} `.repeat(1000) : text}\n`).join(''),
  'huge.txt': texts.map((text, i) => `${i === DOCUMENTS - 2000 ? `${text} `.repeat(50_000) : text}\n`).join(''),
  'letters.txt': letters.map((text) => `${text}\n`).join(''),
  'lengths.txt': letters.map((text, i) => `${i % 1013 === 0 ? text.slice(1) : text}\n`).join(''),
  'late-length.txt': letters.map((text, i) => `${i === 3 * LATE_DOCUMENT ? text.slice(1) : text}\n`).join(''),
  'hex.txt': digests.map((digest) => `${digest.toString('hex')}\n`).join(''),
  'in.u64': Buffer.concat(digests.flatMap((digest) => [digest, digest])),
};

const folder = temporaryFolder(afterAll);
for (const [name, text] of Object.entries(inputs)) writeFileSync(join(folder, name), text);

/** What a run leaves, with the state that it saved. @param used the number of threads that it has to use */
function outcomeAt(name: string, threads: number, used: number, options: Partial<DocumentOptions>) {
  return outcomeOf<DocumentStats>({
    ...{ folder, threads: used },
    run: (files, onFailure) =>
      runDocuments({
        ...optionsFor({ folder, name }, files),
        ...options,
        ...{ near: { memory: '1MiB', ...options.near }, threads, onFailure },
      }),
  });
}

function expectSameOf(
  name: string,
  options: Partial<DocumentOptions>,
  several = sampleOf(THREADS, 1),
  isDivided = true,
) {
  return expectSame(several, (threads) => outcomeAt(name, threads, isDivided ? threads : 1, options));
}

const text = { format: 'lines' } as const;
const rules = { any: {}, count: { agreeing: 3, hashes: 64 }, sets: { sets: 12, agreeing: 2, hashes: 64 } };
const kinds = lshFamilies.flatMap(({ name, variants }) => variants.map((variant) => [name, variant] as const));

const ruled = kinds.flatMap(([lsh, variant]) =>
  Object.entries(rules).map(([name, rule]) => ({ lsh, variant, name, rule })),
);

describe(`every family of hashes${sampleNote}`, () => {
  test.each(coverOf(ruled, ({ lsh, variant, name }) => [`${lsh} ${variant}`, name]))(
    '$lsh $variant gives on several threads what it gives on one: $name',
    async ({ lsh, variant, rule }) => {
      const isText = lsh !== 'bits';
      const input = isText ? 'in.ndjson' : 'letters.txt';
      const options = isText ? {} : { ...text };
      const near = { lsh, variant, similarity: 0.9, ...rule, ...(isText ? {} : { documentBytes: 16 }) };
      const { stats } = await expectSameOf(input, { ...options, near });
      expect(stats.near?.documents).toBeGreaterThanOrEqual(DOCUMENTS);
      expect(stats.distinct).toBeGreaterThan(10);
      expect(stats.duplicates).toBeGreaterThan(100);
    },
  );
});

const runs: [string, Partial<DocumentOptions>][] = [
  ['in.txt', text],
  ['in.csv', {}],
  ['in.tsv', {}],
  ['in.ndjson', { emit: 'duplicates' }],
  ['in.ndjson', { emit: 'verdicts' }],
  ['in.ndjson', { near: { shingle: '9c' } }],
  ['in.ndjson', { near: { shingle: '3t', case: 'keep' } }],
  ['in.ndjson', { near: { add: 'all', algorithm: 'sbf' } }],
  ['in.ndjson', { near: { window: 500 } }],
  ['in.ndjson', { near: { window: '1h' } }],
  ['in.ndjson', { near: { secret: '0123456789abcdef0123456789abcdef' } }],
  ['in.ndjson', { near: { verify: true } }],
  ['in.ndjson', { near: { verify: true, sketchBytes: 64, explain: 5, variant: 'one-permutation' } }],
  ['in.ndjson', { near: { explain: 50 } }],
  ['in.ndjson', { near: { explain: 50, hashes: 1024 }, idKey: 'id' }],
  ['odd.ndjson', { missingKey: 'drop', onError: 'pass', near: { explain: 9 }, idKey: 'id' }],
  ['odd.ndjson', { missingKey: 'distinct', onError: 'drop', emit: 'verdicts' }],
  ['long.txt', text],
  ['huge.txt', text],
  // More documents than a seat has room for.
  ['letters.txt', { ...text, near: { explain: 5, hashes: 1024, shingle: '2c' } }],
  ['letters.txt', { ...text, near: { verify: true, shingle: '2c' } }],
  ['long.txt', { ...text, maxRecordBytes: 100_000, onError: 'pass' }],
  ['lengths.txt', { ...text, onError: 'pass', near: { lsh: 'bits', documentBytes: 16 } }],
  ['lengths.txt', { ...text, onError: 'drop', emit: 'verdicts', near: { lsh: 'bits', documentBytes: 16 } }],
  ['in.u64', { near: { lsh: 'bits', similarity: 0.9 } }],
];

test.each(chosenRuns(runs, THREADS))(
  `$name $options gives on $several threads what it gives on one${sampleNote}`,
  async ({ name, options, several }) => {
    const { error, output } = await expectSameOf(name, options, several);
    expect(error).toBe('');
    expect(output.length).toBeGreaterThan(1000);
  },
);

test.each<[string, Partial<DocumentOptions>, number]>([
  ['late.ndjson', {}, LATE_DOCUMENT],
  ['late-length.txt', { ...text, near: { lsh: 'bits', documentBytes: 16 } }, 3 * LATE_DOCUMENT],
  ['late.ndjson', { near: { algorithm: 'exact', memory: '64KiB' } }, 0],
])('%s %j fails on several threads at the record where it fails on one', async (name, options, record) => {
  const { error } = await expectSameOf(name, options);
  expect(error).toContain(record > 0 ? `line ${record + 1}:` : 'full');
});

test.each<[string, Partial<DocumentOptions>]>([
  ['in.ndjson', { near: { normalize: 'nfc' } }],
  ['in.ndjson', { near: { case: 'unicode' } }],
  ['in.ndjson', { emit: 'all', annotate: 'near', near: { explain: 5 } }],
  ['hex.txt', { ...text, near: { lsh: 'bits', documentBytes: 16, encoding: 'hex' } }],
])('%s %j runs on one thread', async (name, options) => {
  await expectSameOf(name, options, sampleOf(THREADS, 1), false);
});
