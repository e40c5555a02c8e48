// A job with several verdicts on a record: it looks the words of each line up, reports the verdict on each of them, and writes the
// line without those that were seen before.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Detector, kernelOf } from '../../../src/detectors/detector.js';
import type { RecordWriter } from '../../../src/io/sink.js';
import { DISTINCT, DUPLICATE } from '../../../src/kernel/abi.js';
import { planSettings } from '../../../src/plan/autosettings.js';
import type { Annotation, AnnotationVerdict, Job, JobRun } from '../../../src/run/job.js';
import { openRun } from '../../../src/run/open.js';
import { resolveRun } from '../../../src/run/resolve.js';
import { fillDefaults } from '../../../src/run/settled.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { messagesOf } from './support.js';

interface Word {
  text: string;
  verdict: AnnotationVerdict;
}

interface WordsAsked {
  /** Whether the job writes the lines without the repeated words. */
  isRewriting: boolean;
}

/** Writes the new words of each line that has some. */
function newWords(detector: Detector, words: () => readonly (readonly Word[])[]): RecordWriter {
  return {
    checkHeader: () => undefined,
    header: (header) => header,
    records({ taken: count }) {
      const { verdicts } = kernelOf(detector);
      const kept = words().filter((_, i) => i < count && verdicts[i] === DISTINCT);
      const lines = kept.map((line) => line.filter(({ verdict }) => verdict === 'distinct').map(({ text }) => text));
      return Buffer.from(lines.map((line) => `${line.join(' ')}\n`).join(''));
    },
  };
}

function begin(detector: Detector, { isRewriting }: WordsAsked): JobRun {
  let words: Word[][] = [];
  const kernel = kernelOf(detector);
  const observe = (count: number) => {
    // The detector uses the same memory as the batch.
    const spans = kernel.spans.slice(0, 2 * count);
    const lines = Array.from({ length: count }, (_, i) =>
      Buffer.from(kernel.bytes.slice(spans[2 * i], spans[2 * i + 1])).toString(),
    );
    words = lines.map((line) => line.split(' ').map((text) => ({ text, verdict: detector.observe(text) })));
    for (const [i, line] of words.entries()) {
      kernel.verdicts[i] = line.some(({ verdict }) => verdict === 'distinct') ? DISTINCT : DUPLICATE;
    }
    return { taken: count };
  };
  const annotation: Annotation = {
    columns: (field) => [field],
    values: (_verdict, keyed = 0) => [(words[keyed] ?? []).map(({ text, verdict }) => `${text}:${verdict}`).join(' ')],
    json: (_verdict, keyed = 0) => (words[keyed] ?? []).map(({ verdict }) => verdict),
  };
  return {
    observe,
    observeTimed: observe,
    advance: () => undefined,
    annotation,
    ...(isRewriting ? { writer: () => newWords(detector, () => words) } : {}),
  };
}

const wordsJob: Job<WordsAsked> = {
  name: 'words',
  takes: 'spans',
  comparesKeys: false,
  emissions: ['distinct', 'all'],
  resolve: (asked) => ({
    detector: {},
    settings: () => planSettings({ algorithm: 'exact', memory: 4096 }),
    regionsEnd: ({ offset }) => offset,
    begin: (detector) => begin(detector, asked),
  }),
};

async function outputOf(asked: WordsAsked, options: object) {
  const output = join(temporaryFolder(), 'out');
  const sources = [messagesOf('in', 'a b\nb c a\na c\n')];
  const request = { format: 'lines', key: { keys: [] }, job: wordsJob, asked, sources } as const;
  const settled = fillDefaults({ inputs: ['in'], output, ...options });
  const stats = await (await openRun(resolveRun({ ...request, options: settled }, undefined), undefined)).toEnd();
  return { text: readFileSync(output, 'utf8'), stats };
}

test('a job writes what is new in each record, and a record counts once', async () => {
  const { text, stats } = await outputOf({ isRewriting: true }, {});
  expect(text).toBe('a b\nc\n');
  expect(stats).toMatchObject({ records: 3, distinct: 2, duplicates: 1, bytesOut: text.length });
});

test('a job reports a verdict for each part of a record', async () => {
  const { text } = await outputOf({ isRewriting: false }, { emit: 'all', annotate: 'words' });
  expect(text.split('\n')).toEqual([
    'a:distinct b:distinct\ta b',
    'b:duplicate c:distinct a:duplicate\tb c a',
    'a:duplicate c:duplicate\ta c',
    '',
  ]);
});
