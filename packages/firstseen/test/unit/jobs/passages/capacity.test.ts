// A run over passages warns when its table forgets nothing and is past its capacity, and when it has forgotten passages that came again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { FirstseenError } from '../../../../src/base/errors.js';
import type { PassageOptions } from '../../../../src/jobs/passages/passageoptions.js';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';

/** A Bloom filter of 4 KiB has room for about 3,000 passages. */
const TEXTS = 20_000;
const bloom = { algorithm: 'bloom', memory: '4KiB' } as const;

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

function writeTexts(count: number): void {
  const line = (id: number) => `${JSON.stringify({ id, text: `passage ${id}` })}\n`;
  writeFileSync(at('in.jsonl'), Array.from({ length: count }, (_, id) => line(id)).join(''));
}

async function run(own: Partial<PassageOptions>) {
  const warnings: FirstseenError[] = [];
  const onWarning = (warning: FirstseenError) => void warnings.push(warning);
  const emit = 'documents';
  const stats = await runPassages({ inputs: [at('in.jsonl')], output: at('out'), emit, ...own, onWarning });
  return { stats, warnings };
}

const full = { code: 'E_OVERLOAD', option: 'memory', message: expect.stringMatching(/the table is past its capacity/) };

test.each<[Partial<PassageOptions>, number, object[]]>([
  [{ detector: bloom }, TEXTS, [full]],
  [{ detector: { ...bloom, parameters: { k: 3 } } }, TEXTS, [full]],
  [{ detector: { ...bloom, fpr: 0.001 } }, TEXTS, [full]],
  [{ detector: bloom }, 2000, []],
  [{ detector: { ...bloom, memory: '1MiB' } }, TEXTS, []],
  [{ detector: { ...bloom, algorithm: 'sbf' } }, TEXTS, []],
  [{ detector: { memory: '4KiB' } }, TEXTS, []],
])('a run with %j over %i texts', async (own, count, expected) => {
  writeTexts(count);
  const { stats, warnings } = await run(own);
  expect(warnings).toEqual(expected.map((one) => expect.objectContaining(one)));
  expect(stats.overload === null).toBe(expected.length === 0);
});

test.each([
  [
    '4KiB',
    [
      expect.stringMatching(
        /^100 % of the repeats passed.*: 4KiB cannot hold .*; give memory 256KiB or more, or window/,
      ),
    ],
  ],
  ['1MiB', []],
])('a table of %s that takes each of 20,000 texts twice', async (memory, expected) => {
  writeTexts(TEXTS);
  const { stats, warnings } = await run({ inputs: [at('in.jsonl'), at('in.jsonl')], detector: { memory } });
  expect(warnings.map(({ message }) => message)).toEqual(expected);
  expect(warnings.every(({ code }) => code === 'E_MISSED')).toBe(true);
  expect(stats.distinct).toBe(expected.length > 0 ? 2 * TEXTS : TEXTS);
});

test('the warning names n-grams where they are looked up, and no option that has no effect', async () => {
  writeTexts(TEXTS);
  const { warnings } = await run({ by: 'ngram', ngram: 2, detector: { ...bloom, fpr: 0.001 } });
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^after [\d,]+ n-grams the table .* more than 0.001 of the new n-grams/),
  ]);
  expect(warnings[0]?.message).not.toMatch(/expect|distinctElements/);
});

test('a full table of an earlier run is told of when it is only asked', async () => {
  writeTexts(TEXTS);
  const state = at('state');
  await run({ detector: bloom, state });
  writeTexts(10);
  const { stats, warnings } = await run({ state, isReadOnly: true, output: at('asked') });
  expect(warnings).toEqual([expect.objectContaining(full)]);
  expect(stats.overload).not.toBeNull();
});
