// Snapshots of passages: what is loaded goes on as the saved detector would have.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeState } from '../../../src/checkpoint/describe.js';
import { readState } from '../../../src/checkpoint/runstate.js';
import { create, load, save } from '../../../src/index.js';
import { runPassages } from '../../../src/jobs/passages/run.js';
import { type CreatePassagesOptions, createNear, createPassages, loadNear, loadPassages } from '../../../src/near.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { drawWords } from '../../support/documents.js';
import { Random } from '../../support/streams.js';

const random = new Random(5);
const paragraphs = ['', ...Array.from({ length: 60 }, () => drawWords(1 + random.below(12), random).join(' '))];
const texts = Array.from({ length: 120 }, () =>
  Array.from({ length: random.below(6) }, () => paragraphs[random.below(paragraphs.length)]).join('\n'),
);
for (let i = 5; i < texts.length; i += 5) texts[i] = texts[i - 3] as string;
const [before, after] = [texts.slice(0, 70), texts.slice(70)];

const broken = (message: RegExp) =>
  expect.objectContaining({ code: 'E_SNAPSHOT', message: expect.stringMatching(message) });

test.each<CreatePassagesOptions>([
  {},
  { by: 'line', skipEmpty: true, algorithm: 'exact' },
  { by: 'ngram', ngram: 2, overlap: 0.3, separator: '. ', secret: '000102030405060708090a0b0c0d0e0f' },
  { by: 'document', minLength: 9, minWords: 2, window: 40 },
  { algorithm: 'bloom', fpr: 0.01, distinctElements: 500 },
])('what is loaded continues like the saved one, with %j', async (options) => {
  const saved = await createPassages({ memory: '64KiB', ...options });
  for (const text of before) saved.observe(text);
  const snapshot = await save(saved, Buffer.from([0, 255, 7]));
  const [loaded, streamed] = await Promise.all([loadPassages(snapshot), loadPassages([snapshot])]);
  expect(await save(loaded, loaded.note)).toEqual(snapshot);
  expect(loaded.note).toEqual(Uint8Array.of(0, 255, 7));
  expect(loaded.settings).toEqual({ ...saved.settings, table: loaded.settings.table });
  expect(loaded.stats()).toEqual(saved.stats());
  const answers = after.map((text) => saved.observe(text));
  expect(after.map((text) => loaded.observe(text))).toEqual(answers);
  expect(after.map((text) => streamed.observe(text))).toEqual(answers);
  expect(answers.some(({ seen }) => seen > 0)).toBe(true);
  expect(await save(loaded)).toEqual(await save(saved));
});

test('a window of time goes on with the clock', async () => {
  const saved = await createPassages({ memory: '64KiB', window: '1m', clock: 'manual' });
  saved.advance(0);
  saved.observe('Menu');
  const loaded = await loadPassages(await save(saved), { clock: 'manual' });
  loaded.advance(30_000);
  expect(loaded.test('Menu').seen).toBe(1);
  loaded.advance(600_000);
  expect(loaded.test('Menu').seen).toBe(0);
});

test('what does not decide the elements can be others', async () => {
  const saved = await createPassages({ memory: '64KiB', minLength: 3 });
  saved.observe('one two\nno');
  const snapshot = await save(saved);
  expect((await loadPassages(snapshot)).test('one two\nno').passages).toBe(1);
  const other = await loadPassages(snapshot, { minLength: 0, skipEmpty: true });
  expect(other.test('one two\nno\n\n')).toMatchObject({ passages: 2, seen: 1 });
  await expect(loadPassages(snapshot, { overlap: 0.5 })).rejects.toMatchObject({
    code: 'E_PARAMETER',
    message: expect.stringContaining('has no effect with by paragraph'),
  });
  await expect(loadPassages(snapshot, { minWords: -1 })).rejects.toMatchObject({ code: 'E_PARAMETER' });
  await expect(loadPassages(snapshot, { by: 'line' } as object)).rejects.toMatchObject({ option: 'by' });
});

test('the state of a run is loaded, and counts begin anew', async () => {
  const folder = temporaryFolder();
  const [input, output, state] = ['in.jsonl', 'out', 'state'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(input, before.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
  const own = { by: 'ngram', ngram: 2, overlap: 0.3 } as const;
  await runPassages({ inputs: [input], output, state, ...own, detector: { memory: '64KiB' } });
  const loaded = await loadPassages(readFileSync(state), { overlap: own.overlap });
  expect(loaded.stats()).toEqual({ texts: 0, passages: 0, seen: 0 });
  const made = await createPassages({ memory: '64KiB', ...own });
  for (const text of before) made.observe(text);
  expect(after.map((text) => loaded.observe(text))).toEqual(after.map((text) => made.observe(text)));
});

test('a snapshot of something else is refused, with the function that loads it', async () => {
  const passages = await createPassages({ memory: '64KiB' });
  passages.observe('Menu');
  const snapshot = await save(passages);
  const refusal = { code: 'E_STATE_DIFFERS', message: expect.stringMatching(/passages of documents.*loadPassages/) };
  await expect(load(snapshot)).rejects.toMatchObject(refusal);
  await expect(loadNear(snapshot)).rejects.toThrow(
    broken(/not a snapshot of near-duplicate detection; .*loadPassages/),
  );
  const near = await save(await createNear({ memory: '64KiB' }));
  await expect(loadPassages(near)).rejects.toThrow(broken(/not a snapshot of passages; .*loadNear/));
  const detector = await create({ memory: '64KiB' });
  await expect(loadPassages(await save(detector))).rejects.toThrow(broken(/not a snapshot of passages/));
  const job = (own: object) =>
    save(detector, Buffer.from(JSON.stringify({ job: { name: 'passages', rest: null, ...own } })));
  await expect(loadPassages(await job({ settings: { by: 'word' } }))).rejects.toThrow(
    broken(/settings are impossible/),
  );
  const settings = { by: 'line' };
  await expect(loadPassages(await job({ settings, rest: { totals: { texts: -1 } } }))).rejects.toThrow(
    broken(/no valid counts/),
  );
  await expect(loadPassages(snapshot, { maxMemory: 1000 })).rejects.toMatchObject({ code: 'E_MEMORY' });
});

test('is described, and not continued by a run', async () => {
  const passages = await createPassages({ memory: '64KiB', by: 'line' });
  passages.observe('one\ntwo');
  const path = join(temporaryFolder(), 'state');
  writeFileSync(path, await save(passages, new Uint8Array(2)));
  expect(await describeState(path)).toMatchObject({
    ...{ key: null, run: null, noteBytes: 2 },
    job: { name: 'passages', settings: { by: 'line' }, observed: 1, duplicates: 0 },
  });
  await expect(readState(path)).rejects.toThrow(/passages was saved by the library.*loadPassages/);
});

test('a closed detector is not saved', async () => {
  const passages = await createPassages({ memory: '64KiB' });
  passages.close();
  await expect(save(passages)).rejects.toMatchObject({ code: 'E_CLOSED' });
});
