// Passages on several threads are found as on one thread, byte for byte: every unit, output, format, rule and failure. Threads load their
// code from dist/.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test, vi } from 'vitest';
import type { PassageOptions, PassageStats } from '../../src/jobs/passages/passageoptions.js';
import { runPassages } from '../../src/jobs/passages/run.js';
import { temporaryFolder } from '../cli/support/command.js';
import { drawWords } from '../support/documents.js';
import { inLongForm, sampleNote, sampleOf } from '../support/form.js';
import { stopAfter } from '../support/signals.js';
import { Random } from '../support/streams.js';
import { chosenRuns, expectSame, outcomeOf } from '../support/threadruns.js';

vi.mock('node:worker_threads', async (original) => (await import('../support/distthreads.js')).threadsOfDist(original));

const DOCUMENTS = inLongForm(6000, 2400);
/** The record at fault of an input. */
const LATE_RECORD = DOCUMENTS - 997;
const THREADS = [2, 3];

const random = new Random(17);
const below = (count: number) => Math.floor((random.nextWord() / 2 ** 32) * count);
const paragraphs = Array.from({ length: 4000 }, () => drawWords(1 + below(20), random).join(' '));
const texts = Array.from({ length: DOCUMENTS }, () =>
  Array.from({ length: below(8) }, () => (below(9) === 0 ? '' : (paragraphs[below(4000)] as string))).join('\n'),
);
/** Names come before and after texts, and some letters must be decoded. */
const json = texts.map((text, i) => {
  const quoted = JSON.stringify(text).replaceAll('e', i % 3 === 0 ? '\\u0065' : 'e');
  return i % 2 === 0 ? `{"id":"d${i}","text":${quoted}}` : `{"text":${quoted},"id":${i}}`;
});
/** Passages of one letter: more than a seat of threads has room for. */
const short = Array.from({ length: inLongForm(40, 20) }, (_, id) => {
  const lines = Array.from({ length: 40_000 }, () => String.fromCharCode(0x61 + below(26)));
  return JSON.stringify({ id, text: `The text of number ${id} has this line alone.\n${lines.join('\n')}` });
});

function withLate(late: string): string {
  return json.map((line, i) => (i === LATE_RECORD ? late : line)).join('\n');
}

const inputs: Record<string, string | Uint8Array> = {
  'in.jsonl': json.map((line) => `${line}\n`).join(''),
  'in.jsonl.gz': gzipSync(json.map((line) => `${line}\n`).join('')),
  'odd.jsonl': json
    .map((line, i) => {
      if (i % 503 === 0) return '{"id":1}';
      if (i % 701 === 0) return '{"id":2,"text":null}';
      if (i % 401 === 0) return '{"text":"a\\nb"}';
      return i % 607 === 0 ? '{' : line;
    })
    .join('\n'),
  'late-text.jsonl': withLate('{"id":1,"text":null}'),
  'late-name.jsonl': withLate('{"text":"a\\nb"}'),
  'late-json.jsonl': withLate('{"text":'),
  'in.csv': `id,text\n${texts.map((text, i) => `${i},"a ""b""\n${text}"\n`).join('')}`,
  'in.tsv': `id\ttext\n${texts.map((text, i) => `${i}\t${text.replaceAll('\n', ' ')}\n`).join('')}`,
  'short.jsonl': short.map((line) => `${line}\n`).join(''),
  'huge.jsonl': json
    .map((line, i) => (i === DOCUMENTS - 2000 ? JSON.stringify({ id: i, text: texts.join('\n').repeat(9) }) : line))
    .join('\n'),
};

const folder = temporaryFolder(afterAll);
for (const [name, text] of Object.entries(inputs)) writeFileSync(join(folder, name), text);

interface Asked extends Partial<PassageOptions> {
  /** The name of the output. */
  outputName?: string;
}

/** What a run leaves, with the state that it saved. */
function outcomeAt(name: string, threads: number, { outputName, emit, detector, ...options }: Asked) {
  return outcomeOf<PassageStats>({
    ...{ folder, outputName, threads },
    run: ({ output, duplicates, state }, onFailure) =>
      runPassages({
        ...{ inputs: [join(folder, name)], output, state, partial: 'record' },
        duplicatesTo: emit === undefined || emit === 'spans' ? undefined : duplicates,
        ...options,
        ...{ emit, detector: { memory: '1MiB', ...detector }, threads, onFailure },
      }),
  });
}

function expectSameOf(name: string, options: Asked, several = sampleOf(THREADS, 1)) {
  return expectSame(several, (threads) => outcomeAt(name, threads, options));
}

