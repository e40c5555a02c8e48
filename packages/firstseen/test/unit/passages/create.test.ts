// Passages of texts that a program has: the answers are those of the command, and errors say what to do.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runPassages } from '../../../src/jobs/passages/run.js';
import { type CreatePassagesOptions, createPassages } from '../../../src/near.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { drawWords } from '../../support/documents.js';
import { Random } from '../../support/streams.js';

const exact = { memory: '1MiB', algorithm: 'exact' } as const;

const random = new Random(3);
const below = (count: number) => Math.floor((random.nextWord() / 2 ** 32) * count);
const paragraphs = [
  '',
  ' ',
  'é ☂ 😀',
  ...Array.from({ length: 200 }, () => drawWords(1 + below(20), random).join(' ')),
];
const texts = Array.from({ length: 500 }, () =>
  Array.from({ length: below(7) }, () => paragraphs[below(paragraphs.length)]).join('\n'),
);

/** What the command writes about the texts. */
async function linesOf(options: object): Promise<string[]> {
  const folder = temporaryFolder();
  const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out')] as [string, string];
  writeFileSync(input, texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
  await runPassages({ inputs: [input], output, detector: exact, ...options });
  return readFileSync(output, 'utf8').trimEnd().split('\n');
}

test.each<CreatePassagesOptions>([
  {},
  { by: 'line', skipEmpty: true },
  { by: 'ngram', ngram: 2, overlap: 0.3 },
  { by: 'document' },
  { minLength: 30 },
  { minWords: 4 },
  { separator: ' a' },
  { seed: 7 },
])('with %j, the spans and the rest of each text are those of the command', async (options) => {
  const { seed, ...cutting } = options;
  const detector = { ...exact, seed };
  const passages = await createPassages({ ...exact, ...options });
  const answers = texts.map((text) => passages.observe(text));
  const spans = (await linesOf({ ...cutting, detector })).map((line) => JSON.parse(line).attributes.duplicates ?? []);
  expect(answers.map((answer) => answer.spans.map(({ start, end, share }) => [start, end, share]))).toEqual(spans);
  const rewritten = await linesOf({ ...cutting, detector, emit: 'rewritten', minDocument: 0 });
  expect(answers.map(({ rest }) => rest)).toEqual(rewritten.map((line) => JSON.parse(line).text));
  const { texts: observed, passages: compared, seen } = passages.stats();
  expect({ observed, compared, seen }).toEqual({
    observed: texts.length,
    compared: answers.reduce((sum, answer) => sum + answer.passages, 0),
    seen: spans.flat().length,
  });
});

test('bytes have the answers of their text, and a test adds nothing', async () => {
  const passages = await createPassages(exact);
  const bytes = new TextEncoder().encode('é\nMenu');
  expect(passages.test(bytes).seen).toBe(0);
  expect(passages.observe(bytes)).toEqual({
    ...{ spans: [], rest: 'é\nMenu', passages: 2, seen: 0, characters: 6, seenCharacters: 0 },
  });
  expect(passages.test('A page.\nMenu').rest).toBe('A page.\n');
  expect(passages.observe('').passages).toBe(0);
  expect(passages.stats()).toEqual({ texts: 2, passages: 2, seen: 0 });
});

test('a window forgets passages, and a log shows a description', async () => {
  const passages = await createPassages({ memory: '64KiB', window: '1m', clock: 'manual' });
  passages.advance(0);
  passages.observe('Menu');
  passages.advance(30_000);
  expect(passages.test('Menu').seen).toBe(1);
  passages.advance(600_000);
  expect(passages.test('Menu').seen).toBe(0);
  expect(passages.toJSON()).toMatchObject({ by: 'paragraph', texts: 1, passages: 1, seen: 0 });
  passages.close();
  expect(passages.toJSON()).toEqual({ isClosed: true });
  expect(() => passages.observe('Menu')).toThrow(expect.objectContaining({ code: 'E_CLOSED' }));
});

test.each<[object, string, string]>([
  [{ by: 'word' }, 'E_PARAMETER', 'one of paragraph, line, ngram, document'],
  [{ ngram: 3 }, 'E_PARAMETER', 'has no effect with by paragraph'],
  [{ by: 'line', separator: ' ' }, 'E_PARAMETER', 'has no effect with by line'],
  [{ by: 'ngram', ngram: 1 }, 'E_PARAMETER', 'ngram'],
  [{ separator: '' }, 'E_USAGE', 'a text that is not empty'],
  [{ separator: 7 }, 'E_USAGE', 'a text that is not empty'],
  [{ skipEmpty: 1 }, 'E_PARAMETER', 'true or false'],
  [{ witness: true }, 'E_PARAMETER', 'witness is not an option'],
  [{ similarity: 0.8 }, 'E_PARAMETER', 'similarity is not an option'],
])('%j is refused', async (options, code, said) => {
  const created = createPassages(options as CreatePassagesOptions);
  await expect(created).rejects.toMatchObject({ code, message: expect.stringContaining(said) });
});

test('a text that is too long or no text is refused, and a full table ends with the passage that does not fit', async () => {
  const passages = await createPassages({ ...exact, memory: '16KiB' });
  const refused = (text: unknown) => () => passages.observe(text as string);
  expect(refused(7)).toThrow(expect.objectContaining({ code: 'E_KEY' }));
  expect(refused(new Uint8Array(2 ** 24 + 1))).toThrow(expect.objectContaining({ code: 'E_RECORD' }));
  expect(refused('x'.repeat(2 ** 24 + 1))).toThrow(expect.objectContaining({ code: 'E_RECORD' }));
  expect(refused(Array.from({ length: 5000 }, (_, i) => `${i}`).join('\n'))).toThrow(
    expect.objectContaining({ code: 'E_FULL' }),
  );
  expect(passages.test('0').seen).toBe(1);
});