const pass = { missingKey: 'distinct', onError: 'pass' } as const;
const drop = { missingKey: 'drop', onError: 'drop' } as const;

const runs: [string, Asked][] = [
  ['in.jsonl', {}],
  ['in.jsonl', { by: 'document' }],
  ['in.jsonl', { by: 'line', skipEmpty: true, minLength: 20 }],
  ['in.jsonl', { by: 'ngram', ngram: 3, overlap: 0.4 }],
  ['in.jsonl', { separator: '. a', minWords: 2 }],
  ['in.jsonl', { dolmaQuirks: true }],
  ['in.jsonl', { emit: 'rewritten', skipEmpty: true, minDocument: 40 }],
  ['in.jsonl', { emit: 'documents', documentShare: 0.5 }],
  ['in.jsonl', { outputName: 'out.gz', detector: { algorithm: 'bloom' } }],
  ['in.jsonl.gz', { emit: 'rewritten', outputName: 'out.gz' }],
  ['in.jsonl', { detector: { window: 3000 } }],
  ['in.jsonl', { detector: { secret: '0123456789abcdef0123456789abcdef' } }],
  ['in.jsonl', { detector: { algorithm: 'exact' } }],
  ['in.csv', {}],
  ['in.csv', { emit: 'documents', documentShare: 0.5 }],
  ['in.tsv', { by: 'ngram', ngram: 2 }],
  ['odd.jsonl', pass],
  ['odd.jsonl', drop],
  ['odd.jsonl', { ...pass, emit: 'rewritten' }],
  ['odd.jsonl', { ...drop, emit: 'documents', documentShare: 0.5 }],
  ['short.jsonl', {}],
  ['short.jsonl', { by: 'ngram', ngram: 2, separator: 'zz' }],
  ['short.jsonl', { emit: 'rewritten' }],
  ['huge.jsonl', {}],
  ['huge.jsonl', { by: 'ngram' }],
  ['huge.jsonl', { maxRecordBytes: 100_000, onError: 'pass' }],
];

test.each(chosenRuns(runs, THREADS))(
  `$name $options gives on $several threads what it gives on one${sampleNote}`,
  async ({ name, options, several }) => {
    const { error, output, stats } = await expectSameOf(name, options, several);
    expect(error).toBe('');
    expect(output.length).toBeGreaterThan(1000);
    expect(stats.passages?.seen).toBeGreaterThan(inLongForm(10, 5));
  },
  60_000,
);

test.each<[string, Asked, string]>([
  ['late-text.jsonl', {}, `line ${LATE_RECORD + 1}:`],
  ['late-text.jsonl', { emit: 'rewritten' }, `line ${LATE_RECORD + 1}:`],
  ['late-name.jsonl', {}, `line ${LATE_RECORD + 1}:`],
  ['late-json.jsonl', {}, `line ${LATE_RECORD + 1}:`],
  ['in.jsonl', { detector: { algorithm: 'exact', memory: '16KiB' } }, 'full'],
  ['short.jsonl', { by: 'ngram', ngram: 5, separator: 'zz', detector: { algorithm: 'exact', memory: '2MiB' } }, 'full'],
])(
  '%s %j fails on several threads at the record where it fails on one',
  async (name, options, reason) => {
    const { error, output } = await expectSameOf(name, options);
    expect(error).toContain(reason);
    expect(output.length).toBeGreaterThan(100);
  },
  60_000,
);

test('a table that is only read is asked on several threads', async () => {
  const state = join(folder, 'table.state');
  const half = join(folder, 'half.jsonl');
  writeFileSync(half, json.slice(0, DOCUMENTS / 2).join('\n'));
  await runPassages({ inputs: [half], output: join(folder, 'half.out'), state, detector: { memory: '1MiB' } });
  const { stats } = await expectSameOf('in.jsonl', { state, isReadOnly: true, emit: 'documents', detector: {} });
  expect(stats.passages?.documentsDropped).toBeGreaterThan(DOCUMENTS / 4);
});

test('a run that stops goes on with another number of threads', async () => {
  const { output: whole } = await outcomeAt('in.jsonl', 1, {});
  const [output, state] = [join(folder, 'stopped'), join(folder, 'stopped.state')];
  const asked: PassageOptions = { inputs: [join(folder, 'in.jsonl')], output, state, detector: { memory: '1MiB' } };
  const first = await runPassages({ ...asked, threads: 2, signal: stopAfter(1) });
  expect(first.interrupted).toBe(true);
  const last = await runPassages({ ...asked, threads: 3 });
  expect(last.resumed).toBe(true);
  expect(readFileSync(output, 'latin1') === whole).toBe(true);
});
